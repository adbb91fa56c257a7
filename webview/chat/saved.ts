import { isRecord, stringOr } from '../../src/base/json.ts';
import type { CodeApi } from '../base/code-api.ts';

/** A place in a transcript that survives another width: a message and how far it is scrolled past, in pixels. */
export interface ScrollPlace {
  readonly messageId: string;
  readonly offset: number;
}

interface Draft {
  readonly conversation: string;
  readonly text: string;
}

const maxPlaces = 50;

/** What the webview keeps across its own reloads: the draft, and where each conversation was scrolled to. */
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

  /** Names the conversation on the screen: after a restart VS Code gives it to the host with an editor tab. */
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

  /** `undefined` when the conversation was left at its end. */
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
