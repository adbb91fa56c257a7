import { isRecord, omitUndefined, readStringOr } from '../../src/base/json.ts';
import type { CodeApi } from '../base/code-api.ts';

/**
 * Scroll position that does not depend on the width of the page. Consists of a message id, and the distance in pixels
 * from the top of the message down to the top of the visible area.
 */
export interface ScrollPosition {
  readonly messageId: string;
  readonly offset: number;
}

interface SavedDraft {
  readonly conversation: string;
  readonly text: string;
  /** Draft that the host has, if it differs from `text`. */
  readonly hostText?: string;
}

const maxScrollPositions = 50;
const maxEditedTexts = 10;

/**
 * State that persists across reloads of the webview: the drafts, the edited plans and messages, and the scroll position
 * of each conversation.
 */
export class SavedState {
  readonly #api: CodeApi;
  readonly #scrollPositions: Map<string, ScrollPosition>;
  /** Edited plans and messages by message id, oldest first. */
  readonly #editedTexts: Map<string, string>;
  #draft: SavedDraft;
  #conversationId = '';

  constructor(api: CodeApi) {
    this.#api = api;
    const state = api.getState();
    const record = isRecord(state) ? state : {};
    this.#scrollPositions = readScrollPositions(record['places']);
    this.#editedTexts = readEditedTexts(record['plans']);
    this.#draft = readDraft(record['draft']);
  }

  /**
   * Stores the conversation's id in the webview state. VS Code passes this state to the host when it restores an editor
   * tab.
   */
  setConversationId(conversationId: string): void {
    if (conversationId === this.#conversationId) return;
    this.#conversationId = conversationId;
    this.#writeState();
  }

  getDraft(conversationId: string): Pick<SavedDraft, 'text' | 'hostText'> {
    return this.#draft.conversation === conversationId ? this.#draft : noDraft;
  }

  /** @param hostText Draft that the host has, if it differs from `text`. */
  saveDraft(conversationId: string, text: string, hostText?: string): void {
    this.#draft = { conversation: conversationId, text, ...omitUndefined({ hostText }) };
    this.#writeState();
  }

  /** Returns the edited text of a plan or message that was not sent. Returns `undefined` for all others. */
  getEditedText(messageId: string): string | undefined {
    return this.#editedTexts.get(messageId);
  }

  /** Stores the edited text of a plan or message. If `text` is undefined, removes the stored text. */
  saveEditedText(messageId: string, text: string | undefined): void {
    if (text === undefined && !this.#editedTexts.has(messageId)) return;
    this.#editedTexts.delete(messageId);
    if (text !== undefined) this.#editedTexts.set(messageId, text);
    const [oldestId] = this.#editedTexts.keys();
    if (this.#editedTexts.size > maxEditedTexts && oldestId !== undefined)
      this.#editedTexts.delete(oldestId);
    this.#writeState();
  }

  /** Returns the saved scroll position, or `undefined` if the conversation was scrolled to its end. */
  getScrollPosition(conversationId: string): ScrollPosition | undefined {
    return this.#scrollPositions.get(conversationId);
  }

  saveScrollPosition(conversationId: string, position: ScrollPosition | undefined): void {
    if (position === undefined && !this.#scrollPositions.has(conversationId)) return;
    this.#scrollPositions.delete(conversationId);
    if (position !== undefined) this.#scrollPositions.set(conversationId, position);
    const [oldestId] = this.#scrollPositions.keys();
    if (this.#scrollPositions.size > maxScrollPositions && oldestId !== undefined)
      this.#scrollPositions.delete(oldestId);
    this.#writeState();
  }

  #writeState(): void {
    this.#api.setState({
      conversation: this.#conversationId,
      draft: this.#draft,
      plans: [...this.#editedTexts],
      places: [...this.#scrollPositions],
    });
  }
}

const noDraft: SavedDraft = { conversation: '', text: '' };

function readDraft(value: unknown): SavedDraft {
  if (!isRecord(value)) return noDraft;
  return {
    conversation: readStringOr(value['conversation'], ''),
    text: readStringOr(value['text'], ''),
    ...(typeof value['hostText'] === 'string' && { hostText: value['hostText'] }),
  };
}

function readEditedTexts(value: unknown): Map<string, string> {
  const texts = new Map<string, string>();
  for (const entry of Array.isArray(value) ? value : []) {
    if (Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string')
      texts.set(entry[0], entry[1]);
  }
  return texts;
}

function readScrollPositions(value: unknown): Map<string, ScrollPosition> {
  const positions = new Map<string, ScrollPosition>();
  for (const entry of Array.isArray(value) ? value : []) {
    if (Array.isArray(entry) && typeof entry[0] === 'string' && isScrollPosition(entry[1])) {
      positions.set(entry[0], entry[1]);
    }
  }
  return positions;
}

const isScrollPosition = (value: unknown): value is ScrollPosition =>
  isRecord(value) && typeof value['messageId'] === 'string' && Number.isFinite(value['offset']);
