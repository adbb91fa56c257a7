import type { Clock } from '../base/clock.ts';
import type { Reason } from './reason.ts';
import type { DebounceState } from './request-timing.ts';
import type { Snapshot } from './snapshot.ts';
import type { ChatEvent, ChatRequest, Cost, Usage } from '../service/chat/chat-types.ts';
import type { CompletionRequest } from '../service/chat/completions.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { Model } from '../service/model-types.ts';

/** What is sent to the service for a suggestion. */
export type SuggestionRequest =
  | { readonly route: 'chat'; readonly request: ChatRequest }
  | { readonly route: 'completions'; readonly request: CompletionRequest };

/** `chat` for services of chat models; `completions` for servers that fill a hole by `prompt` and `suffix`. */
export type CompletionRoute = SuggestionRequest['route'];

/** A piece of another place that may tell the model how to go on. Never from a file that may hold secrets. */
export interface ContextSnippet {
  /**
   * `definition`: of a symbol near the cursor. `import`: what an imported file offers. `edit`: what was changed lately.
   * `similar`: from an open file, alike to what stands around the cursor. `cell`: of the same notebook, above.
   */
  readonly kind: 'definition' | 'import' | 'edit' | 'similar' | 'cell';
  /** As in a snapshot. */
  readonly path: string;
  /** Line ends are `\n`. */
  readonly text: string;
}

/** What the engine needs of the world. */
export interface CompletionPorts {
  readonly clock: Clock;
  readonly settings: () => CompletionSettings;
  /** The model that is asked now, and how; undefined when there is none. */
  readonly target: () => CompletionTarget | undefined;
  /** Returns the delay before a request, in milliseconds. */
  readonly debounceMs: (snapshot: Snapshot, state: DebounceState) => number;
  /** Pieces of other places, as far as they are known without waiting, best first. Takes less than 2 ms. */
  readonly context: (snapshot: Snapshot) => readonly ContextSnippet[];
  /** Sends one request, once, and gives what comes back. Never throws; aborting closes the request at once. */
  readonly sendRequest: (
    ask: SuggestionRequest,
    signal: AbortSignal,
  ) => AsyncIterable<readonly ChatEvent[]>;
  /** Is told of every request when it is over. */
  readonly report: (exchange: CompletionExchange) => void;
}

export interface CompletionSettings {
  /** Whether typing asks; else only the command does. */
  readonly automatic: boolean;
  /** Whether comments are continued. */
  readonly inComments: boolean;
  /** Whether what follows a suggestion is asked for ahead. */
  readonly prefetch: boolean;
}

export interface CompletionTarget {
  readonly model: Model;
  readonly route: CompletionRoute;
}

/** What became of one request. */
export interface CompletionExchange {
  readonly model: Model;
  /** Milliseconds from the request to the first piece of text; absent when none came. */
  readonly timeToFirstTextMs?: number;
  /** As the service counted, or about as much as was sent and received when the answer was cut off. */
  readonly usage: Usage;
  readonly cost?: Cost;
  /** Whether `usage` is ours, since the service said none. */
  readonly isEstimate: boolean;
  /** Whether `cost` is ours, by the model's prices: it names each unit of them, and the account pays in one. */
  readonly isCostEstimate: boolean;
  /** `cut`: we had enough. `dropped`: the person had moved on. */
  readonly end: 'complete' | 'cut' | 'dropped' | 'failed';
  readonly failure?: ServiceFailure;
}

/** What is offered at a cursor. */
export interface Suggestion {
  /** Names it in `accepted`. */
  readonly id: number;
  /** Never empty; line ends are `\n`. */
  readonly text: string;
  /** How many characters behind the cursor, on its line, the text takes the place of. */
  readonly replaceLength: number;
}

/** Decides what is suggested at a cursor, with as few requests as can be. */
export interface SuggestionProvider {
  /**
   * The suggestions for this place, best first; none with a reason. Answers from what is known without any wait.
   * Never throws. Aborting `signal` ends the wait; a request whose answer may still fit goes on for a moment, since the
   * next call usually comes at once.
   */
  provide(
    snapshot: Snapshot,
    how: { readonly isExplicit: boolean; readonly signal: AbortSignal },
  ): Promise<ProvidedSuggestions>;
  /** The person took the suggestion: whole, or what was left of it. */
  didAccept(id: number): void;
  /** The cursor is at another place or in another document: a request that cannot fit there is closed. */
  didMoveCursor(to: Pick<Snapshot, 'document' | 'position'> | undefined): void;
  /** Forgets all answers: the model, the account or a rule changed. */
  clear(): void;
  dispose(): void;
}

export interface ProvidedSuggestions {
  readonly suggestions: readonly Suggestion[];
  /** Absent when something is suggested. */
  readonly reason?: Reason;
  /** Where they come from: `known` without a request, `awaited` from one that was under way, `asked` from a new one. */
  readonly source: 'cached' | 'pending' | 'requested' | 'none';
}
