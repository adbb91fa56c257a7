import type { ChatRequest } from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { ProtectionTerms } from '../service/chat/protection.ts';
import type { ChatParameters } from '../conversation/chat-options.ts';
import type {
  Answer,
  Conversation,
  InstructionFile,
  TodoList,
} from '../conversation/conversation.ts';
import type { DelegatedTurn, ToolRun } from '../conversation/tool-run.ts';
import type { PermissionLevel } from '../conversation/protocol.ts';

/** A turn: all messages from a user message to the model's final answer to it. */
export interface AgentTurn {
  readonly conversation: Conversation;
  /** Id of the user message that started the turn. */
  readonly turnId: string;
  readonly modelId: string;
  /** Fires when the user stops the turn or the window closes. */
  readonly signal: AbortSignal;
  /** Returns the request parameters that the conversation's options select. */
  readonly getParameters?: () => Promise<ChatParameters>;
  /** Returns the base URL of the service that receives the next request; undefined if unknown. */
  readonly getBaseUrl?: () => string | undefined;
  /** Returns true if the user has sent a message that waits until the current tool call ends. */
  readonly isInterrupted?: () => boolean;
  /**
   * Returns the weakest protection with which requests to the model `modelId` may be sent (verified enclave or
   * end-to-end encryption), and whether the user agreed to send them unprotected.
   */
  readonly getProtectionTerms?: (modelId: string) => ProtectionTerms;
  /** Tool call inside which this turn runs. Its row shows the approval requests and questions of this turn. */
  readonly delegatingCall?: DelegatingCall;
  /** Returns the current permission level. If absent or undefined, the level of the conversation applies. */
  readonly getPermissionLevel?: () => PermissionLevel | undefined;
  /** Stores and reports the state of a tool call in the answer `answerId`. */
  putRun(answerId: string, run: ToolRun): void;
  /** Reports the state of a tool call without writing it to disk. */
  showRun?(answerId: string, run: ToolRun): void;
  /** Runs a turn of another agent inside a tool call. Absent for a turn that itself runs inside a tool call. */
  runDelegatedTurn?(task: DelegatedTask): Promise<DelegatedResult>;
  /**
   * Stores instruction files. If `id` is null, `files` contains all files at the start of the conversation; otherwise,
   * it contains the files that are new or changed at message `id`.
   */
  setInstructions(id: string | null, files: readonly InstructionFile[]): void;
  /** Stores the todo list of the conversation. */
  setTodos?(list: TodoList): void;
  /** Stores `text` as the summary of all messages before message `id`. */
  setSummary(id: string, text: string): void;
}

/** Tool call that gives a task to another agent. */
export interface DelegatingCall {
  readonly answerId: string;
  readonly callId: string;
}

export interface DelegatedTask {
  readonly model: Answer['model'];
  /** Text of the message that starts the delegated turn. */
  readonly text: string;
  readonly agent: TurnAgent;
  readonly call: DelegatingCall;
  readonly signal: AbortSignal;
  /** Called after each change of the delegated turn. */
  readonly onProgress: (progress: DelegatedTurn) => void;
}

export interface DelegatedResult {
  /** Last text that the model wrote; empty if it wrote none. */
  readonly text: string;
  readonly failure?: ServiceFailure;
}

/** Turns a chat into an agent: adds tools to requests, runs tool calls, and limits requests to the model's context. */
export interface TurnAgent {
  /**
   * Builds the request that continues after message `endId`. Requests a summary first if older messages do not fit the
   * context.
   * @throws ServiceError if the turn was stopped, or the model cannot accept the images
   */
  buildRequest(turn: AgentTurn, endId: string): Promise<ChatRequest>;
  /**
   * Runs the calls of a complete answer, and reports each call with `putRun`. An error of a tool becomes the output of
   * its call.
   * @returns true if the next request should be sent to the model
   * @throws if the extension fails, which ends the turn
   */
  runCalls(turn: AgentTurn, answer: Answer): Promise<boolean>;
  /** Withdraws the approval requests and questions that wait for the user. Their calls do not run. */
  withdrawRequests(): void;
  /**
   * Lowers the size limits after the service rejected the request that continues after message `endId`. Resolves to
   * true if the size of the request or an image caused the rejection, and a smaller request is possible.
   */
  lowerSizeLimits(turn: AgentTurn, endId: string, failure: ServiceFailure): Promise<boolean>;
  /**
   * Replaces all messages before the last exchange with a summary. The last exchange ends at message `endId`. Resolves
   * to false if there is nothing to summarize.
   * @throws ServiceError if the model returned no summary, or the turn was stopped
   */
  compactConversation(turn: AgentTurn, endId: string): Promise<boolean>;
  /** Records the token counts that the service reported for an ended answer. */
  recordUsage(turn: AgentTurn, answer: Pick<Answer, 'result'>): void;
  /** Checks whether the turn may send another request without a confirmation by the user. */
  canSendRequest(turn: AgentTurn): boolean;
}
