import type { ChatRequest } from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { ProtectionTerms } from '../service/chat/protection.ts';
import type { ChatParameters } from '../conversation/chat-options.ts';
import type { Answer, Conversation } from '../conversation/conversation.ts';
import type { ToolRun } from '../conversation/tool-run.ts';

/** A turn: everything from a user message to the model's final answer to it. */
export interface AgentTurn {
  readonly conversation: Conversation;
  /** Id of the user message that started the turn. */
  readonly turnId: string;
  readonly modelId: string;
  /** Fires when the user stops the turn, or the window closes. */
  readonly signal: AbortSignal;
  /** Request parameters from the conversation's options. */
  readonly parameters?: () => Promise<ChatParameters>;
  /** Conditions under which the conversation may be sent to the model now. */
  readonly terms?: (modelId: string) => ProtectionTerms;
  /** Stores and reports the state of a call of the answer `answerId`. */
  putRun(answerId: string, run: ToolRun): void;
  /** Stores `text` as the summary of everything before message `id`. */
  setSummary(id: string, text: string): void;
}

/**
 * Turns a chat into an agent: adds tools to requests, runs tool calls, and keeps requests within
 * the model's context.
 */
export interface TurnAgent {
  /**
   * Builds the request that continues after message `endId`. Writes a summary first when older
   * messages no longer fit.
   * @throws ServiceError when the summary failed, or the turn was stopped meanwhile
   */
  request(turn: AgentTurn, endId: string): Promise<ChatRequest>;
  /**
   * Runs the calls of a complete answer and reports each through `putRun`.
   * @returns true when the model should be requested again
   * @throws errors of the extension itself, never of a tool; they end the turn
   */
  runCalls(turn: AgentTurn, answer: Answer): Promise<boolean>;
  /**
   * Makes a smaller request possible after the service rejected the one after `endId`. Resolves to
   * true when the rejection was about its size or an image, and a smaller request can be built.
   */
  makeRoom(turn: AgentTurn, endId: string, failure: ServiceFailure): Promise<boolean>;
  /**
   * Replaces everything before the last exchange that ends at `endId` by a summary. Resolves to
   * false when there is nothing to summarize.
   * @throws ServiceError when no summary could be written, or the turn was stopped meanwhile
   */
  compact(turn: AgentTurn, endId: string): Promise<boolean>;
  /** Records the usage of a completed answer: tokens as counted by the service. */
  recordUsage(turn: AgentTurn, answer: Answer): void;
}
