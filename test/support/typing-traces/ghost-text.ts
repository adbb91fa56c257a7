import type { Clock } from '../../../src/base/clock.ts';
import type {
  SuggestionProvider,
  ProvidedSuggestions,
  Suggestion,
} from '../../../src/completion/ports.ts';
import type { Snapshot } from '../../../src/completion/snapshot.ts';
import type { ModelEditor } from './model-editor.ts';

/** Observer of the visible suggestion. */
export interface GhostWatcher {
  /**
   * Called when the visible suggestion changes. `by` names the cause: the user, or an answer of the
   * provider.
   */
  onShown(shown: Suggestion | undefined, by: 'edit' | 'answer'): void;
  /** Called when the provider returned an answer that is still current. */
  onProvided(call: ProviderCall): void;
}

export interface ProviderCall {
  readonly provided: ProvidedSuggestions;
  readonly snapshot: Snapshot;
  readonly startedAt: number;
}

/** Delay of VS Code between a key and the provider call, in milliseconds. */
const editorDebounceMs = 50;

/** The visible suggestion, relative to the document for which it was provided. */
interface ShownSuggestion {
  readonly suggestion: Suggestion;
  readonly before: string;
  /** Text after the replaced part. */
  readonly rest: string;
}

/**
 * Model of VS Code's ghost text: calls the provider after every change and cancels the previous
 * call. Meanwhile it shows the suggestion as far as it agrees with the text, and replaces it by the
 * latest answer.
 */
export class GhostText {
  readonly #editor: ModelEditor;
  readonly #provider: SuggestionProvider;
  readonly #clock: Clock;
  readonly #watcher: GhostWatcher;
  #shownSuggestion: ShownSuggestion | undefined;
  #shown: Suggestion | undefined;
  #call = new AbortController();

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

  /** Ghost text at the cursor. */
  get shown(): Suggestion | undefined {
    return this.#shown;
  }

  /**
   * Called when the text changes at the cursor. If `isPartialAcceptance` is true, the user accepted a part
   * of the suggestion, and the rest stays.
   */
  edited({ isPartialAcceptance = false } = {}): void {
    this.#call.abort();
    this.#show(this.#rest(), 'edit');
    const call = new AbortController();
    this.#call = call;
    void this.#requestLater(call.signal, isPartialAcceptance);
  }

  /** Called when the cursor moves without a text change. */
  moved(): void {
    this.hide();
    const { document, position } = this.#editor.snapshot();
    this.#provider.didMoveCursor({ document, position });
  }

  /** Hides the suggestion until the next text change. */
  hide(): void {
    this.#call.abort();
    this.#shownSuggestion = undefined;
    this.#show(undefined, 'edit');
  }

  /** Inserts the suggestion, or its first `length` characters. Returns the inserted text. */
  take(length = Number.POSITIVE_INFINITY): string {
    const shown = this.#shown;
    if (shown === undefined) throw new Error('Nothing is shown.');
    const isWhole = length >= shown.text.length;
    const text = shown.text.slice(0, length);
    this.#editor.insert(text, isWhole ? shown.replaceLength : 0);
    // VS Code changes the text first, then runs the suggestion's command.
    if (isWhole) this.#shownSuggestion = undefined;
    this.edited({ isPartialAcceptance: !isWhole });
    if (isWhole) this.#provider.didAccept(shown.id);
    return text;
  }

  async #requestLater(signal: AbortSignal, isPartialAcceptance: boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(editorDebounceMs, resolve);
      signal.addEventListener('abort', cancel, { once: true });
    });
    if (signal.aborted) return;
    const startedAt = this.#clock.now();
    const snapshot = this.#editor.snapshot();
    const provided = await this.#provider.provide(snapshot, { isExplicit: false, signal });
    if (signal.aborted) return;
    this.#watcher.onProvided({ provided, snapshot, startedAt });
    const [suggestion] = provided.suggestions;
    // A partly accepted suggestion stays until all of it is accepted.
    if (suggestion === undefined && isPartialAcceptance) return;
    const { before, after } = this.#editor;
    this.#shownSuggestion = suggestion && {
      suggestion,
      before,
      rest: after.slice(suggestion.replaceLength),
    };
    this.#show(suggestion, 'answer');
  }

  /**
   * Returns the remaining suggestion. The typed text must be its start, and the replaced text must
   * occur in it.
   */
  #rest(): Suggestion | undefined {
    if (this.#shownSuggestion === undefined) return undefined;
    const { suggestion, before, rest } = this.#shownSuggestion;
    const now = this.#editor;
    if (!now.before.startsWith(before) || !now.after.endsWith(rest)) return undefined;
    const typed = now.before.slice(before.length);
    const text = suggestion.text.slice(typed.length);
    const replaced = now.after.slice(0, now.after.length - rest.length);
    if (!suggestion.text.startsWith(typed) || !hasInOrder(text, replaced)) return undefined;
    return text === '' ? undefined : { id: suggestion.id, text, replaceLength: replaced.length };
  }

  #show(shown: Suggestion | undefined, by: 'edit' | 'answer'): void {
    this.#watcher.onShown(shown, by);
    this.#shown = shown;
  }
}

function hasInOrder(text: string, characters: string): boolean {
  let at = 0;
  for (const character of characters) {
    at = text.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
