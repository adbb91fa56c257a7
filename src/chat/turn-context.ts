import type { AgentTurn, DelegatingCall, TurnAgent } from '../agent/turn-agent.ts';
import type { PermissionLevel } from '../conversation/protocol.ts';
import type { Clock } from '../base/clock.ts';
import { omitUndefined } from '../base/json.ts';
import type { ChatParameters, StoredChatOptions } from '../conversation/chat-options.ts';
import type {
  Answer,
  AnswerResult,
  AnswerStatus,
  Conversation,
  Message,
  UserMessage,
} from '../conversation/conversation.ts';
import type { ToolRun } from '../conversation/tool-run.ts';
import type { ImageGenerator } from '../image/image-generator.ts';
import type {
  ChatEvent,
  ChatRequest,
  Citation,
  Cost,
  ResponseInfo,
  Usage,
} from '../service/chat/chat-types.ts';
import type { AnswerProtection, ProtectionTerms } from '../service/chat/protection.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { RefusedPart } from '../service/http/refusal.ts';
import type { ConversationWriter } from './conversation-writer.ts';

/** Functions through which a turn uses the clock, the agent and the service. */
export interface TurnPorts {
  readonly clock: Clock;
  /**
   * Loads the agent, which provides and runs the tools. If omitted, the model has no tools and its tool calls are
   * ignored.
   */
  readonly loadAgent?: () => Promise<TurnAgent>;
  /** Sends a request and returns the events of the answer in batches. Rejects if nothing could be sent. */
  readonly stream: (
    request: ChatRequest,
    signal: AbortSignal,
  ) => Promise<AsyncIterable<readonly ChatEvent[]>>;
  /** Generates images for `/image` messages. If omitted, the text model answers these messages. */
  readonly images?: ImageGenerator;
  /** Returns the base URL of the service that receives the next request; undefined if the address is invalid. */
  readonly getBaseUrl?: () => string | undefined;
  /** Returns the protection that requests of the conversation must have. If omitted, no protection is required. */
  readonly getProtectionTerms?: (modelId: string) => ProtectionTerms;
  /**
   * Returns the request parameters for the options of the conversation. If the model list is loading, waits for the
   * list. If this function is omitted, the options have no effect.
   * @throws ServiceError `stopped` if `signal` aborts first
   */
  readonly getParameters?: (
    options: StoredChatOptions,
    modelId: string,
    signal: AbortSignal,
  ) => Promise<ChatParameters>;
  /**
   * Urgent messages of the user that arrive during the turn. The turn continues with the first of these messages after
   * the current tool call.
   */
  readonly interruptions?: {
    readonly hasMessage: () => boolean;
    /** Removes the first urgent message from the queue and returns it. */
    readonly takeMessage: () => Pick<UserMessage, 'text' | 'attachments'> | undefined;
  };
  /**
   * Creates the functions that send the requests of a delegated task. All these requests go to the service that is
   * active when this function is called. If omitted, the task uses the functions of these `TurnPorts`.
   */
  readonly createTaskPorts?: () => Pick<
    TurnPorts,
    'stream' | 'getBaseUrl' | 'reportRequestOutcome'
  >;
  /**
   * Returns a model with which the turn can continue after a failure of the model of `answer`; undefined if there is
   * none.
   * @param failedIds Ids of the models that failed in this turn.
   */
  readonly findFallback?: (
    answer: Answer,
    failure: ServiceFailure,
    failedIds: ReadonlySet<string>,
  ) => FallbackModel | undefined;
  readonly estimateCost: (modelId: string, usage: Usage, searchCount: number) => Cost | undefined;
  /** Receives the outcome of each request, to update the state of the account. */
  readonly reportRequestOutcome: (outcome: ServiceFailure | ResponseInfo) => void;
  /** Receives the details of errors that the user sees only as a failed answer. */
  readonly logError: (description: string, error: unknown) => void;
}

export interface FallbackModel {
  readonly model: Answer['model'];
  /**
   * True if the turn continues with the fallback model without asking the user. Otherwise, the page offers the fallback
   * model to the user below the failed answer.
   */
  readonly isAutomatic: boolean;
  /** Base URL of the service that provides the fallback model. */
  readonly baseUrl: string;
}

/** Functions that send the request for one answer, and reduce the request if it was too large. */
export interface AnswerRequest {
  /** Builds the request, sends it, and returns the events of the answer in batches. */
  readonly send: () => Promise<AsyncIterable<readonly ChatEvent[]>>;
  /**
   * Makes the next request smaller. Returns false if the request failed for a reason other than its size, or if it
   * cannot be made smaller.
   */
  readonly lowerSizeLimits: (failure: ServiceFailure) => Promise<boolean>;
  /**
   * Aborts when the turn is stopped. If the reason of the abort is a `ServiceError`, its failure becomes the failure
   * of the answer.
   */
  readonly signal: AbortSignal;
  readonly logError: TurnPorts['logError'];
}

/** Events of one answer. The last event is `turn-end`. */
export type TurnEvent =
  | { readonly type: 'text-delta'; readonly text: string; readonly reasoning: string }
  | { readonly type: 'reasoning-end'; readonly reasoningMs: number }
  /** Start of a tool call in the stream. `index` is the position of the call in the answer, starting at 0. */
  | { readonly type: 'tool-call-start'; readonly index: number; readonly name: string }
  | { readonly type: 'retry-wait'; readonly failure: ServiceFailure; readonly until: number }
  | { readonly type: 'retry-start' }
  /** Time at which the request for images was sent, in milliseconds since the epoch. */
  | { readonly type: 'image-request'; readonly at: number }
  /**
   * Reports that the model rejected parts of the request and that the request was repeated without these parts. Lists
   * all parts rejected so far.
   */
  | { readonly type: 'part-refused'; readonly parts: readonly RefusedPart[] }
  /** Sources of the answer, sent before or after the text. Each list replaces the previous list. */
  | { readonly type: 'citations'; readonly citations: readonly Citation[] }
  | {
      readonly type: 'reply-info';
      readonly info: ResponseInfo;
      /**
       * Protection of the answer, such as encryption. Known before the first text, so that it is recorded even if the
       * window closes during the answer.
       */
      readonly protection?: AnswerProtection;
    }
  | {
      readonly type: 'turn-end';
      readonly status: Exclude<AnswerStatus, 'streaming'>;
      readonly result: AnswerResult;
    };

/** Changes of the conversation that a turn reports. */
export type TurnChange =
  | { readonly type: 'tool-run'; readonly answerId: string; readonly run: ToolRun }
  /** All tool calls of the answer have ended. The turn then ends or continues with another answer. */
  | { readonly type: 'work-end'; readonly answer: Answer }
  | { readonly type: 'todos-change' }
  /** A summary was added. In requests, it replaces all messages before `message`. */
  | { readonly type: 'summary-change'; readonly message: Message }
  | { readonly type: 'turn-event'; readonly answerId: string; readonly event: TurnEvent };

/** Conversation of a turn, and functions that change the conversation. */
export interface TurnContext {
  readonly conversation: Conversation;
  readonly writer: ConversationWriter;
  readonly ports: TurnPorts;
  readonly emitChange: (change: TurnChange) => void;
  /** Adds a message of the user after the answer `parentId`. Returns the id of the message. */
  readonly addUserMessage: (
    parentId: string,
    message: Pick<UserMessage, 'text' | 'attachments'>,
  ) => string;
  /** Adds an empty answer of the model after the message `parentId`. */
  readonly addAnswer: (
    parentId: string,
    model: Answer['model'],
    replacedModel?: Answer['model'],
  ) => Answer;
  /** Set for a turn that runs inside a tool call of another turn, that is, for a delegated task. */
  readonly delegation?: {
    readonly call: DelegatingCall;
    /** Returns the permission level of the turn that contains the tool call. */
    readonly getPermissionLevel: () => PermissionLevel | undefined;
  };
}

/**
 * Returns the object through which the agent uses the turn that starts with `answer`.
 * @param getModelId Returns the model of the next request, which can change after a failure.
 */
export function createAgentTurn(
  { conversation, writer, ports, emitChange, delegation }: TurnContext,
  answer: Answer,
  signal: AbortSignal,
  getModelId = (): string => answer.model.id,
): AgentTurn {
  return {
    conversation,
    turnId: conversation.findTurnStartId(answer.id) ?? answer.id,
    get modelId() {
      return getModelId();
    },
    signal,
    ...omitUndefined({
      delegatingCall: delegation?.call,
      getPermissionLevel: delegation?.getPermissionLevel,
    }),
    ...omitUndefined({
      getProtectionTerms: ports.getProtectionTerms,
      getBaseUrl: ports.getBaseUrl,
      isInterrupted: ports.interruptions?.hasMessage,
    }),
    getParameters: async () =>
      (await ports.getParameters?.(conversation.options, getModelId(), signal)) ?? {},
    putRun: (answerId, run) => {
      void writer.record({ type: 'tool-run', id: answerId, run });
      emitChange({ type: 'tool-run', answerId, run });
    },
    showRun: (answerId, run) => {
      conversation.applyRecord({ type: 'tool-run', id: answerId, run });
      emitChange({ type: 'tool-run', answerId, run });
    },
    setInstructions: (id, files) => void writer.record({ type: 'instructions-set', id, files }),
    setTodos: (list) => {
      void writer.record({ type: 'todos-set', list });
      emitChange({ type: 'todos-change' });
    },
    setSummary: (id, text) => {
      void writer.record({ type: 'summary-set', id, text });
      const message = conversation.findMessage(id);
      if (message !== undefined) emitChange({ type: 'summary-change', message });
    },
  };
}
