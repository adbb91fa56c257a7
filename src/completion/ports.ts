import type { Clock } from '../base/clock.ts';
import type { Reason } from './reason.ts';
import type { DebounceState } from './request-timing.ts';
import type { Snapshot } from './snapshot.ts';
import type { ChatEvent, ChatRequest, Cost, Usage } from '../service/chat/chat-types.ts';
import type { CompletionRequest } from '../service/chat/completions.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { Model } from '../service/model-types.ts';

/** Request for a suggestion: a chat, or a fill-in-the-middle completion. */
export type SuggestionRequest =
  | { readonly route: 'chat'; readonly request: ChatRequest }
  | { readonly route: 'completions'; readonly request: CompletionRequest };

/** API route: `chat` for chat models, `completions` for servers that accept `prompt` and `suffix`. */
export type CompletionRoute = SuggestionRequest['route'];

/**
 * Text from another position or file that helps the model complete the code. Never from a file that
 * may contain secrets.
 */
export interface ContextSnippet {
  /**
   * `definition`: declares a symbol near the cursor. `import`: outline of an imported file. `edit`: a recent edit.
   * `similar`: from an open file, similar to the text around the cursor. `cell`: an earlier cell of the same notebook.
   */
  readonly kind: 'definition' | 'import' | 'edit' | 'similar' | 'cell';
  /** Same form as {@link Snapshot.path}. */
  readonly path: string;
  /** Line ends are `\n`. */
  readonly text: string;
}

/** Dependencies of the completion pipeline. */
export interface CompletionPorts {
  readonly clock: Clock;
  readonly settings: () => CompletionSettings;
  /** Returns the current model and its route, or undefined without a model. */
  readonly target: () => CompletionTarget | undefined;
  /** Returns the delay before a request, in milliseconds. */
  readonly debounceMs: (snapshot: Snapshot, state: DebounceState) => number;
  /** Returns the context gathered so far, best first. Takes less than 2 ms. */
  readonly context: (snapshot: Snapshot) => readonly ContextSnippet[];
  /** Sends one request without retries and streams the events. Never throws. Aborting closes the request at once. */
  readonly sendRequest: (
    request: SuggestionRequest,
    signal: AbortSignal,
  ) => AsyncIterable<readonly ChatEvent[]>;
  /** Called after each request with its outcome. */
  readonly report: (exchange: CompletionExchange) => void;
}

export interface CompletionSettings {
  /** Allows requests while the user types. If false, only the command sends requests. */
  readonly automatic: boolean;
  /** Allows suggestions in comments. */
  readonly inComments: boolean;
  /** Requests the text after a suggestion before the user accepts it. */
  readonly prefetch: boolean;
}

export interface CompletionTarget {
  readonly model: Model;
  readonly route: CompletionRoute;
}

/** Outcome of one request. */
export interface CompletionExchange {
  readonly model: Model;
  /** Milliseconds from the request to the first text; absent when no text arrived. */
  readonly timeToFirstTextMs?: number;
  /** Usage as reported by the service, or estimated from the sent and received text. */
  readonly usage: Usage;
  readonly cost?: Cost;
  /** Marks `usage` as an estimate, because the service reported none. */
  readonly isEstimate: boolean;
  /**
   * Marks `cost` as computed from the model's prices. The cost then contains all units, although
   * the account pays in only one unit.
   */
  readonly isCostEstimate: boolean;
  /**
   * `cut`: closed early, because the text was complete. `canceled`: the text changed, or the cursor
   * moved to another position.
   */
  readonly end: 'complete' | 'cut' | 'canceled' | 'failed';
  readonly failure?: ServiceFailure;
}

/** Text to insert at the cursor. */
export interface Suggestion {
  /** Identifies the suggestion in {@link SuggestionProvider.didAccept}. */
  readonly id: number;
  /** Never empty; line ends are `\n`. */
  readonly text: string;
  /** Number of characters after the cursor, on its line, that the text replaces. */
  readonly replaceLength: number;
}

export interface ProvideOptions {
  /** True if the user requested suggestions with a command. */
  readonly isExplicit: boolean;
  readonly signal: AbortSignal;
}

/** Source of suggestions at a cursor. */
export interface SuggestionProvider {
  /**
   * Returns the suggestions for a snapshot, best first, or the reason for none. Cached suggestions need no wait. Never
   * throws. Aborting `signal` ends the wait; a request that may still match continues for a moment, since VS Code usually
   * calls again at once.
   */
  provide(snapshot: Snapshot, options: ProvideOptions): Promise<ProvidedSuggestions>;
  /** Records that the user accepted a suggestion or its remainder. */
  didAccept(id: number): void;
  /** Cancels the requests that cannot match at the new cursor position; `undefined` when no editor is active. */
  didMoveCursor(to: Pick<Snapshot, 'document' | 'position'> | undefined): void;
  /** Clears the cache and cancels all requests, after a change of model, account or file rules. */
  clear(): void;
  dispose(): void;
}

export interface ProvidedSuggestions {
  readonly suggestions: readonly Suggestion[];
  /** Absent when there are suggestions. */
  readonly reason?: Reason;
  /** `cached`: without a request. `pending`: from a request that was already open. `requested`: from a new request. */
  readonly source: 'cached' | 'pending' | 'requested' | 'none';
}
