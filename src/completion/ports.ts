import type { Clock } from '../base/clock.ts';
import type { ChatEvent, Cost, Usage } from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { Model } from '../service/model-types.ts';
import type { CompletionAsk, CompletionRoute } from './completion-ask.ts';
import type { ContextPart } from './context-part.ts';
import type { Snapshot } from './snapshot.ts';

/** What the engine needs of the world. */
export interface CompletionPorts {
  readonly clock: Clock;
  readonly settings: () => CompletionSettings;
  /** The model that is asked now, and how; undefined when there is none. */
  readonly target: () => CompletionTarget | undefined;
  /** Pieces of other places, as far as they are known without waiting, best first. Takes less than 2 ms. */
  readonly context: (snapshot: Snapshot) => readonly ContextPart[];
  /** Sends one request, once, and gives what comes back. Never throws; aborting closes the request at once. */
  readonly ask: (ask: CompletionAsk, signal: AbortSignal) => AsyncIterable<readonly ChatEvent[]>;
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
  readonly firstTextMs?: number;
  /** As the service counted, or about as much as was sent and received when the answer was cut off. */
  readonly usage: Usage;
  readonly cost?: Cost;
  /** Whether `usage` is ours, since the service said none. */
  readonly isEstimate: boolean;
  /** Whether `cost` is ours, by the model's prices: it names each unit of them, and the account pays in one. */
  readonly isOwnCost: boolean;
  /** `cut`: we had enough. `dropped`: the person had moved on. */
  readonly end: 'complete' | 'cut' | 'dropped' | 'failed';
  readonly failure?: ServiceFailure;
}
