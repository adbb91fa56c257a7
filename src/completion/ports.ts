import type { Clock } from '../base/clock.ts';
import type { AnswerReader } from './answer/scope.ts';
import type { Reason } from './reason.ts';
import type { RequestPolicy } from './request-timing.ts';
import type { Snapshot } from './snapshot.ts';
import type { ChatEvent, ChatRequest, Cost, Usage } from '../service/chat/chat-types.ts';
import type { CompletionRequest, InfillRequest } from '../service/chat/completions.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { Model } from '../service/model-types.ts';

/** Request for a completion, in the format of its API route ({@link CompletionRoute}). */
export type SuggestionRequest =
  | { readonly route: 'chat'; readonly request: ChatRequest }
  | { readonly route: 'completions' | 'fim'; readonly request: CompletionRequest }
  | { readonly route: 'infill'; readonly request: InfillRequest };

/**
 * API route of a request for a completion.
 * - `chat`: for chat models.
 * - `completions`: for servers that accept `prompt` and `suffix`.
 * - `fim`: for a prompt with the FIM tokens of the model.
 * - `infill`: for llama.cpp.
 */
export type CompletionRoute = SuggestionRequest['route'];

/**
 * Text from another position or file that helps the model to complete the code. It never comes from a file that may
 * contain secrets.
 */
export interface ContextSnippet {
  /**
   * Kind of snippet.
   * - `definition`: declaration of a symbol near the cursor.
   * - `import`: outline of an imported file.
   * - `edit`: recent edit.
   * - `similar`: text of an open file that resembles the text around the cursor.
   * - `cell`: earlier cell of the same notebook.
   */
  readonly kind: 'definition' | 'import' | 'edit' | 'similar' | 'cell';
  /** Path in the format of {@link Snapshot.path}. */
  readonly path: string;
  /** Text with `\n` line ends. */
  readonly text: string;
}

/** Functions with which the inline suggestion pipeline reads settings and editor state, and sends requests. */
export interface CompletionPorts {
  readonly clock: Clock;
  readonly getSettings: () => CompletionSettings;
  /** Returns the model and the API route to use; undefined if no model is available. */
  readonly getTarget: () => CompletionTarget | undefined;
  /** Returns the policy that determines when requests are sent. */
  readonly getPolicy: () => RequestPolicy;
  /** Returns the currently available context snippets, best first. Must take less than 2 ms. */
  readonly getContext: (snapshot: Snapshot) => readonly ContextSnippet[];
  /**
   * Sends one request without retries and yields its events. Never throws. If the signal aborts, closes the request
   * immediately.
   */
  readonly sendRequest: (
    request: SuggestionRequest,
    signal: AbortSignal,
  ) => AsyncIterable<readonly ChatEvent[]>;
  /**
   * Records that the server refused a route for a model, and returns the next route; undefined if none remains. Absent
   * if only one route exists.
   */
  readonly recordRouteRefusal?: (target: CompletionTarget) => CompletionRoute | undefined;
  /**
   * Checks whether a line of an answer is a placeholder for omitted text, such as `// ... existing code ...`. Called
   * only after `sendRequest` has yielded events, because the code of the check loads with the first request.
   */
  readonly isElision: (line: string, language: string) => boolean;
  /** Called once per request, when the request has ended. */
  readonly reportExchange: (exchange: CompletionExchange) => void;
}

export interface CompletionSettings {
  /** If true, requests are sent while the user types. If false, only a command sends requests. */
  readonly isAutomatic: boolean;
  /** If true, suggestions are available in comments. */
  readonly canSuggestInComments: boolean;
  /** If true, the text after a visible suggestion is requested before the user accepts the suggestion. */
  readonly canPrefetch: boolean;
}

export interface CompletionTarget {
  readonly model: Model;
  readonly route: CompletionRoute;
}

/** Request for text that is not a suggestion, such as an edit. */
export interface TextRequest {
  /**
   * Creates the request for the current model.
   * @param snippets context snippets, best first
   */
  readonly createRequest: (model: Model, snippets: readonly ContextSnippet[]) => SuggestionRequest;
  readonly reader: AnswerReader;
}

/** Outcome of one request. */
export interface CompletionExchange {
  readonly model: Model;
  /** Time from the request to the first text in milliseconds; absent if no text arrived. */
  readonly timeToFirstTextMs?: number;
  /** Usage that the service reported, or an estimate. */
  readonly usage: Usage;
  readonly cost?: Cost;
  /** True if `usage` is an estimate, because the service reported no usage. */
  readonly isEstimate: boolean;
  /**
   * True if `cost` is computed from the model's prices. The cost then contains the same amount in several currencies,
   * but the account pays only one of them.
   */
  readonly isCostEstimate: boolean;
  /**
   * `cut`: the extension closed the stream because the completion was complete. `canceled`: the request was closed
   * because the text or the cursor position changed.
   */
  readonly outcome: 'complete' | 'cut' | 'canceled' | 'failed';
  readonly failure?: ServiceFailure;
}

/** Suggestion to show at the cursor. */
export interface Suggestion {
  /** Id to pass to {@link SuggestionProvider.recordAcceptance}. */
  readonly id: number;
  /** Text with `\n` line ends. Never empty. */
  readonly text: string;
  /** Number of characters to replace directly after the cursor, all on the cursor's line. */
  readonly replaceLength: number;
}

export interface ProvideOptions {
  /** True if the user requested suggestions with a command. */
  readonly isExplicit: boolean;
  readonly signal: AbortSignal;
}

/** Provides suggestions for a cursor position. */
export interface SuggestionProvider {
  /**
   * Returns the suggestions for a snapshot, best first, or the reason why no suggestion is available. Never throws. If
   * `signal` aborts, the call ends. Its request stays open for a moment, because VS Code usually calls again
   * immediately and the answer may still match.
   */
  provide(snapshot: Snapshot, options: ProvideOptions): Promise<ProvidedSuggestions>;
  /** Must be called when the user accepts a suggestion or a part of it. */
  recordAcceptance(id: number): void;
  /**
   * Must be called when the cursor moves. Cancels the requests that cannot match at the new position. Pass `undefined`
   * if no editor is active.
   */
  handleCursorMove(cursor: Pick<Snapshot, 'documentUri' | 'position'> | undefined): void;
  /**
   * Clears the cache and cancels all requests. Must be called after a change of the model, the account or the file
   * rules.
   */
  clear(): void;
  dispose(): void;
}

export interface ProvidedSuggestions {
  readonly suggestions: readonly Suggestion[];
  /** Reason why there are no suggestions; absent if there are suggestions. */
  readonly reason?: Reason;
  /**
   * Source of the suggestions: the cache (`cached`), a request that was already open (`pending`), or a new request
   * (`requested`). `none` if there are no suggestions.
   */
  readonly source: 'cached' | 'pending' | 'requested' | 'none';
}
