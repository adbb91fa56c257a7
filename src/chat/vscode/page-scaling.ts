import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { WebviewMessage } from '../protocol/page-message.ts';
import type { OpenChat } from './open-chat.ts';

/** A file that is to be attached, under the name it has elsewhere. */
export interface FileBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

type Answer = Extract<WebviewMessage, { type: 'media-scaled' }>;

/** A page that is still loading takes a moment, and a picture of 100 million pixels another one. */
const longestMs = 20_000;

/** Has pictures scaled by the page of a chat: it has the codecs, the extension host has none. */
export class PageScaling {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, (answer: Answer | undefined) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves to undefined when no page shows the chat, or it does not answer in time. */
  async scale({ name, bytes }: FileBytes, chat: OpenChat): Promise<Answer | undefined> {
    const { page } = chat;
    if (page === undefined) return undefined;
    const id = randomBytes(9).toString('base64url');
    const answer = new Promise<Answer | undefined>((resolve) => this.#waiting.set(id, resolve));
    const stopTimer = this.#clock.after(longestMs, () => this.#end(id, undefined));
    // What comes from a file system may be a subclass, which does not pass to the page as it is.
    page({ type: 'media-scale', id, name: name.slice(0, 200), bytes: new Uint8Array(bytes) });
    return answer.finally(stopTimer);
  }

  /** The page answered. */
  answered(answer: Answer): void {
    this.#end(answer.id, answer);
  }

  #end(id: string, answer: Answer | undefined): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }
}
