import type { Clock } from '../../../src/base/clock.ts';
import type {
  SuggestionProvider,
  ProvidedSuggestions,
  Suggestion,
} from '../../../src/completion/ports.ts';
import type { Snapshot } from '../../../src/completion/snapshot.ts';
import type { ModelEditor } from './model-editor.ts';

/** Observer of visible suggestions, and of the provider's answers. */
export interface GhostWatcher {
  /**
   * Called when the visible suggestion changes because of `cause`: an edit by the user, or an answer from the provider.
   */
  onVisibleChange(suggestion: Suggestion | undefined, cause: 'edit' | 'answer'): void;
  /** Called when the provider answers the latest call. */
  onProvided(call: ProviderCall): void;
}

export interface ProviderCall {
  readonly suggestions: ProvidedSuggestions;
  readonly snapshot: Snapshot;
  readonly startedAt: number;
}

/** Delay in milliseconds between a key press and the provider call of VS Code. */
const editorDebounceMs = 50;

/** A visible suggestion, and the document text for which the provider returned it. */
interface AnchoredSuggestion {
  readonly suggestion: Suggestion;
  readonly textBefore: string;
  /** Document text after the part that the suggestion replaces. */
  readonly suffix: string;
}

/**
 * Model of VS Code's ghost text. Calls the provider after every change of the text, and cancels the previous call.
 * Until the new answer arrives, the rest of the previous suggestion stays visible if the user types the suggested text.
 */
export class GhostText {
  readonly #editor: ModelEditor;
  readonly #provider: SuggestionProvider;
  readonly #clock: Clock;
  readonly #watcher: GhostWatcher;
  #anchoredSuggestion: AnchoredSuggestion | undefined;
  #visibleSuggestion: Suggestion | undefined;
  #callController = new AbortController();

  constructor(
    provider: SuggestionProvider,
    {
      editor,
      clock,
      watcher,
    }: { readonly editor: ModelEditor; readonly clock: Clock; readonly watcher: GhostWatcher },
  ) {
    this.#provider = provider;
    this.#editor = editor;
    this.#clock = clock;
    this.#watcher = watcher;
  }

  /** Suggestion that is visible at the cursor, or undefined. */
  get visibleSuggestion(): Suggestion | undefined {
    return this.#visibleSuggestion;
  }

  /**
   * Handles a text change at the cursor.
   * @param isPartialAcceptance true if the user accepted a part of the suggestion, whose rest remains visible
   */
  handleEdit({ isPartialAcceptance = false } = {}): void {
    this.#callController.abort();
    this.#show(this.#getRemainingSuggestion(), 'edit');
    const callController = new AbortController();
    this.#callController = callController;
    void this.#requestLater(callController.signal, isPartialAcceptance);
  }

  /** Handles a cursor move without a text change. */
  handleMove(): void {
    this.hideSuggestion();
    const { documentUri, position } = this.#editor.createSnapshot();
    this.#provider.handleCursorMove({ documentUri, position });
  }

  /** Hides the suggestion until the next change of the text. */
  hideSuggestion(): void {
    this.#callController.abort();
    this.#anchoredSuggestion = undefined;
    this.#show(undefined, 'edit');
  }

  /** Accepts the visible suggestion, or only its first `length` characters. Returns the inserted text. */
  acceptSuggestion(length = Number.POSITIVE_INFINITY): string {
    const suggestion = this.#visibleSuggestion;
    if (suggestion === undefined) throw new Error('No suggestion is visible.');
    const isWhole = length >= suggestion.text.length;
    const text = suggestion.text.slice(0, length);
    this.#editor.insertText(text, isWhole ? suggestion.replaceLength : 0);
    // VS Code changes the text before it runs the suggestion's command.
    if (isWhole) this.#anchoredSuggestion = undefined;
    this.handleEdit({ isPartialAcceptance: !isWhole });
    if (isWhole) this.#provider.recordAcceptance(suggestion.id);
    return text;
  }

  async #requestLater(signal: AbortSignal, isPartialAcceptance: boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(editorDebounceMs, resolve);
      signal.addEventListener('abort', cancel, { once: true });
    });
    if (signal.aborted) return;
    const startedAt = this.#clock.now();
    const snapshot = this.#editor.createSnapshot();
    const providedSuggestions = await this.#provider.provide(snapshot, {
      isExplicit: false,
      signal,
    });
    if (signal.aborted) return;
    this.#watcher.onProvided({ suggestions: providedSuggestions, snapshot, startedAt });
    const [suggestion] = providedSuggestions.suggestions;
    // A partly accepted suggestion remains until all of its text is accepted.
    if (suggestion === undefined && isPartialAcceptance) return;
    const { textBefore, textAfter } = this.#editor;
    this.#anchoredSuggestion = suggestion && {
      suggestion,
      textBefore,
      suffix: textAfter.slice(suggestion.replaceLength),
    };
    this.#show(suggestion, 'answer');
  }

  /**
   * Returns the part of the suggestion that the user has not typed yet. Returns undefined if the user typed other text,
   * or if the suggestion does not contain the text that it replaces. Also returns undefined if this part replaces text
   * on several lines, because VS Code hides such a suggestion.
   */
  #getRemainingSuggestion(): Suggestion | undefined {
    if (this.#anchoredSuggestion === undefined) return undefined;
    const { suggestion, textBefore, suffix } = this.#anchoredSuggestion;
    const editor = this.#editor;
    if (!editor.textBefore.startsWith(textBefore) || !editor.textAfter.endsWith(suffix))
      return undefined;
    const typedText = editor.textBefore.slice(textBefore.length);
    const text = suggestion.text.slice(typedText.length);
    const replacedText = editor.textAfter.slice(0, editor.textAfter.length - suffix.length);
    if (!suggestion.text.startsWith(typedText) || !containsInOrder(text, replacedText))
      return undefined;
    if (replacedText.includes('\n')) return undefined;
    return text === ''
      ? undefined
      : { id: suggestion.id, text, replaceLength: replacedText.length };
  }

  #show(suggestion: Suggestion | undefined, cause: 'edit' | 'answer'): void {
    this.#watcher.onVisibleChange(suggestion, cause);
    this.#visibleSuggestion = suggestion;
  }
}

function containsInOrder(text: string, characters: string): boolean {
  let index = 0;
  for (const character of characters) {
    index = text.indexOf(character, index) + 1;
    if (index === 0) return false;
  }
  return true;
}
