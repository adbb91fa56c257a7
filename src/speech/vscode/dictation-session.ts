import type { Clock } from '../../base/clock.ts';
import {
  type DictationEvent,
  dictationPageVersion,
  dictationRate,
  type DictationReply,
  type DictationState,
  longestDictation,
  readAudio,
  readEvent,
  readPoll,
} from '../dictation-protocol.ts';
import type { CallReply, PageCall } from '../../platform/pages/page-server.ts';
import { PagePairing } from '../../platform/pages/pairing.ts';

/** How a recording ended. */
export type Dictated =
  | { readonly kind: 'recorded'; readonly pcm: Uint8Array }
  | { readonly kind: Exclude<DictationEvent, 'finished'> | 'idle' | 'stopped' };

interface SessionOptions {
  readonly clock: Clock;
  /** Makes the secrets of the pairing in tests. */
  readonly secret?: () => string;
}

/** A page that was closed comes back from the browser's cache at most. */
const reloadMs = 3_000;
const pollMs = 20_000;
const mostBytes = longestDictation * dictationRate * 2;

/** One recording with one tab: what the page shows, what was said. */
export class DictationSession {
  readonly pairing: PagePairing;
  readonly #ended = Promise.withResolvers<Dictated>();
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #shown: DictationReply = { state: 'ready', message: '' };

  constructor(options: SessionOptions) {
    // Without `onReload`: a recording that is loaded anew has nothing of it.
    this.pairing = new PagePairing({
      ...{ ...options, version: dictationPageVersion, reloadMs, pollMs },
      onClosed: () => this.#end({ kind: 'page-closed' }),
      onIdle: () => this.#end({ kind: 'idle' }),
    });
  }

  /** Resolves when the person pressed Stop, or it came to another end. */
  get ended(): Promise<Dictated> {
    return this.#ended.promise;
  }

  /** What the page shows from now on. */
  show(state: DictationState, message: string): void {
    this.#shown = { state, message };
    this.pairing.wake();
  }

  stop(): void {
    this.#end({ kind: 'stopped' });
  }

  dispose(): void {
    this.pairing.end();
    this.pairing.wake();
  }

  /** The reply to a call of the page, or the status of a refusal: as the pairing, and 413: enough was said. */
  respond(call: PageCall): Promise<CallReply | number> {
    return this.pairing.respond(call, async ({ name, body }) => {
      const reply = await this.#perform(name, body);
      return typeof reply === 'number' ? reply : { body: reply };
    });
  }

  #perform(name: string, body: unknown): object | number | Promise<object | number> {
    if (name === 'poll') return this.#poll(body);
    return name === 'audio' ? this.#audio(body) : this.#hear(body);
  }

  async #poll(body: unknown): Promise<DictationReply | number> {
    const has = readPoll(body);
    if (has === undefined) return 400;
    this.pairing.stay();
    await this.pairing.waitForNews(has.state !== this.#shown.state);
    return this.#shown;
  }

  #audio(body: unknown): object | number {
    const piece = readAudio(body);
    if (piece === undefined || piece.number !== this.#chunks.length) return 400;
    const samples = Buffer.from(piece.samples, 'base64');
    if (samples.length % 2 !== 0) return 400;
    if (this.#size + samples.length > mostBytes) return 413;
    this.#size += samples.length;
    this.#chunks.push(samples);
    return {};
  }

  #hear(body: unknown): object | number {
    const event = readEvent(body)?.event;
    if (event === undefined) return 400;
    if (event === 'finished') this.#end({ kind: 'recorded', pcm: Buffer.concat(this.#chunks) });
    else if (event === 'page-closed') this.pairing.leave();
    else this.#end({ kind: event });
    return {};
  }

  #end(how: Dictated): void {
    this.pairing.end();
    this.#ended.resolve(how);
  }
}
