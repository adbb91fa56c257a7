import { defined, isRecord, type JsonRecord, numberOr, stringOr } from '../../base/json.ts';
import type { ChatEvent, Citation, Cost, FinishReason, Usage } from './chat-types.ts';
import { ThinkTags } from './think-tags.ts';

type Emit = (event: ChatEvent) => void;

const maxToolCalls = 128;
const maxNameLength = 128;
const maxCitations = 50;
const maxAddress = 2_000;

/** Turns the chunks of one streamed completion, of a chat or of a text, into events. Hostile or odd fields are passed over. */
export class ChunkReader {
  readonly #emit: Emit;
  readonly #parameterNames: readonly string[];
  readonly #content: ThinkTags;
  #hasReasoningField = false;
  #refusedToolCall = false;
  #usage: Usage | undefined;
  #cost: Cost | undefined;
  #finishReason: FinishReason | undefined;

  constructor(vendorWord: string, emit: Emit) {
    this.#emit = emit;
    this.#parameterNames = [`${vendorWord}_parameters`, 'service_parameters'];
    this.#content = new ThinkTags({
      onText: (text) => emit({ type: 'text-delta', text }),
      onReasoning: (text) => {
        // A service may fill both places with the same words.
        if (!this.#hasReasoningField) emit({ type: 'reasoning-delta', text });
      },
    });
  }

  /** Absent until the service gave one. */
  get finishReason(): FinishReason | undefined {
    return this.#finishReason;
  }

  /** What the service said last, as far as it did. */
  get totals(): { readonly usage?: Usage; readonly cost?: Cost } {
    return defined({ usage: this.#usage, cost: this.#cost });
  }

  read(chunk: JsonRecord): void {
    const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
    if (isRecord(choice)) this.#readChoice(choice, choice['delta']);
    this.#readTotals(chunk);
  }

  /** Reads a completion that came as a whole. */
  readWhole(completion: JsonRecord): void {
    const choice: unknown = Array.isArray(completion['choices'])
      ? completion['choices'][0]
      : undefined;
    if (isRecord(choice)) this.#readChoice(choice, choice['message']);
    this.#readTotals(completion);
    this.end();
  }

  /** Gives out what was held back; no more chunks come. */
  end(): void {
    this.#content.end();
  }

  #readChoice(choice: JsonRecord, delta: unknown): void {
    const { text, finish_reason: reason } = choice;
    if (isRecord(delta)) this.#readDelta(delta);
    // A completion that is no chat has its text here.
    else if (typeof text === 'string' && text !== '') this.#content.push(text);
    // Some servers say an empty reason as long as there is none.
    if (typeof reason === 'string' && reason !== '') this.#finishReason = finishReasonOf(reason);
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
    if (!isRecord(call)) return this.#refuseToolCall();
    const index = call['index'] ?? position;
    if (!Number.isInteger(index) || Number(index) < 0 || Number(index) >= maxToolCalls) {
      return this.#refuseToolCall();
    }
    const piece = isRecord(call['function']) ? call['function'] : {};
    const { id } = call;
    const { name } = piece;
    if (isTooLong(id) || isTooLong(name)) return this.#refuseToolCall();
    this.#emit({
      type: 'tool-call-delta',
      index: Number(index),
      ...(typeof id === 'string' && id !== '' ? { id } : {}),
      ...(typeof name === 'string' && name !== '' ? { name } : {}),
      arguments: stringOr(piece['arguments'], ''),
    });
  }

  #refuseToolCall(): void {
    if (this.#refusedToolCall) return;
    this.#refusedToolCall = true;
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

const finishReasonOf = (reason: string): FinishReason =>
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
    // Never less than its parts: budgets count it.
    totalTokens: Math.max(numberOr(usage['total_tokens'], 0), promptTokens + completionTokens),
    ...figure('cachedTokens', prompt['cached_tokens']),
    ...figure('reasoningTokens', completion['reasoning_tokens']),
  };
}

const readCost = (cost: JsonRecord): Cost => ({
  ...figure('usd', cost['usd']),
  ...figure('diem', cost['diem']),
});

/** A field of this name when the value is a number that can be an amount; JSON's `1e999` is none. */
const figure = <Name extends string>(name: Name, value: unknown): { [K in Name]?: number } =>
  (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? { [name]: value } : {}) as {
    [K in Name]?: number;
  };

/** What stands for a source that is none keeps its place: marks in the text count them. */
function readCitations(value: unknown): Citation[] {
  const list: unknown[] = Array.isArray(value) ? value.slice(0, maxCitations) : [];
  return list.map((each) => readCitation(isRecord(each) ? each : {}));
}

const readCitation = ({ title, url, content, date }: JsonRecord): Citation =>
  defined({
    title: stringOr(title, stringOr(url, '')).slice(0, 300),
    url: isWebAddress(url) ? url : undefined,
    content: stringOr(content, undefined)?.slice(0, 1_000),
    date: stringOr(date, undefined)?.slice(0, 40),
  });

/** Half an address would lead elsewhere. */
const isWebAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxAddress && /^https?:\/\//i.test(value);
