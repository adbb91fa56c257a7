import type { Conversation, Message } from '../chat/conversation.ts';
import { buildRequest } from '../chat/prompt.ts';
import type { ChatRequest, Usage } from '../service/chat-types.ts';
import { ServiceError } from '../service/failure.ts';
import { compactionCut, maxSummary, summaryRequest, summaryWithoutModel } from './compaction.ts';
import { estimateRequest, squeeze, trimOutputs } from './context-budget.ts';
import { ContextLimit, type ModelLimits } from './context-limit.ts';
import type { Tool } from './tool.ts';
import { toolDefinition } from './tool-set.ts';

export interface RequestParts {
  readonly conversation: Conversation;
  /** The message after which the request goes on. */
  readonly endId: string;
  readonly modelId: string;
  readonly limits: ModelLimits;
  readonly instructions: readonly string[];
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  /** Keeps the summary that stands for everything before the message `id`. */
  readonly setSummary: (id: string, text: string) => void;
}

export interface RequestBuilderPorts {
  /**
   * Has a summary written.
   * @throws ServiceError
   */
  readonly complete: (request: ChatRequest, signal: AbortSignal) => Promise<string>;
}

/** At most this share of the room is for messages that a summary does not replace. */
const recentShare = 0.6;
/** A request that was refused is made at least this much shorter. */
const shorterBy = 0.9;

/** Makes requests that fit the model's context: old outputs go first, then what came before becomes a summary. */
export class RequestBuilder {
  readonly #ports: RequestBuilderPorts;
  readonly #limits = new Map<string, ContextLimit>();
  /** Estimated tokens of the last request of a conversation. */
  readonly #sent = new Map<string, number>();

  constructor(ports: RequestBuilderPorts) {
    this.#ports = ports;
  }

  /** @throws ServiceError when it was stopped while a summary was being written */
  async build(parts: RequestParts): Promise<ChatRequest> {
    const request = await this.#fitting(parts);
    this.#sent.set(parts.conversation.id, estimateRequest(request));
    return request;
  }

  /** The service counted the last request of the conversation. */
  learn(conversationId: string, modelId: string, usage: Usage): void {
    const estimated = this.#sent.get(conversationId);
    if (estimated !== undefined) this.#limitOf(modelId).learn(estimated, usage);
  }

  /** The service refused the last request as too long. Resolves to whether the next one will be shorter. */
  async makeRoom(parts: RequestParts): Promise<boolean> {
    const refused = this.#sent.get(parts.conversation.id);
    if (refused === undefined) return false;
    this.#limitOf(parts.modelId).refuse(refused);
    const next = await this.#fitting(parts);
    return estimateRequest(next) <= refused * shorterBy;
  }

  async #fitting(parts: RequestParts): Promise<ChatRequest> {
    const most = this.#limitOf(parts.modelId).most(parts.limits);
    const whole = requestOf(parts);
    if (estimateRequest(whole) <= most) return whole;
    const trimmed = trimOutputs(whole, most);
    if (estimateRequest(trimmed) <= most) return trimmed;
    await this.#compact(parts, most);
    return squeeze(trimOutputs(requestOf(parts), most), most);
  }

  /** Puts a summary in the place of older messages, where there are any. */
  async #compact(parts: RequestParts, most: number): Promise<void> {
    const { path, summary } = activePath(parts);
    const cut = compactionCut(path, (from) => {
      const recent = requestOf({ ...parts, instructions: [], tools: [] }, path.slice(from));
      return estimateRequest(recent) <= most * recentShare;
    });
    const first = path[cut];
    if (cut === 0 || first === undefined) return;
    const before = path.slice(0, cut);
    const written = await this.#summarise(parts, before, summary, most);
    parts.setSummary(first.id, `${requestBefore(path, cut)}${written}`.slice(0, maxSummary));
  }

  async #summarise(
    { modelId, signal }: RequestParts,
    path: readonly Message[],
    earlier: string | undefined,
    most: number,
  ): Promise<string> {
    try {
      const request = squeeze(summaryRequest(modelId, path, earlier), most);
      const text = (await this.#ports.complete(request, signal)).trim();
      if (text !== '') return text;
    } catch (error) {
      if (signal.aborted || !(error instanceof ServiceError)) throw error;
      // A chat must go on even where no summary can be had.
    }
    return summaryWithoutModel(path, earlier);
  }

  #limitOf(modelId: string): ContextLimit {
    const known = this.#limits.get(modelId) ?? new ContextLimit();
    this.#limits.set(modelId, known);
    return known;
  }
}

/** What the request goes on from: the messages since the last summary, and the summary. */
function activePath({ conversation, endId }: RequestParts): {
  path: readonly Message[];
  summary: string | undefined;
} {
  const path = conversation.path(endId);
  const from = path.findLastIndex(({ id }) => conversation.summaryBefore(id) !== undefined);
  const first = path[from];
  return first === undefined
    ? { path, summary: undefined }
    : { path: path.slice(from), summary: conversation.summaryBefore(first.id) };
}

function requestOf(parts: RequestParts, path?: readonly Message[]): ChatRequest {
  const active = activePath(parts);
  return buildRequest({
    model: parts.modelId,
    path: path ?? active.path,
    summary: active.summary,
    instructions: parts.instructions,
    tools: parts.tools.map(toolDefinition),
  });
}

const longestRequest = 4_000;

/** The person's own words when the turn itself is cut: a summary must not paraphrase what they asked for. */
function requestBefore(path: readonly Message[], cut: number): string {
  if (path[cut]?.role === 'user') return '';
  const asked = path.slice(0, cut).findLast(({ role }) => role === 'user');
  return asked === undefined
    ? ''
    : `The person asked:\n${asked.text.slice(0, longestRequest)}\n\nWhat was done since:\n`;
}
