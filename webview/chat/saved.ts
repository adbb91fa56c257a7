import { isRecord, stringOr } from '../../src/base/json.ts';
import type { CodeApi } from '../base/code-api.ts';

/** A scroll position that survives a change of width: a message, and how many pixels of it are scrolled out of view. */
export interface ScrollPlace {
  readonly messageId: string;
  readonly offset: number;
}

interface Draft {
  readonly conversation: string;
  readonly text: string;
}

const maxPlaces = 50;

/** State that the webview keeps over its own reloads: the draft, and the scroll position of each conversation. */
export class Saved {
  readonly #api: CodeApi;
  readonly #places: Map<string, ScrollPlace>;
  #draft: Draft;
  #conversation = '';

  constructor(api: CodeApi) {
    this.#api = api;
    const state = api.getState();
    const record = isRecord(state) ? state : {};
    this.#places = readPlaces(record['places']);
    this.#draft = readDraft(record['draft']);
  }

  /** Stores the id of the conversation on the page. VS Code passes it to the host when it restores an editor tab. */
  showing(conversation: string): void {
    if (conversation === this.#conversation) return;
    this.#conversation = conversation;
    this.#write();
  }

  draftOf(conversation: string): string {
    return this.#draft.conversation === conversation ? this.#draft.text : '';
  }

  keepDraft(conversation: string, text: string): void {
    this.#draft = { conversation, text };
    this.#write();
  }

  /** Returns `undefined` when the conversation was scrolled to its end. */
  placeOf(conversation: string): ScrollPlace | undefined {
    return this.#places.get(conversation);
  }

  keepPlace(conversation: string, place: ScrollPlace | undefined): void {
    if (place === undefined && !this.#places.has(conversation)) return;
    this.#places.delete(conversation);
    if (place !== undefined) this.#places.set(conversation, place);
    const [oldest] = this.#places.keys();
    if (this.#places.size > maxPlaces && oldest !== undefined) this.#places.delete(oldest);
    this.#write();
  }

  #write(): void {
    this.#api.setState({
      conversation: this.#conversation,
      draft: this.#draft,
      places: [...this.#places],
    });
  }
}

function readDraft(value: unknown): Draft {
  if (!isRecord(value)) return { conversation: '', text: '' };
  return { conversation: stringOr(value['conversation'], ''), text: stringOr(value['text'], '') };
}

function readPlaces(value: unknown): Map<string, ScrollPlace> {
  const places = new Map<string, ScrollPlace>();
  for (const entry of Array.isArray(value) ? value : []) {
    if (Array.isArray(entry) && typeof entry[0] === 'string' && isPlace(entry[1])) {
      places.set(entry[0], entry[1]);
    }
  }
  return places;
}

const isPlace = (value: unknown): value is ScrollPlace =>
  isRecord(value) && typeof value['messageId'] === 'string' && Number.isFinite(value['offset']);
