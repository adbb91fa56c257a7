import {
  asRecord,
  omitUndefined,
  isRecord,
  parseJson,
  type JsonRecord,
  readNumberOr,
  readStringOr,
} from '../../base/json.ts';
import type { Endpoint } from '../http/client.ts';
import { findParameters } from '../http/vendor-prefix.ts';
import type { CachedRequest } from './prompt-cache.ts';
import type { ChatEvent, ChatRequest, Citation, Cost, FinishReason, Usage } from './chat-types.ts';

const openingTag = '<think>';
const closingTag = '</think>';

/**
 * Separates reasoning from the answer if the content starts with a `<think>` block (spec §2.3). The chunk boundaries
 * have no effect on the result. Later `<think>` tags are part of the answer, for example in a line of code. Removes
 * white space around the reasoning.
 */
export class ThinkTagSplitter {
  readonly #onText: (text: string) => void;
  readonly #onReasoning: (text: string) => void;
  #state: 'start' | 'opened' | 'reasoning' | 'closed' | 'answer' = 'start';
  /** Text to emit with a later chunk: white space, or the possible start of a tag. */
  #pendingText = '';
  /**
   * White space received after `#pendingText`. Stored separately, because searching a long run of white space again for
   * each new chunk would be slow.
   */
  #blankChunks: string[] = [];

  constructor(callbacks: { onText: (text: string) => void; onReasoning: (text: string) => void }) {
    this.#onText = callbacks.onText;
    this.#onReasoning = callbacks.onReasoning;
  }

  splitText(text: string): void {
    if (this.#state === 'answer') return this.#onText(text);
    if (isBlank(this.#pendingText) && isBlank(text)) {
      this.#blankChunks.push(text);
      return;
    }
    const content = this.#takePendingText() + text;
    if (this.#state === 'start') this.#readStart(content);
    else if (this.#state === 'opened') this.#readAfterOpeningTag(content);
    else if (this.#state === 'reasoning') this.#readReasoning(content);
    else this.#readAnswer(content);
  }

  /** Emits the text that was withheld as white space or the possible start of a tag. Call it after the last chunk. */
  emitWithheldText(): void {
    const pendingText = this.#takePendingText();
    if (this.#state === 'start' && pendingText !== '') this.#onText(pendingText);
    if (this.#state === 'reasoning' && pendingText.trim() !== '')
      this.#onReasoning(pendingText.trimEnd());
  }

  #storePendingText(text: string): void {
    if (isBlank(text)) this.#blankChunks = [text];
    else this.#pendingText = text;
  }

  #takePendingText(): string {
    const pendingText = this.#pendingText + this.#blankChunks.join('');
    this.#pendingText = '';
    this.#blankChunks = [];
    return pendingText;
  }

  #readStart(content: string): void {
    const text = content.trimStart();
    if (text.startsWith(openingTag)) {
      this.#state = 'opened';
      this.#readAfterOpeningTag(text.slice(openingTag.length));
    } else if (openingTag.startsWith(text)) {
      this.#storePendingText(content);
    } else {
      this.#state = 'answer';
      this.#onText(content);
    }
  }

  #readAfterOpeningTag(content: string): void {
    const text = content.trimStart();
    if (text === '') return;
    this.#state = 'reasoning';
    this.#readReasoning(text);
  }

  #readReasoning(content: string): void {
    const end = content.indexOf(closingTag);
    const reasoning =
      end < 0
        ? content.slice(0, content.length - getPendingLength(content))
        : content.slice(0, end).trimEnd();
    if (reasoning !== '') this.#onReasoning(reasoning);
    if (end < 0) {
      this.#storePendingText(content.slice(reasoning.length));
    } else {
      this.#state = 'closed';
      this.#readAnswer(content.slice(end + closingTag.length));
    }
  }

  #readAnswer(content: string): void {
    const text = content.trimStart();
    if (text === '') return;
    this.#state = 'answer';
    this.#onText(text);
  }
}

/** Returns the length of the text to withhold: trailing white space, and the possible start of a closing tag. */
function getPendingLength(text: string): number {
  const tagStart = text.lastIndexOf('<');
  const isTag = tagStart >= 0 && closingTag.startsWith(text.slice(tagStart));
  const textBeforeTag = isTag ? text.slice(0, tagStart) : text;
  return text.length - textBeforeTag.trimEnd().length;
}

const isBlank = (text: string): boolean => text.trim() === '';

type EmitEvent = (event: ChatEvent) => void;

const maxToolCalls = 128;
const maxNameLength = 128;
const maxCitations = 50;
const maxUrlLength = 2_000;

/**
 * Converts the chunks of a streamed chat or text completion to events. Ignores malformed fields, because the server may
 * be faulty or hostile.
 */
export class ChunkReader {
  readonly #emit: EmitEvent;
  readonly #endpoint: Pick<Endpoint, 'vendorPrefix' | 'connection'>;
  readonly #content: ThinkTagSplitter;
  #hasReasoningField = false;
  readonly #toolCallPositions = new ToolCallPositions();
  #hasInvalidToolCall = false;
  #usage: Usage | undefined;
  #cost: Cost | undefined;
  #finishReason: FinishReason | undefined;

  /**
   * @param endpoint Provides the vendor prefix, such as `acme` in the field name `acme_parameters`. If a reply contains
   * another prefix, that prefix is stored in `endpoint.connection`.
   */
  constructor(endpoint: Pick<Endpoint, 'vendorPrefix' | 'connection'>, emit: EmitEvent) {
    this.#emit = emit;
    this.#endpoint = endpoint;
    this.#content = new ThinkTagSplitter({
      onText: (text) => emit({ type: 'text-delta', text }),
      onReasoning: (text) => {
        // Some services send the same reasoning in both a field and a `<think>` block.
        if (!this.#hasReasoningField) emit({ type: 'reasoning-delta', text, source: 'think-tags' });
      },
    });
  }

  /** Finish reason of the answer. Undefined until the service sends one. */
  get finishReason(): FinishReason | undefined {
    return this.#finishReason;
  }

  /** Most recent usage and cost that the service reported for the answer. */
  get totals(): { readonly usage?: Usage; readonly cost?: Cost } {
    return omitUndefined({ usage: this.#usage, cost: this.#cost });
  }

  readChunk(chunk: JsonRecord): void {
    const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : toChoice(chunk);
    if (isRecord(choice)) this.#readChoice(choice, choice['delta']);
    this.#readTotals(chunk);
  }

  /** Reads the complete response to an unstreamed request. */
  readCompletion(completion: JsonRecord): void {
    const choice: unknown = Array.isArray(completion['choices'])
      ? completion['choices'][0]
      : undefined;
    if (isRecord(choice)) this.#readChoice(choice, choice['message']);
    this.#readTotals(completion);
    this.emitWithheldText();
  }

  /** Emits the text that was withheld as the possible start of a `<think>` tag. Call it after the last chunk. */
  emitWithheldText(): void {
    this.#content.emitWithheldText();
  }

  #readChoice(choice: JsonRecord, delta: unknown): void {
    const { text, finish_reason: reason } = choice;
    if (isRecord(delta)) this.#readDelta(delta);
    // Text completions send the text in the field `text` instead of `delta`.
    else if (typeof text === 'string' && text !== '') this.#content.splitText(text);
    // Some servers send an empty finish reason with each chunk before the last.
    if (typeof reason === 'string' && reason !== '') this.#finishReason = toFinishReason(reason);
  }

  #readDelta(delta: JsonRecord): void {
    const { content, tool_calls: toolCalls } = delta;
    const reasoning = readReasoning(delta);
    if (reasoning !== undefined) {
      this.#hasReasoningField ||= reasoning.text !== '' || reasoning.details !== undefined;
      this.#emit({ type: 'reasoning-delta', ...reasoning });
    }
    if (typeof content === 'string' && content !== '') this.#content.splitText(content);
    if (Array.isArray(toolCalls)) {
      for (const [position, call] of toolCalls.entries()) this.#readToolCall(call, position);
    }
  }

  #readToolCall(call: unknown, position: number): void {
    if (!isRecord(call)) return this.#reportInvalidToolCall();
    const functionCall = asRecord(call['function']);
    const [id, name] = [readStringOr(call['id'], ''), readStringOr(functionCall['name'], '')];
    const index = call['index'] ?? undefined;
    const isInvalid = index !== undefined && !isToolCallIndex(index);
    if (isInvalid || id.length > maxNameLength || name.length > maxNameLength)
      return this.#reportInvalidToolCall();
    const { arguments: sentArguments } = functionCall;
    // Some servers send complete arguments as an object instead of text.
    const argumentsText = isRecord(sentArguments)
      ? JSON.stringify(sentArguments)
      : readStringOr(sentArguments, '');
    const fragment = { index, position, id, name, argumentsText };
    const foundPosition = this.#toolCallPositions.findPosition(fragment);
    if (!isToolCallIndex(foundPosition)) return this.#reportInvalidToolCall();
    this.#emit({
      type: 'tool-call-delta',
      index: foundPosition,
      ...(id === '' ? {} : { id }),
      ...(name === '' ? {} : { name }),
      arguments: argumentsText,
    });
  }

  #reportInvalidToolCall(): void {
    if (this.#hasInvalidToolCall) return;
    this.#hasInvalidToolCall = true;
    this.#emit({ type: 'tool-call-invalid' });
  }

  /**
   * Returns the value of the field `PREFIX_parameters` in a reply, such as `acme_parameters`. Stores the vendor prefix
   * (here `acme`) in the connection.
   */
  #recordPrefixAndFindParameters(reply: JsonRecord): JsonRecord | undefined {
    const foundParameters = findParameters(reply);
    if (foundParameters !== undefined)
      this.#endpoint.connection?.recordVendorPrefix(foundParameters.prefix);
    const names = [`${this.#endpoint.vendorPrefix}_parameters`, 'service_parameters'];
    return foundParameters?.parameters ?? names.map((name) => reply[name]).find(isRecord);
  }

  #readTotals(chunk: JsonRecord): void {
    const parameters = this.#recordPrefixAndFindParameters(chunk);
    const citations = readCitations(parameters?.['web_search_citations']);
    if (citations.length > 0) this.#emit({ type: 'citations', citations });
    const usage = isRecord(chunk['usage']) ? chunk['usage'] : undefined;
    const hasUsage = usage !== undefined && !isZeroUsage(usage);
    if (hasUsage) this.#usage = readUsage(usage);
    else if (!isRecord(chunk['cost'])) return;
    if (isRecord(chunk['cost'])) this.#cost = readCost(chunk['cost']);
    // OpenRouter sends the price in US dollars with the usage.
    else if (typeof usage?.['cost'] === 'number') this.#cost = readCost({ usd: usage['cost'] });
    if (this.#usage === undefined) return;
    const cost = this.#cost === undefined ? {} : { cost: this.#cost };
    this.#emit({ type: 'usage', usage: this.#usage, ...cost });
  }
}

/**
 * Converts a chunk of llama.cpp's own format, `{content, stop, stop_type}`, to an entry of `choices`. Returns
 * `undefined` for any other chunk.
 */
const toChoice = ({ content, stop, stop_type: type }: JsonRecord): JsonRecord | undefined =>
  typeof content === 'string' && typeof stop === 'boolean'
    ? { text: content, finish_reason: stop ? (type === 'limit' ? 'length' : 'stop') : null }
    : undefined;

const isToolCallIndex = (index: unknown): index is number =>
  typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < maxToolCalls;

/**
 * Assigns each streamed fragment of a tool call to the tool call that the fragment belongs to. Some servers send no
 * index, or the same index for every tool call of an answer, so a new id starts a new tool call.
 */
class ToolCallPositions {
  /** Latest tool call for each index that the server sent. */
  readonly #latestCalls = new Map<
    number,
    { readonly position: number; id: string; name: string; argumentsText: string }
  >();
  readonly #usedPositions = new Set<number>();

  /** Returns the position of the tool call that a fragment belongs to, from 0. */
  findPosition(fragment: {
    /** Index that the server sent, if any. */
    readonly index: number | undefined;
    /** Position of the fragment in its chunk. */
    readonly position: number;
    readonly id: string;
    readonly name: string;
    readonly argumentsText: string;
  }): number {
    const { id, name, argumentsText } = fragment;
    const index = fragment.index ?? fragment.position;
    const latestCall = this.#latestCalls.get(index);
    // Without an id, only a name can start another call. If the server sends the same index again, the arguments of the
    // latest call must also be complete, because some servers repeat the name in each fragment.
    const isAnonymous = fragment.index === undefined && id === '';
    const isNew =
      latestCall === undefined ||
      (id !== '' && latestCall.id !== '' && id !== latestCall.id) ||
      (name !== '' &&
        latestCall.name !== '' &&
        (isAnonymous ||
          (id === '' &&
            (name !== latestCall.name || argumentsText.trim() !== '') &&
            hasAllArguments(latestCall))));
    if (!isNew) {
      latestCall.id ||= id;
      latestCall.name ||= name;
      latestCall.argumentsText += argumentsText;
      return latestCall.position;
    }
    let position = index;
    while (this.#usedPositions.has(position)) position++;
    this.#usedPositions.add(position);
    this.#latestCalls.set(index, { position, id, name, argumentsText });
    return position;
  }
}

const hasAllArguments = ({ argumentsText }: { readonly argumentsText: string }): boolean =>
  argumentsText.trimEnd().endsWith('}') && isRecord(parseJson(argumentsText));

type ReasoningDelta = Omit<Extract<ChatEvent, { type: 'reasoning-delta' }>, 'type'>;

/**
 * Reads the reasoning of a delta from the first of these fields that contains text: `reasoning_content`, `reasoning`,
 * `reasoning_details`. The entries of `reasoning_details` are always part of the result.
 */
function readReasoning(delta: JsonRecord): ReasoningDelta | undefined {
  const { reasoning_content: content, reasoning, reasoning_details, thought_signature } = delta;
  const details = readReasoningDetails(reasoning_details);
  const signature = readSignature(thought_signature);
  const hasText = typeof content === 'string' || typeof reasoning === 'string';
  // Most chunks of a stream end here.
  if (!hasText && details === undefined && signature === undefined) return undefined;
  const sentFields = omitUndefined({ details, signature });
  if (typeof content === 'string' && content !== '') return { text: content, ...sentFields };
  if (typeof reasoning === 'string' && reasoning !== '')
    return { text: reasoning, source: 'reasoning', ...sentFields };
  if (details === undefined) return signature === undefined ? undefined : { text: '', signature };
  const texts = details.map(({ text, summary }) => readStringOr(text, readStringOr(summary, '')));
  return { text: texts.join(''), source: 'reasoning_details', ...sentFields };
}

/**
 * Maximum length of a reasoning signature in characters. Longer signatures are dropped, so later requests do not
 * contain them.
 */
const maxSignatureLength = 256 * 1024;

const readSignature = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxSignatureLength
    ? value
    : undefined;

/** Maximum number of entries of `reasoning_details` in one chunk. */
const maxReasoningDetails = 50;

function readReasoningDetails(value: unknown): readonly JsonRecord[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const details = value.filter(isRecord).slice(0, maxReasoningDetails);
  return details.length === 0 ? undefined : details;
}

/** Finish reasons by the names that services send. Names that are not in this list become `other`. */
const finishReasons: Readonly<Partial<Record<string, FinishReason>>> = {
  ...{ stop: 'stop', eos: 'stop', eos_token: 'stop', end_turn: 'stop', stop_sequence: 'stop' },
  ...{ tool_calls: 'tool_calls', tool_use: 'tool_calls', function_call: 'tool_calls' },
  ...{ length: 'length', max_tokens: 'length', model_length: 'length', max_length: 'length' },
  // The service stopped before the end of the answer.
  ...{ abort: 'length', error: 'length', network_error: 'length' },
  insufficient_system_resource: 'length',
  ...{ content_filter: 'content_filter', safety: 'content_filter', recitation: 'content_filter' },
  ...{ refusal: 'content_filter', sensitive: 'content_filter' },
};

function toFinishReason(reason: string): FinishReason {
  const name = reason.toLowerCase();
  // A service can send a name that every object has, such as `constructor`.
  return (Object.hasOwn(finishReasons, name) ? finishReasons[name] : undefined) ?? 'other';
}

/**
 * Checks whether the prompt and completion token counts are zero. Ollama sends such counts, which are no actual usage,
 * with each chunk before the last.
 */
const isZeroUsage = ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
}: JsonRecord): boolean => promptTokens === 0 && completionTokens === 0;

function readUsage(usage: JsonRecord): Usage {
  const promptDetails = isRecord(usage['prompt_tokens_details'])
    ? usage['prompt_tokens_details']
    : {};
  const completion = isRecord(usage['completion_tokens_details'])
    ? usage['completion_tokens_details']
    : {};
  const promptTokens = Math.max(0, readNumberOr(usage['prompt_tokens'], 0));
  const completionTokens = Math.max(0, readNumberOr(usage['completion_tokens'], 0));
  return {
    promptTokens,
    completionTokens,
    // Budgets use the total, which must not be less than the sum of prompt and completion tokens.
    totalTokens: Math.max(readNumberOr(usage['total_tokens'], 0), promptTokens + completionTokens),
    ...readNumberField('cachedTokens', promptDetails['cached_tokens']),
    ...readNumberField('cacheWriteTokens', promptDetails['cache_creation_input_tokens']),
    ...readNumberField('reasoningTokens', completion['reasoning_tokens']),
  };
}

const readCost = (cost: JsonRecord): Cost => ({
  ...readNumberField('usd', cost['usd']),
  ...readNumberField('diem', cost['diem']),
});

/**
 * Returns an object with the field `name` if the value is a finite, non-negative number, else an empty object. Rejects
 * infinity, to which JSON numbers such as `1e999` are parsed.
 */
const readNumberField = <Name extends string>(
  name: Name,
  value: unknown,
): { [K in Name]?: number } =>
  (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? { [name]: value } : {}) as {
    [K in Name]?: number;
  };

/**
 * Decodes citations. Keeps an entry for each invalid citation, because citation numbers in the answer are positions in
 * the list.
 */
function readCitations(value: unknown): Citation[] {
  const citations: unknown[] = Array.isArray(value) ? value.slice(0, maxCitations) : [];
  return citations.map((entry) => readCitation(isRecord(entry) ? entry : {}));
}

const readCitation = ({ title, url, content, date }: JsonRecord): Citation =>
  omitUndefined({
    title: readStringOr(title, readStringOr(url, '')).slice(0, 300),
    url: isWebUrl(url) ? url : undefined,
    content: readStringOr(content, undefined)?.slice(0, 1_000),
    date: readStringOr(date, undefined)?.slice(0, 40),
  });

/**
 * Checks for a web URL of at most 2,000 characters. Longer URLs are rejected, because a truncated URL would lead
 * elsewhere.
 */
const isWebUrl = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxUrlLength && /^https?:\/\//i.test(value);

/**
 * Builds the body of `POST /chat/completions`. Adds the vendor prefix to the names of vendor-specific fields (spec
 * §2.3).
 */
export function createChatRequestBody(
  request: ChatRequest | CachedRequest,
  vendorPrefix: string,
  isStreamed: boolean,
): object {
  const { parameters, extraFields, ...ownFields } = request;
  const fields = { ...extraFields, ...ownFields };
  const body = isStreamed
    ? { ...fields, stream: isStreamed, stream_options: { include_usage: true } }
    : fields;
  if (parameters === undefined || Object.keys(parameters).length === 0) return body;
  const { include_system_prompt: hasSystemPrompt, ...otherParameters } = parameters;
  const promptField =
    hasSystemPrompt === undefined
      ? {}
      : { [`include_${vendorPrefix}_system_prompt`]: hasSystemPrompt };
  return { ...body, [`${vendorPrefix}_parameters`]: { ...otherParameters, ...promptField } };
}
