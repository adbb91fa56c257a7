import * as l10n from '@vscode/l10n';
import type { ChatParameters } from '../conversation/chat-options.ts';
import type { Conversation, Message } from '../conversation/conversation.ts';
import { loadMedia, type MediaPorts, countNewestImageCharacters } from '../conversation/media.ts';
import { buildRequest } from '../conversation/prompt.ts';
import { expandMessage } from '../conversation/slash-commands.ts';
import type { CompletionOptions } from '../service/chat/chat.ts';
import type { ChatRequest, Cost, Usage } from '../service/chat/chat-types.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';
import type { ChatTerms } from '../service/chat/protection.ts';
import { fitFixedParts, ContextLimit, type ModelLimits } from './context-limit.ts';
import {
  compactionCut,
  maxSummaryLength,
  summaryRequest,
  summaryWithoutModel,
} from './compaction.ts';
import {
  estimateRequest,
  limitImages,
  totalImageSize,
  truncateToFit,
  trimOldOutputs,
} from './context-budget.ts';
import { type Tool, toolDefinition } from './tool.ts';

export interface RequestParts {
  readonly conversation: Conversation;
  /** The message after which the request goes on. */
  readonly endId: string;
  readonly modelId: string;
  readonly limits: ModelLimits;
  readonly instructions: readonly string[];
  readonly tools: readonly Tool[];
  readonly parameters?: ChatParameters;
  /** Whether the model sees pictures. */
  readonly vision?: boolean;
  readonly signal: AbortSignal;
  /** What a summary may be sent with: it tells what the conversation does. */
  readonly terms?: () => ChatTerms;
  /** Told what a summary took. */
  readonly onCompletion: (completion: Completion) => void;
  /** Keeps the summary that stands for everything before the message `id`. */
  readonly setSummary: (id: string, text: string) => void;
}

type BaseParts = Pick<RequestParts, 'modelId' | 'limits' | 'instructions' | 'tools'>;

export interface Completion {
  readonly text: string;
  readonly usage?: Usage;
  readonly cost?: Cost;
}

export interface RequestBuilderPorts {
  /**
   * Has a summary written.
   * @throws ServiceError
   */
  readonly complete: (request: ChatRequest, options: CompletionOptions) => Promise<Completion>;
  /** A picture or a document of a message as Base64; without it they are only named. */
  readonly readMedia?: MediaPorts['read'];
}

/** At most this share of the room is for messages that a summary does not replace. */
const maxRecentRatio = 0.6;
/** A request that was refused is made at least this much shorter. */
const retrySizeRatio = 0.9;
/** Pictures of one request, in characters: more than this the service does not take (service facts §0). */
const maxImageCharacters = 34_000_000;
/** What a service may say of a request because of a picture in it. */
const imageFailureCodes: ReadonlySet<string> = new Set([
  'payload-too-large',
  'unsupported-media-type',
  'invalid-request',
]);

/** Makes requests that fit the model's context: old outputs go first, then what came before becomes a summary. */
export class RequestBuilder {
  readonly #ports: RequestBuilderPorts;
  readonly #limits = new Map<string, ContextLimit>();
  readonly #sent = new WeakMap<Conversation, SentRequest>();
  /** How many characters of pictures a conversation may send since some were refused. */
  readonly #imageLimits = new WeakMap<Conversation, number>();

  constructor(ports: RequestBuilderPorts) {
    this.#ports = ports;
  }

  /** @throws ServiceError when it was stopped while a summary was being written */
  async build(parts: RequestParts): Promise<ChatRequest> {
    const request = await this.#fitRequest(parts);
    this.#sent.set(parts.conversation, {
      tokens: estimateRequest(request),
      imageCharacters: totalImageSize(request),
    });
    return request;
  }

  /** What goes with every request of such parts, about, in tokens: what the model is told, and its tools. */
  baseTokens({ modelId, limits, ...fixed }: BaseParts): number {
    const { instructions, tools } = fitFixedParts(fixed, this.#limitFor(modelId).maxTokens(limits));
    const definitions = tools.map(toolDefinition);
    return estimateRequest(
      buildRequest({ model: modelId, path: [], instructions, tools: definitions }),
    );
  }

  /** The service counted the last request of the conversation. */
  recordUsage(conversation: Conversation, modelId: string, usage: Usage): void {
    const sent = this.#sent.get(conversation);
    if (sent !== undefined) this.#limitFor(modelId).recordUsage(sent.tokens, usage);
  }

  /** The service refused the last request. Resolves to whether a smaller one can be made that may please it. */
  async makeRoom(parts: RequestParts, { code }: ServiceFailure): Promise<boolean> {
    const refused = this.#sent.get(parts.conversation);
    if (refused === undefined) return false;
    // What the person just attached is not left out behind their back.
    const newest = countNewestImageCharacters(activeMessages(parts).path);
    const older = refused.imageCharacters - newest;
    if (older > 0 && imageFailureCodes.has(code)) {
      this.#imageLimits.set(parts.conversation, newest + Math.floor(older / 2));
      return true;
    }
    if (code !== 'context-overflow' && code !== 'payload-too-large') return false;
    this.#limitFor(parts.modelId).recordRefusal(refused.tokens);
    const next = await this.#fitRequest(parts);
    return estimateRequest(next) <= refused.tokens * retrySizeRatio;
  }

  /**
   * Puts a summary in place of everything before the last exchange now, however much room there is.
   * @returns whether there was anything to summarise
   * @throws ServiceError when the model wrote none, or it was stopped meanwhile
   */
  async compact(parts: RequestParts): Promise<boolean> {
    const { path, summary } = activeMessages(parts);
    const cut = compactionCut(path, () => true);
    const first = path[cut];
    if (cut === 0 || first === undefined) return false;
    const maxTokens = this.#limitFor(parts.modelId).maxTokens(parts.limits);
    const text = await this.#requestSummary(parts, path.slice(0, cut), summary, maxTokens);
    if (text === '') throw new ServiceError(emptySummary());
    parts.setSummary(first.id, `${quoteRequest(path, cut)}${text}`.slice(0, maxSummaryLength));
    return true;
  }

  async #fitRequest(request: RequestParts): Promise<ChatRequest> {
    const maxTokens = this.#limitFor(request.modelId).maxTokens(request.limits);
    const media = await this.#loadMedia(request);
    const parts = { ...request, ...fitFixedParts(request, maxTokens), media };
    const complete = this.#buildRequest(parts);
    if (estimateRequest(complete) <= maxTokens) return complete;
    const trimmed = trimOldOutputs(complete, maxTokens);
    if (estimateRequest(trimmed) <= maxTokens) return trimmed;
    await this.#summarizeOlder(parts, maxTokens);
    return truncateToFit(trimOldOutputs(this.#buildRequest(parts), maxTokens), maxTokens);
  }

  async #loadMedia(parts: RequestParts): Promise<ReadonlyMap<string, string>> {
    const { readMedia } = this.#ports;
    if (readMedia === undefined) return new Map();
    return loadMedia(activeMessages(parts).path, { read: readMedia, vision: parts.vision ?? true });
  }

  #buildRequest(parts: LoadedParts): ChatRequest {
    const maxCharacters = this.#imageLimits.get(parts.conversation) ?? maxImageCharacters;
    return limitImages(toRequest(parts), maxCharacters);
  }

  /** Puts a summary in the place of older messages, where there are any. */
  async #summarizeOlder(parts: LoadedParts, maxTokens: number): Promise<void> {
    const { path, summary } = activeMessages(parts);
    const cut = compactionCut(path, (from) => {
      const recent = toRequest({ ...parts, instructions: [], tools: [] }, path.slice(from));
      return estimateRequest(recent) <= maxTokens * maxRecentRatio;
    });
    const first = path[cut];
    if (cut === 0 || first === undefined) return;
    const before = path.slice(0, cut);
    const written = await this.#writeSummary(parts, before, summary, maxTokens);
    parts.setSummary(first.id, `${quoteRequest(path, cut)}${written}`.slice(0, maxSummaryLength));
  }

  async #writeSummary(
    parts: RequestParts,
    path: readonly Message[],
    earlier: string | undefined,
    maxTokens: number,
  ): Promise<string> {
    try {
      const text = await this.#requestSummary(parts, path, earlier, maxTokens);
      if (text !== '') return text;
    } catch (error) {
      if (parts.signal.aborted || !(error instanceof ServiceError)) throw error;
      // A chat must go on even where no summary can be had.
    }
    return summaryWithoutModel(path, earlier);
  }

  async #requestSummary(
    { modelId, signal, onCompletion, terms }: RequestParts,
    path: readonly Message[],
    earlier: string | undefined,
    maxTokens: number,
  ): Promise<string> {
    const request = truncateToFit(summaryRequest(modelId, path, earlier), maxTokens);
    const completion = await this.#ports.complete(request, { signal, ...terms?.() });
    onCompletion(completion);
    return completion.text.trim();
  }

  #limitFor(modelId: string): ContextLimit {
    const limit = this.#limits.get(modelId) ?? new ContextLimit();
    this.#limits.set(modelId, limit);
    return limit;
  }
}

const emptySummary = (): ServiceFailure => ({
  code: 'internal-error',
  message: l10n.t('The model wrote nothing. Try again, or choose another model.'),
});

interface LoadedParts extends RequestParts {
  readonly media: ReadonlyMap<string, string>;
}

interface SentRequest {
  /** As estimated. */
  readonly tokens: number;
  /** In characters. */
  readonly imageCharacters: number;
}

/** What the request goes on from: the messages since the last summary, and the summary. */
function activeMessages({ conversation, endId }: RequestParts): {
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

function toRequest(parts: LoadedParts, path?: readonly Message[]): ChatRequest {
  const active = activeMessages(parts);
  return buildRequest({
    model: parts.modelId,
    path: (path ?? active.path).map(expandMessage),
    summary: active.summary,
    instructions: parts.instructions,
    tools: parts.tools.map(toolDefinition),
    media: parts.media,
    ...(parts.parameters === undefined ? {} : { parameters: parts.parameters }),
  });
}

const maxQuotedLength = 4_000;

/** The person's own words when the turn itself is cut: a summary must not paraphrase what they asked for. */
function quoteRequest(path: readonly Message[], cut: number): string {
  if (path[cut]?.role === 'user') return '';
  const request = path.slice(0, cut).findLast(({ role }) => role === 'user');
  return request === undefined
    ? ''
    : `The person asked:\n${request.text.slice(0, maxQuotedLength)}\n\nWhat was done since:\n`;
}
