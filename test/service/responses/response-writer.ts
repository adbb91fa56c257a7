import { randomUUID } from 'node:crypto';
import { isRecord, type JsonRecord, readStringOr } from '../../../src/base/json.ts';
import type { Chunk, Delta, Usage } from '../chat/chunks.ts';
import type { SearchResults } from '../web/search-results.ts';
import type { Citation } from '../web/built-in-web.ts';
import type {
  Annotation,
  CallItem,
  MessageItem,
  OutputItem,
  ReasoningItem,
  Status,
} from './items.ts';

/** An event of a response stream, without its sequence number. */
export interface ResponseEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Converts the chunks of a chat to a response and its stream events. */
export class ResponseWriter {
  readonly #commonFields: JsonRecord;
  readonly #results: SearchResults;
  readonly #items: OutputItem[] = [];
  /** Index of the output item of each tool call, by the index of the call in the chat chunks. */
  readonly #callItemIndexes = new Map<number, number>();
  #isOpen = false;
  #isSearchAdded = false;
  #status: 'completed' | 'incomplete' = 'completed';
  #usage: Usage | undefined;

  constructor(model: string, now: number, searchResults: SearchResults) {
    const created_at = Math.floor(now / 1000);
    this.#commonFields = { id: createId('resp'), object: 'response', created_at, model };
    this.#results = searchResults;
  }

  /** Returns the events to send before the first chunk. */
  startResponse(): ResponseEvent[] {
    const response = { ...this.#commonFields, status: 'in_progress', output: [] };
    const createdEvent = { type: 'response.created', response };
    return this.#results.lookupCount === 0
      ? [createdEvent]
      : [createdEvent, { type: 'response.web_search.done' }];
  }

  addChunk({ choices, usage }: Chunk): ResponseEvent[] {
    this.#usage = usage ?? this.#usage;
    return choices.flatMap(({ delta, finish_reason }) => {
      if (finish_reason === 'length') this.#status = 'incomplete';
      return this.#addDelta(delta);
    });
  }

  /** Returns the events to send after the last chunk. */
  endResponse(): ResponseEvent[] {
    const closingEvents = [...this.#closeItem(), ...this.#addSearch()];
    return [
      ...closingEvents,
      { type: `response.${this.#status}`, response: this.createResponse() },
    ];
  }

  /** Returns the events that report a failure of the response. */
  failResponse(error: unknown): ResponseEvent[] {
    const response = { ...this.createResponse(), status: 'failed', error };
    return [...this.#closeItem(), { type: 'response.failed', response }];
  }

  createResponse(): JsonRecord & { readonly output: readonly OutputItem[] } {
    const incompleteFields = { incomplete_details: { reason: 'max_output_tokens' } };
    return {
      ...this.#commonFields,
      status: this.#status,
      output: this.#items,
      ...(this.#status === 'incomplete' && incompleteFields),
      ...(this.#usage !== undefined && { usage: toUsage(this.#usage) }),
    };
  }

  #addDelta({ reasoning_content, content, tool_calls }: Delta): ResponseEvent[] {
    return [
      ...(reasoning_content ? this.#addReasoning(reasoning_content) : []),
      ...(content ? this.#addText(content) : []),
      ...(tool_calls ?? []).flatMap((callDelta) => this.#addCall(callDelta)),
    ];
  }

  #addReasoning(delta: string): ResponseEvent[] {
    const openingEvents = this.#openItemOfType('reasoning', () => ({
      type: 'reasoning',
      id: createId('rs'),
      summary: [],
    }));
    const item = this.#lastItem as ReasoningItem;
    const text = `${item.summary[0] ?? ''}${delta}`;
    this.#lastItem = { ...item, summary: [text] };
    return [...openingEvents, this.#createEvent('response.reasoning.delta', { delta })];
  }

  #addText(delta: string): ResponseEvent[] {
    const isNewItem = !this.#isItemOpen('message');
    const emptyPart = { type: 'output_text', text: '', annotations: [] } as const;
    const openingEvents = this.#openItemOfType('message', () => ({
      type: 'message',
      id: createId('msg'),
      role: 'assistant',
      status: 'in_progress',
      content: [],
    }));
    const item = this.#lastItem as MessageItem;
    const text = `${item.content[0]?.text ?? ''}${delta}`;
    this.#lastItem = { ...item, content: [{ ...emptyPart, text }] };
    const part = { content_index: 0, part: emptyPart };
    const partEvents = isNewItem ? [this.#createEvent('response.content_part.added', part)] : [];
    const deltaEvent = this.#createEvent('response.output_text.delta', { content_index: 0, delta });
    return [...openingEvents, ...partEvents, deltaEvent];
  }

  #addCall(callDelta: NonNullable<Delta['tool_calls']>[number]): ResponseEvent[] {
    const { index, id = '', function: functionDelta } = callDelta;
    const openItemIndex = this.#callItemIndexes.get(index);
    const openingEvents =
      openItemIndex === undefined ? this.#openItem(createCall(id, functionDelta.name ?? '')) : [];
    this.#callItemIndexes.set(index, openItemIndex ?? this.#items.length - 1);
    const itemIndex = this.#callItemIndexes.get(index) ?? 0;
    const item = this.#items[itemIndex] as CallItem;
    this.#items[itemIndex] = { ...item, arguments: item.arguments + functionDelta.arguments };
    if (functionDelta.arguments === '') return openingEvents;
    const type = 'response.function_call_arguments.delta';
    return [
      ...openingEvents,
      this.#createEvent(type, { delta: functionDelta.arguments }, itemIndex),
    ];
  }

  get #lastItem(): OutputItem | undefined {
    return this.#items.at(-1);
  }

  set #lastItem(item: OutputItem) {
    this.#items[this.#items.length - 1] = item;
  }

  #isItemOpen(type: OutputItem['type']): boolean {
    return this.#isOpen && this.#lastItem?.type === type;
  }

  #openItemOfType(type: OutputItem['type'], createItem: () => OutputItem): ResponseEvent[] {
    return this.#isItemOpen(type) ? [] : this.#openItem(createItem());
  }

  /**
   * Completes the previous output item, and adds the given one. Adds the search item before the first item that is not
   * reasoning.
   */
  #openItem(item: OutputItem): ResponseEvent[] {
    const precedingEvents = [
      ...this.#closeItem(),
      ...(item.type === 'reasoning' ? [] : this.#addSearch()),
    ];
    this.#items.push(item);
    this.#isOpen = true;
    return [...precedingEvents, this.#createItemEvent('response.output_item.added')];
  }

  #closeItem(): ResponseEvent[] {
    if (!this.#isOpen || this.#lastItem === undefined) return [];
    this.#lastItem = this.#completeItem(this.#lastItem);
    this.#isOpen = false;
    return [this.#createItemEvent('response.output_item.done')];
  }

  #completeItem(item: OutputItem): OutputItem {
    if (item.type === 'reasoning') return item;
    const status: Status = this.#status;
    if (item.type !== 'message') return { ...item, status };
    const { citations } = this.#results;
    const content = item.content.map((part) => {
      return { ...part, annotations: createAnnotations(part.text, citations) };
    });
    return { ...item, status, content };
  }

  #addSearch(): ResponseEvent[] {
    if (this.#isSearchAdded || this.#results.lookupCount === 0) return [];
    this.#isSearchAdded = true;
    this.#items.push({ type: 'web_search_call', id: createId('ws'), status: 'completed' });
    return [
      this.#createItemEvent('response.output_item.added'),
      this.#createItemEvent('response.output_item.done'),
    ];
  }

  #createItemEvent(type: string): ResponseEvent {
    return { type, output_index: this.#items.length - 1, item: this.#lastItem };
  }

  #createEvent(type: string, fields: object, itemIndex = this.#items.length - 1): ResponseEvent {
    return { type, item_id: this.#items[itemIndex]?.id, output_index: itemIndex, ...fields };
  }
}

const createId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll('-', '')}`;

const createCall = (call_id: string, name: string): CallItem => ({
  type: 'function_call',
  id: createId('fc'),
  call_id,
  name,
  arguments: '',
  status: 'in_progress',
});

const toUsage = (usage: Usage): JsonRecord => ({
  input_tokens: usage.prompt_tokens,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: usage.completion_tokens,
  output_tokens_details: {
    reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  },
  total_tokens: usage.total_tokens,
});

/**
 * Returns one annotation for each citation number in markers such as `^1,3^`. If the text contains no markers, returns
 * one annotation per citation, each for the whole text.
 */
function createAnnotations(text: string, citations: readonly Citation[]): readonly Annotation[] {
  const markerMatches = [...text.matchAll(/\^(\d+(?:,\d+)*)\^/g)];
  if (markerMatches.length === 0) {
    return citations.flatMap((citation) => createAnnotation(citation, 0, text.length));
  }
  return markerMatches.flatMap(({ 0: marker, 1: numberText = '', index }) =>
    numberText
      .split(',')
      .flatMap((number) =>
        createAnnotation(citations[Number(number) - 1], index, index + marker.length),
      ),
  );
}

function createAnnotation(citation: unknown, start_index: number, end_index: number): Annotation[] {
  if (!isRecord(citation)) return [];
  const { url, title } = citation;
  const source = { url: readStringOr(url, ''), title: readStringOr(title, '') };
  return [{ type: 'url_citation', ...source, start_index, end_index }];
}
