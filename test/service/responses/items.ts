/** An output item of a response. */
export type OutputItem = ReasoningItem | SearchItem | CallItem | MessageItem;

export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly id: string;
  /** Array with the complete reasoning as a single string. Empty before the first reasoning token. */
  readonly summary: readonly string[];
}

export interface SearchItem {
  readonly type: 'web_search_call';
  readonly id: string;
  readonly status: Status;
}

export interface CallItem {
  readonly type: 'function_call';
  readonly id: string;
  readonly call_id: string;
  readonly name: string;
  /** Arguments as JSON text. */
  readonly arguments: string;
  readonly status: Status;
}

export interface MessageItem {
  readonly type: 'message';
  readonly id: string;
  readonly role: 'assistant';
  readonly status: Status;
  readonly content: readonly TextPart[];
}

export interface TextPart {
  readonly type: 'output_text';
  readonly text: string;
  readonly annotations: readonly Annotation[];
}

/** Citation in a text. Its indexes are in UTF-16 code units. */
export interface Annotation {
  readonly type: 'url_citation';
  readonly url: string;
  readonly title: string;
  readonly start_index: number;
  readonly end_index: number;
}

export type Status = 'in_progress' | 'completed' | 'incomplete';

const itemTypeOrder = ['reasoning', 'web_search_call', 'function_call', 'message'];

/**
 * Sorts the items of a response by type. Only used without streaming, because a stream sends each item when it is
 * created.
 */
export const sortItems = (items: readonly OutputItem[]): readonly OutputItem[] =>
  items.toSorted((a, b) => itemTypeOrder.indexOf(a.type) - itemTypeOrder.indexOf(b.type));
