import { omitUndefined, isRecord, type JsonRecord, numberOr, stringOr } from '../../base/json.ts';
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
  /** Text that is held until the next chunk: white space, or the possible start of a tag. */
  #pendingText = '';
  /**
   * White space received after `#pendingText`. Stored as separate chunks, because rescanning long white space for each
   * chunk would be slow.
   */
  #blankChunks: string[] = [];

  constructor(callbacks: { onText: (text: string) => void; onReasoning: (text: string) => void }) {
    this.#onText = callbacks.onText;
    this.#onReasoning = callbacks.onReasoning;
  }

  push(text: string): void {
    if (this.#state === 'answer') return this.#onText(text);
    if (isBlank(this.#pendingText) && isBlank(text)) {
      this.#blankChunks.push(text);
      return;
    }
    const content = this.#takePending() + text;
    if (this.#state === 'start') this.#readStart(content);
    else if (this.#state === 'opened') this.#readOpened(content);
    else if (this.#state === 'reasoning') this.#readReasoning(content);
    else this.#readAnswer(content);
  }

  /** Emits the held text. Call it after the last chunk. */
  end(): void {
    const pending = this.#takePending();
    if (this.#state === 'start' && pending !== '') this.#onText(pending);
    if (this.#state === 'reasoning' && pending.trim() !== '') this.#onReasoning(pending.trimEnd());
  }

  #storePending(text: string): void {
    if (isBlank(text)) this.#blankChunks = [text];
    else this.#pendingText = text;
  }

  #takePending(): string {
    const pending = this.#pendingText + this.#blankChunks.join('');
    this.#pendingText = '';
    this.#blankChunks = [];
    return pending;
  }

  #readStart(content: string): void {
    const text = content.trimStart();
    if (text.startsWith(openingTag)) {
      this.#state = 'opened';
      this.#readOpened(text.slice(openingTag.length));
    } else if (openingTag.startsWith(text)) {
      this.#storePending(content);
    } else {
      this.#state = 'answer';
      this.#onText(content);
    }
  }

  #readOpened(content: string): void {
    const text = content.trimStart();
    if (text === '') return;
    this.#state = 'reasoning';
    this.#readReasoning(text);
  }

  #readReasoning(content: string): void {
    const end = content.indexOf(closingTag);
    const reasoning =
      end < 0
        ? content.slice(0, content.length - pendingLength(content))
        : content.slice(0, end).trimEnd();
    if (reasoning !== '') this.#onReasoning(reasoning);
    if (end < 0) {
      this.#storePending(content.slice(reasoning.length));
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

/** Returns the length of the text to hold: trailing white space, and the possible start of a closing tag. */
function pendingLength(text: string): number {
  const tagStart = text.lastIndexOf('<');
  const isTag = tagStart >= 0 && closingTag.startsWith(text.slice(tagStart));
  const textBeforeTag = isTag ? text.slice(0, tagStart) : text;
  return text.length - textBeforeTag.trimEnd().length;
}

const isBlank = (text: string): boolean => text.trim() === '';

type Emit = (event: ChatEvent) => void;

const maxToolCalls = 128;
const maxNameLength = 128;
const maxCitations = 50;
const maxUrlLength = 2_000;

/** Converts the chunks of a streamed chat or text completion to events. Ignores hostile and malformed fields. */
export class ChunkReader {
  readonly #emit: Emit;
  readonly #parameterNames: readonly string[];
  readonly #content: ThinkTagSplitter;
  #hasReasoningField = false;
  #hasInvalidToolCall = false;
  #usage: Usage | undefined;
  #cost: Cost | undefined;
  #finishReason: FinishReason | undefined;

  constructor(vendorWord: string, emit: Emit) {
    this.#emit = emit;
    this.#parameterNames = [`${vendorWord}_parameters`, 'service_parameters'];
    this.#content = new ThinkTagSplitter({
      onText: (text) => emit({ type: 'text-delta', text }),
      onReasoning: (text) => {
        // Some services send the same reasoning in both a field and a `<think>` block.
        if (!this.#hasReasoningField) emit({ type: 'reasoning-delta', text });
      },
    });
  }

  /** Finish reason of the answer. Undefined until the service sends one. */
  get finishReason(): FinishReason | undefined {
    return this.#finishReason;
  }

  /** Last usage and cost that the service reported. */
  get totals(): { readonly usage?: Usage; readonly cost?: Cost } {
    return omitUndefined({ usage: this.#usage, cost: this.#cost });
  }

  read(chunk: JsonRecord): void {
    const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
    if (isRecord(choice)) this.#readChoice(choice, choice['delta']);
    this.#readTotals(chunk);
  }

  /** Reads the whole response of a completion that was not streamed. */
  readComplete(completion: JsonRecord): void {
    const choice: unknown = Array.isArray(completion['choices'])
      ? completion['choices'][0]
      : undefined;
    if (isRecord(choice)) this.#readChoice(choice, choice['message']);
    this.#readTotals(completion);
    this.end();
  }

  /** Emits held text. Call it after the last chunk. */
  end(): void {
    this.#content.end();
  }

  #readChoice(choice: JsonRecord, delta: unknown): void {
    const { text, finish_reason: reason } = choice;
    if (isRecord(delta)) this.#readDelta(delta);
    // Text completions send the text in the field `text` instead of `delta`.
    else if (typeof text === 'string' && text !== '') this.#content.push(text);
    // Some servers send an empty finish reason with each chunk before the last.
    if (typeof reason === 'string' && reason !== '') this.#finishReason = toFinishReason(reason);
  }

  #readDelta(delta: JsonRecord): void {
    const { reasoning_content: reasoning, content, tool_calls: calls } = delta;
    if (typeof reasoning === 'string' && reasoning !== '') {
      this.#hasReasoningField = true;
      this.#emit({ type: 'reasoning-delta', text: reasoning });
    }
    if (typeof content === 'string' && content !== '') this.#content.push(content);
    if (Array.isArray(calls)) {
      for (const [position, call] of calls.entries()) this.#readToolCall(call, position);
    }
  }

  #readToolCall(call: unknown, position: number): void {
    if (!isRecord(call)) return this.#reportInvalidToolCall();
    const index = call['index'] ?? position;
    if (!Number.isInteger(index) || Number(index) < 0 || Number(index) >= maxToolCalls) {
      return this.#reportInvalidToolCall();
    }
    const functionCall = isRecord(call['function']) ? call['function'] : {};
    const { id } = call;
    const { name } = functionCall;
    if (isTooLong(id) || isTooLong(name)) return this.#reportInvalidToolCall();
    this.#emit({
      type: 'tool-call-delta',
      index: Number(index),
      ...(typeof id === 'string' && id !== '' ? { id } : {}),
      ...(typeof name === 'string' && name !== '' ? { name } : {}),
      arguments: stringOr(functionCall['arguments'], ''),
    });
  }

  #reportInvalidToolCall(): void {
    if (this.#hasInvalidToolCall) return;
    this.#hasInvalidToolCall = true;
    this.#emit({ type: 'tool-call-invalid' });
  }

  #readTotals(chunk: JsonRecord): void {
    for (const name of this.#parameterNames) {
      const parameters = chunk[name];
      if (!isRecord(parameters)) continue;
      const citations = readCitations(parameters['web_search_citations']);
      if (citations.length > 0) this.#emit({ type: 'citations', citations });
      break;
    }
    if (isRecord(chunk['usage'])) this.#usage = readUsage(chunk['usage']);
    else if (!isRecord(chunk['cost'])) return;
    if (isRecord(chunk['cost'])) this.#cost = readCost(chunk['cost']);
    if (this.#usage === undefined) return;
    const cost = this.#cost === undefined ? {} : { cost: this.#cost };
    this.#emit({ type: 'usage', usage: this.#usage, ...cost });
  }
}

const isTooLong = (value: unknown): boolean =>
  typeof value === 'string' && value.length > maxNameLength;

const finishReasons: readonly string[] = ['stop', 'length', 'tool_calls', 'content_filter'];

const isFinishReason = (reason: string): reason is FinishReason => finishReasons.includes(reason);

const toFinishReason = (reason: string): FinishReason =>
  isFinishReason(reason) ? reason : 'other';

function readUsage(usage: JsonRecord): Usage {
  const prompt = isRecord(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {};
  const completion = isRecord(usage['completion_tokens_details'])
    ? usage['completion_tokens_details']
    : {};
  const promptTokens = Math.max(0, numberOr(usage['prompt_tokens'], 0));
  const completionTokens = Math.max(0, numberOr(usage['completion_tokens'], 0));
  return {
    promptTokens,
    completionTokens,
    // Budgets use the total, which must not be less than the sum of prompt and completion tokens.
    totalTokens: Math.max(numberOr(usage['total_tokens'], 0), promptTokens + completionTokens),
    ...numberField('cachedTokens', prompt['cached_tokens']),
    ...numberField('reasoningTokens', completion['reasoning_tokens']),
  };
}

const readCost = (cost: JsonRecord): Cost => ({
  ...numberField('usd', cost['usd']),
  ...numberField('diem', cost['diem']),
});

/**
 * Returns an object with the field `name` if the value is a finite, non-negative number, else an empty object. JSON
 * numbers such as `1e999` are parsed as infinity.
 */
const numberField = <Name extends string>(name: Name, value: unknown): { [K in Name]?: number } =>
  (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? { [name]: value } : {}) as {
    [K in Name]?: number;
  };

/**
 * Decodes citations. Keeps an entry for each invalid source, because citation numbers in the text are positions in the
 * list.
 */
function readCitations(value: unknown): Citation[] {
  const citations: unknown[] = Array.isArray(value) ? value.slice(0, maxCitations) : [];
  return citations.map((entry) => readCitation(isRecord(entry) ? entry : {}));
}

const readCitation = ({ title, url, content, date }: JsonRecord): Citation =>
  omitUndefined({
    title: stringOr(title, stringOr(url, '')).slice(0, 300),
    url: isWebUrl(url) ? url : undefined,
    content: stringOr(content, undefined)?.slice(0, 1_000),
    date: stringOr(date, undefined)?.slice(0, 40),
  });

/**
 * Checks for a web URL of at most 2,000 characters. Longer URLs are rejected, because a truncated URL would lead
 * elsewhere.
 */
const isWebUrl = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxUrlLength && /^https?:\/\//i.test(value);

/**
 * Builds the body of `POST /chat/completions`. Inserts the vendor word into the names of vendor-specific fields (spec
 * §2.3).
 */
export function chatRequestBody(request: ChatRequest, vendorWord: string, stream: boolean): object {
  const { parameters, ...fields } = request;
  const body = stream ? { ...fields, stream, stream_options: { include_usage: true } } : fields;
  if (parameters === undefined) return body;
  const { include_system_prompt: systemPrompt, ...otherParameters } = parameters;
  const ownPrompt =
    systemPrompt === undefined ? {} : { [`include_${vendorWord}_system_prompt`]: systemPrompt };
  return { ...body, [`${vendorWord}_parameters`]: { ...otherParameters, ...ownPrompt } };
}
