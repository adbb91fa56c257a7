import * as l10n from '@vscode/l10n';
import type { ChatParameters } from '../conversation/chat-options.ts';
import type { Conversation, InstructionFile, Message } from '../conversation/conversation.ts';
import { loadMedia, type MediaPorts, countNewestImageCharacters } from '../conversation/media.ts';
import { buildRequest } from '../conversation/prompt.ts';
import { expandMessage } from '../conversation/slash-commands.ts';
import type { CompletionOptions } from '../service/chat/chat.ts';
import type { ChatRequest, Cost, Usage } from '../service/chat/chat-types.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';
import type { ProtectionTerms } from '../service/chat/protection.ts';
import { selectLaterInstructions } from './chat-instructions.ts';
import { fitFixedParts, ContextLimit, type ModelLimits } from './context-limit.ts';
import { type ContextView, describeContext } from './context-view.ts';
import {
  findCompactionIndex,
  maxSummaryLength,
  createSummaryRequest,
  summarizeWithoutModel,
} from './compaction.ts';
import {
  estimateRequestTokens,
  limitImages,
  sumImageSizes,
  truncateToFit,
  trimOldOutputs,
} from './context-budget.ts';
import { type Tool, createToolDefinition } from './tool.ts';
import { describeUserEdit, formatTodoSummary } from './tools/todo-tool.ts';

export interface RequestParts {
  readonly conversation: Conversation;
  /** Id of the message after which the model continues. */
  readonly endId: string;
  readonly modelId: string;
  readonly limits: ModelLimits;
  readonly instructions: readonly string[];
  readonly tools: readonly Tool[];
  readonly parameters?: ChatParameters;
  readonly supportsVision?: boolean;
  readonly signal: AbortSignal;
  /** Returns the base URL of the service that receives the request; undefined if unknown. */
  readonly getBaseUrl?: () => string | undefined;
  /**
   * Returns the weakest protection with which a summary request may be sent (verified enclave or end-to-end
   * encryption), and whether the user agreed to send it unprotected. A summary request contains the text of the
   * conversation.
   */
  readonly getProtectionTerms?: () => ProtectionTerms;
  /** Called with the completion of each summary request, so that the caller can count its usage. */
  readonly onCompletion: (completion: ModelCompletion) => void;
  /** Stores `text` as the summary of all messages before message `id`. */
  readonly setSummary: (id: string, text: string) => void;
}

/** Parts of a request that is only inspected and never sent. */
type InspectedParts = Omit<
  RequestParts,
  'signal' | 'onCompletion' | 'setSummary' | 'getProtectionTerms'
>;

type SharedParts = Pick<RequestParts, 'modelId' | 'limits' | 'instructions' | 'tools'>;

export interface ModelCompletion {
  readonly text: string;
  readonly usage?: Usage;
  readonly cost?: Cost;
}

export interface RequestBuilderPorts {
  /**
   * Requests a summary from the model.
   * @throws ServiceError if the request fails or the turn is stopped
   */
  readonly requestCompletion: (
    request: ChatRequest,
    options: CompletionOptions,
  ) => Promise<ModelCompletion>;
  /**
   * Reads an image or a document of a message as Base64. Without this function, requests contain only the file names.
   */
  readonly readMedia?: MediaPorts['read'];
}

/** Maximum fraction of the context size that the messages after the summary may fill. */
const maxRecentRatio = 0.6;
/** Maximum ratio of the size of a retried request to the size of the rejected request. */
const retrySizeRatio = 0.9;
/** Maximum total length in characters of the image URLs in a request, because services reject larger requests. */
const maxImageCharacters = 34_000_000;
/** Codes of service failures that can be caused by an image in the request. */
const imageFailureCodes: ReadonlySet<string> = new Set([
  'payload-too-large',
  'unsupported-media-type',
  'invalid-request',
]);

/**
 * Builds requests that fit the model's context. Omits old tool outputs first. If that is not enough, replaces the
 * messages before the most recent ones with a summary.
 */
export class RequestBuilder {
  readonly #ports: RequestBuilderPorts;
  readonly #limits = new Map<string, ContextLimit>();
  readonly #sentRequests = new WeakMap<Conversation, SentRequest>();
  /**
   * Maximum total length of the images in a request, in characters, for each conversation in which the service rejected
   * images.
   */
  readonly #imageLimits = new WeakMap<Conversation, number>();

  constructor(ports: RequestBuilderPorts) {
    this.#ports = ports;
  }

  /**
   * Builds a request that fits the model's context.
   * @throws ServiceError if the turn is stopped while a summary is requested
   */
  async buildRequest(parts: RequestParts): Promise<ChatRequest> {
    const request = await this.#fitRequest(parts);
    this.#sentRequests.set(parts.conversation, {
      tokens: estimateRequestTokens(request),
      imageCharacters: sumImageSizes(request),
    });
    return request;
  }

  /**
   * Returns the estimated tokens of each part and of the largest items of the next request. Requests no summary and
   * stores nothing.
   * @param instructionFiles Instruction files. Their texts must be the last items of the instructions in `parts`, in
   *   the same order.
   */
  async describeContext(
    parts: InspectedParts,
    instructionFiles: readonly InstructionFile[],
  ): Promise<ContextView> {
    const maxTokens = this.#getContextLimit(parts.modelId).getMaxTokens(parts.limits);
    const media = await this.#loadMedia(parts);
    const fixedParts = fitFixedParts(parts, maxTokens);
    const request = trimOldOutputs(
      this.#buildRequest({ ...parts, ...fixedParts, media }),
      maxTokens,
    );
    const { path } = findActiveMessages(parts);
    const firstFileIndex = fixedParts.instructions.length - instructionFiles.length;
    return describeContext(request, {
      path,
      media,
      tokensPerEstimatedToken: this.#getContextLimit(parts.modelId).tokensPerEstimatedToken,
      instructions: instructionFiles.map(({ label }, index) => ({
        label,
        text: fixedParts.instructions[firstFileIndex + index] ?? '',
      })),
      laterInstructions: selectLaterInstructions(parts.conversation, path).values(),
    });
  }

  /** Estimates the tokens of the instructions and tools that every request contains. */
  estimateBaseTokens({ modelId, limits, ...parts }: SharedParts): number {
    const { instructions, tools } = fitFixedParts(
      parts,
      this.#getContextLimit(modelId).getMaxTokens(limits),
    );
    const definitions = tools.map(createToolDefinition);
    return estimateRequestTokens(
      buildRequest({ model: modelId, path: [], instructions, tools: definitions }),
    );
  }

  /** Records how many tokens the service counted for the conversation's last request. */
  recordUsage(conversation: Conversation, modelId: string, usage: Usage): void {
    const sentRequest = this.#sentRequests.get(conversation);
    if (sentRequest !== undefined)
      this.#getContextLimit(modelId).recordUsage(sentRequest.tokens, usage);
  }

  /**
   * Lowers the limits for later requests after the service rejected the last request. Resolves to false if no smaller
   * request is possible.
   */
  async lowerSizeLimits(parts: RequestParts, { code }: ServiceFailure): Promise<boolean> {
    const rejectedRequest = this.#sentRequests.get(parts.conversation);
    if (rejectedRequest === undefined) return false;
    // Keeps the images of the newest message, because they must not disappear without notice.
    const newestImageCharacters = countNewestImageCharacters(findActiveMessages(parts).path);
    const olderImageCharacters = rejectedRequest.imageCharacters - newestImageCharacters;
    if (olderImageCharacters > 0 && imageFailureCodes.has(code)) {
      this.#imageLimits.set(
        parts.conversation,
        newestImageCharacters + Math.floor(olderImageCharacters / 2),
      );
      return true;
    }
    if (code !== 'context-overflow' && code !== 'payload-too-large') return false;
    this.#getContextLimit(parts.modelId).recordRejection(rejectedRequest.tokens);
    const nextRequest = await this.#fitRequest(parts);
    return estimateRequestTokens(nextRequest) <= rejectedRequest.tokens * retrySizeRatio;
  }

  /**
   * Replaces all messages before the last exchange with a summary, even if they fit into the context.
   * @returns false if there is nothing to summarize
   * @throws ServiceError if the model returned no summary, or the turn was stopped
   */
  async compact(parts: RequestParts): Promise<boolean> {
    const { path, summary } = findActiveMessages(parts);
    const cutIndex = findCompactionIndex(path, () => true);
    const firstMessage = path[cutIndex];
    if (cutIndex === 0 || firstMessage === undefined) return false;
    const maxTokens = this.#getContextLimit(parts.modelId).getMaxTokens(parts.limits);
    const text = await this.#requestSummary(parts, path.slice(0, cutIndex), summary, maxTokens);
    if (text === '') throw new ServiceError(createEmptySummaryFailure());
    parts.setSummary(
      firstMessage.id,
      appendTodoList(parts, `${quoteRequest(path, cutIndex)}${text}`),
    );
    return true;
  }

  async #fitRequest(request: RequestParts): Promise<ChatRequest> {
    const maxTokens = this.#getContextLimit(request.modelId).getMaxTokens(request.limits);
    const media = await this.#loadMedia(request);
    const parts = { ...request, ...fitFixedParts(request, maxTokens), media };
    const completeRequest = this.#buildRequest(parts);
    if (estimateRequestTokens(completeRequest) <= maxTokens) return completeRequest;
    const trimmedRequest = trimOldOutputs(completeRequest, maxTokens);
    if (estimateRequestTokens(trimmedRequest) <= maxTokens) return trimmedRequest;
    await this.#summarizeOlderMessages(parts, maxTokens);
    return truncateToFit(trimOldOutputs(this.#buildRequest(parts), maxTokens), maxTokens);
  }

  async #loadMedia(parts: InspectedParts): Promise<ReadonlyMap<string, string>> {
    const { readMedia } = this.#ports;
    if (readMedia === undefined) return new Map();
    return loadMedia(findActiveMessages(parts).path, {
      read: readMedia,
      supportsVision: parts.supportsVision ?? true,
    });
  }

  #buildRequest(parts: InspectedParts & LoadedMedia): ChatRequest {
    const maxCharacters = this.#imageLimits.get(parts.conversation) ?? maxImageCharacters;
    return limitImages(toRequest(parts), maxCharacters);
  }

  /**
   * Replaces all messages before the last turn with a summary. If the last turn alone is too long, the summary
   * also replaces the messages of this turn before the last answer that contains tool calls. Does nothing if there are
   * no messages to replace.
   */
  async #summarizeOlderMessages(parts: LoadedParts, maxTokens: number): Promise<void> {
    const { path, summary } = findActiveMessages(parts);
    const cutIndex = findCompactionIndex(path, (startIndex) => {
      const recentRequest = toRequest(
        { ...parts, instructions: [], tools: [] },
        path.slice(startIndex),
      );
      return estimateRequestTokens(recentRequest) <= maxTokens * maxRecentRatio;
    });
    const firstMessage = path[cutIndex];
    if (cutIndex === 0 || firstMessage === undefined) return;
    const earlierMessages = path.slice(0, cutIndex);
    const newSummary = await this.#writeSummary(parts, earlierMessages, summary, maxTokens);
    const text = `${quoteRequest(path, cutIndex)}${newSummary}`;
    parts.setSummary(firstMessage.id, appendTodoList(parts, text));
  }

  async #writeSummary(
    parts: RequestParts,
    path: readonly Message[],
    earlierSummary: string | undefined,
    maxTokens: number,
  ): Promise<string> {
    try {
      const text = await this.#requestSummary(parts, path, earlierSummary, maxTokens);
      if (text !== '') return text;
    } catch (error) {
      if (parts.signal.aborted || !(error instanceof ServiceError)) throw error;
      // Continues without the model if the summary request fails.
    }
    return summarizeWithoutModel(path, earlierSummary);
  }

  async #requestSummary(
    { modelId, signal, onCompletion, getProtectionTerms }: RequestParts,
    path: readonly Message[],
    earlierSummary: string | undefined,
    maxTokens: number,
  ): Promise<string> {
    const request = truncateToFit(createSummaryRequest(modelId, path, earlierSummary), maxTokens);
    const completion = await this.#ports.requestCompletion(request, {
      signal,
      ...getProtectionTerms?.(),
    });
    onCompletion(completion);
    return completion.text.trim();
  }

  #getContextLimit(modelId: string): ContextLimit {
    const limit = this.#limits.get(modelId) ?? new ContextLimit();
    this.#limits.set(modelId, limit);
    return limit;
  }
}

const createEmptySummaryFailure = (): ServiceFailure => ({
  code: 'internal-error',
  message: l10n.t('The model gave no usable answer. Retry, or choose another model.'),
});

interface LoadedMedia {
  readonly media: ReadonlyMap<string, string>;
}

interface LoadedParts extends RequestParts, LoadedMedia {}

interface SentRequest {
  /** Estimated number of tokens in the request. */
  readonly tokens: number;
  /** Total length of all images in the request, in characters. */
  readonly imageCharacters: number;
}

/**
 * Returns the last summary and the messages that it does not replace. Without a summary, returns undefined and all
 * messages.
 */
function findActiveMessages({
  conversation,
  endId,
}: Pick<RequestParts, 'conversation' | 'endId'>): {
  path: readonly Message[];
  summary: string | undefined;
} {
  const path = conversation.listPath(endId);
  const startIndex = path.findLastIndex(
    ({ id }) => conversation.findSummaryBefore(id) !== undefined,
  );
  const firstMessage = path[startIndex];
  return firstMessage === undefined
    ? { path, summary: undefined }
    : { path: path.slice(startIndex), summary: conversation.findSummaryBefore(firstMessage.id) };
}

function toRequest(parts: InspectedParts & LoadedMedia, path?: readonly Message[]): ChatRequest {
  const activeMessages = findActiveMessages(parts);
  const { todoList } = parts.conversation;
  const messages = path ?? activeMessages.path;
  return buildRequest({
    model: parts.modelId,
    baseUrl: parts.getBaseUrl?.(),
    path: messages.map(expandMessage),
    insertions: selectLaterInstructions(parts.conversation, messages),
    summary: activeMessages.summary,
    instructions: parts.instructions,
    tools: parts.tools.map(createToolDefinition),
    media: parts.media,
    ...(todoList.isEditedByUser && path === undefined
      ? { closingText: describeUserEdit(todoList) }
      : {}),
    ...(parts.parameters === undefined ? {} : { parameters: parts.parameters }),
  });
}

/** Shortens a summary to its maximum length, and appends the complete todo list. */
function appendTodoList({ conversation }: RequestParts, text: string): string {
  const todoSummary = formatTodoSummary(conversation.todoList);
  return text.slice(0, maxSummaryLength - todoSummary.length) + todoSummary;
}

const maxQuotedLength = 4_000;

/**
 * Quotes the user message of the current turn if a summary replaces that message. Returns an empty string otherwise.
 */
function quoteRequest(path: readonly Message[], cutIndex: number): string {
  if (path[cutIndex]?.role === 'user') return '';
  const request = path.slice(0, cutIndex).findLast(({ role }) => role === 'user');
  return request === undefined
    ? ''
    : `The user asked:\n${request.text.slice(0, maxQuotedLength)}\n\nWhat was done since:\n`;
}
