import {
  type DictationEvent,
  type DictationReply,
  type DictationState,
  dictationPageVersion,
  readClaimReply,
  readPollReply,
} from '../../src/speech/dictation-protocol.ts';
import { secretHeader } from '../../src/platform/pages/protocol.ts';

/** The only way between the page that records and the editor. */
export class HostLink {
  readonly #base: URL;
  #secret = '';
  #pieces = 0;
  #sending: Promise<boolean> = Promise.resolve(true);

  constructor(base: URL) {
    this.#base = base;
  }

  /** Takes the page over for this tab; false when the link is not good any more. */
  async claim(token: string): Promise<boolean> {
    this.#secret = token;
    if (token === '') {
      await this.#post('lost', {});
      return false;
    }
    const reply = await this.#post('claim', { version: dictationPageVersion });
    this.#secret = readClaimReply(reply)?.secret ?? '';
    return this.#secret !== '';
  }

  /** What the page should show; undefined when the editor does not answer. */
  async poll(state: DictationState | null): Promise<DictationReply | undefined> {
    return readPollReply(await this.#post('poll', { state }));
  }

  /** Sends a piece behind those before. */
  send(samples: string): void {
    const number = this.#pieces++;
    this.#sending = this.#sending.then(
      async (isFine) => isFine && (await this.#post('audio', { number, samples })) !== undefined,
    );
  }

  /** False when a piece did not arrive. */
  get sent(): Promise<boolean> {
    return this.#sending;
  }

  async tell(event: DictationEvent): Promise<void> {
    await this.#post('event', { event }, event === 'page-closed');
  }

  async #post(name: string, body: object, keepalive = false): Promise<unknown> {
    try {
      const reply = await fetch(new URL(`api/${name}`, this.#base), {
        method: 'POST',
        headers: { 'content-type': 'application/json', [secretHeader]: this.#secret },
        body: JSON.stringify(body),
        credentials: 'same-origin',
        redirect: 'error',
        keepalive,
      });
      return reply.ok ? ((await reply.json()) as unknown) : undefined;
    } catch {
      return undefined;
    }
  }
}
