import type { Clock } from '../../../src/base/clock.ts';
import type {
  SuggestionProvider,
  ProvidedSuggestions,
  Suggestion,
} from '../../../src/completion/ports.ts';
import type { Snapshot } from '../../../src/completion/snapshot.ts';
import type { ModelEditor } from './model-editor.ts';

/** What happens to the text that is shown, for who counts. */
export interface GhostWatcher {
  /** Something else, or nothing, is shown from now on. `by`: the person, or an answer of the provider. */
  onShown(shown: Suggestion | undefined, by: 'edit' | 'answer'): void;
  /** An answer that was still wanted. */
  onProvided(call: ProviderCall): void;
}

export interface ProviderCall {
  readonly provided: ProvidedSuggestions;
  readonly snapshot: Snapshot;
  readonly startedAt: number;
}

/** VS Code waits so long after a key before it asks a provider. In milliseconds. */
const editorDebounceMs = 50;

/** What is shown, in terms of the document that it was given for. */
interface Offer {
  readonly suggestion: Suggestion;
  readonly before: string;
  /** What stands behind the part that is replaced. */
  readonly rest: string;
}

/**
 * The part of VS Code that shows ghost text: asks the provider after every change of the text, cancelling the call before;
 * goes on showing what agrees with the text meanwhile; and lets what came last take its place.
 */
export class GhostText {
  readonly #editor: ModelEditor;
  readonly #provider: SuggestionProvider;
  readonly #clock: Clock;
  readonly #watcher: GhostWatcher;
  #offer: Offer | undefined;
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

  /** What stands in grey at the cursor now. */
  get shown(): Suggestion | undefined {
    return this.#shown;
  }

  /** The text has changed at the cursor. `isPartOfIt`: by taking a part of what is shown, which then stays. */
  edited({ isPartOfIt = false } = {}): void {
    this.#call.abort();
    this.#show(this.#rest(), 'edit');
    const call = new AbortController();
    this.#call = call;
    void this.#askLater(call.signal, isPartOfIt);
  }

  /** The cursor is elsewhere, without any change of the text. */
  moved(): void {
    this.hide();
    const { document, position } = this.#editor.snapshot();
    this.#provider.didMoveCursor({ document, position });
  }

  /** Until the text changes again. */
  hide(): void {
    this.#call.abort();
    this.#offer = undefined;
    this.#show(undefined, 'edit');
  }

  /** Puts what is shown, or its first `length` characters, into the document. Returns the text. */
  take(length = Number.POSITIVE_INFINITY): string {
    const shown = this.#shown;
    if (shown === undefined) throw new Error('Nothing is shown.');
    const isWhole = length >= shown.text.length;
    const text = shown.text.slice(0, length);
    this.#editor.insert(text, isWhole ? shown.replaceLength : 0);
    // First the text changes, then the command of the suggestion runs.
    if (isWhole) this.#offer = undefined;
    this.edited({ isPartOfIt: !isWhole });
    if (isWhole) this.#provider.didAccept(shown.id);
    return text;
  }

  async #askLater(signal: AbortSignal, isPartOfIt: boolean): Promise<void> {
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
    // What the person takes in parts stays until it is used up.
    if (suggestion === undefined && isPartOfIt) return;
    const { before, after } = this.#editor;
    this.#offer = suggestion && { suggestion, before, rest: after.slice(suggestion.replaceLength) };
    this.#show(suggestion, 'answer');
  }

  /** What is left of the offer: what was typed must be its start, and what is replaced occur in it. */
  #rest(): Suggestion | undefined {
    if (this.#offer === undefined) return undefined;
    const { suggestion, before, rest } = this.#offer;
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
