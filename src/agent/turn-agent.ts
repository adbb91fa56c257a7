import type { ChatRequest } from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { ChatTerms } from '../service/chat/protection.ts';
import type { ChatParameters } from '../conversation/chat-options.ts';
import type { Answer, Conversation } from '../conversation/conversation.ts';
import type { ToolRun } from '../conversation/tool-run.ts';

/** A turn: everything from a message of the person to the model's last word on it. */
export interface AgentTurn {
  readonly conversation: Conversation;
  /** The person's message that began it. */
  readonly turnId: string;
  readonly modelId: string;
  /** Fires when the person stops the turn, or the window closes. */
  readonly signal: AbortSignal;
  /** What the conversation's options come to in each request. */
  readonly parameters?: () => Promise<ChatParameters>;
  /** What the conversation may be sent to the model with, as it is now. */
  readonly terms?: (modelId: string) => ChatTerms;
  /** Tells, and keeps, what became of a call of the answer `answerId`. */
  putRun(answerId: string, run: ToolRun): void;
  /** From now on `text` stands for everything before the message `id`. */
  setSummary(id: string, text: string): void;
}

/** What makes an agent of a chat: it gives the model tools, runs what it calls, and keeps the context within its bounds. */
export interface TurnAgent {
  /**
   * The request that goes on after the message `endId`. May take as long as a summary of what no longer fits takes.
   * @throws ServiceError when that failed, or the turn was stopped meanwhile
   */
  request(turn: AgentTurn, endId: string): Promise<ChatRequest>;
  /**
   * Runs the calls of a complete answer and tells each through `putRun`.
   * @returns whether the model is asked again
   * @throws what ends the turn: a fault of ours, never of a tool
   */
  runCalls(turn: AgentTurn, answer: Answer): Promise<boolean>;
  /**
   * The service refused the request after `endId`. Resolves to whether it was for its size, or for a picture in it,
   * and a smaller one can be made.
   */
  makeRoom(turn: AgentTurn, endId: string, failure: ServiceFailure): Promise<boolean>;
  /**
   * Puts a summary in place of everything before the last exchange that ends at `endId`. Resolves to whether there was
   * anything to summarise.
   * @throws ServiceError when no summary could be written, or it was stopped meanwhile
   */
  compact(turn: AgentTurn, endId: string): Promise<boolean>;
  /** An answer ended: its usage says how long the request really was. */
  recordUsage(turn: AgentTurn, answer: Answer): void;
}
