import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import {
  type DictationEvent,
  dictationPageVersion,
  dictationRate,
  type DictationReply,
  type DictationState,
  longestDictation,
  readAudio,
  readClaim,
  readEvent,
  readPoll,
} from '../dictation-protocol.ts';
import type { CallReply, PageCall } from '../../platform/pages/page-server.ts';

/** How a recording ended. */
export type Dictated =
  | { readonly kind: 'recorded'; readonly pcm: Uint8Array }
  | { readonly kind: Exclude<DictationEvent, 'finished'> | 'idle' | 'stopped' };

interface SessionOptions {
  readonly clock: Clock;
  /** 256 bits by chance, in base64url. */
  readonly secret: () => string;
  readonly onLost: () => void;
}

/** Without any sign of life of the page for so long, everything ends. */
const idleMs = 5 * 60_000;
/** A page that is loaded anew says goodbye and comes back. */
const reloadMs = 3_000;
const pollMs = 20_000;
const mostBytes = longestDictation * dictationRate * 2;

/** One recording with one tab: who may speak, what was said. Knows nothing of HTTP. */
export class DictationSession {
  /** For the link: good for one claim. */
  readonly token: string;
  readonly #options: SessionOptions;
  readonly #ended = Promise.withResolvers<Dictated>();
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #secret: string | undefined;
  #shown: DictationReply = { state: 'ready', message: '' };
  #wake: () => void = () => {};
  #cancelIdle: () => void = () => {};
  #cancelGoodbye: () => void = () => {};

  constructor(options: SessionOptions) {
    this.#options = options;
    this.token = options.secret();
    this.#alive();
  }

  /** Resolves when the person pressed Stop, or it came to another end. */
  get ended(): Promise<Dictated> {
    return this.#ended.promise;
  }

  /** What the page shows from now on. */
  show(state: DictationState, message: string): void {
    this.#shown = { state, message };
    this.#wake();
  }

  stop(): void {
    this.#end({ kind: 'stopped' });
  }

  dispose(): void {
    this.#cancelIdle();
    this.#cancelGoodbye();
    this.#wake();
  }

  /** The reply, or the status of a refusal. 400: no such message. 403: not our page. 409: another tab has it. 413: enough. */
  async answer(call: PageCall): Promise<CallReply | number> {
    const answered = await this.#answer(call);
    return typeof answered === 'number' ? answered : { body: answered };
  }

  async #answer({ name, secret, body }: PageCall): Promise<object | number> {
    if (name === 'claim') return this.#claim(secret, body);
    if (name === 'lost') {
      if (this.#secret !== undefined) return 409;
      this.#options.onLost();
      return {};
    }
    if (this.#secret === undefined || !isSame(secret, this.#secret)) return 403;
    this.#alive();
    if (name === 'poll') return this.#poll(body);
    return name === 'audio' ? this.#audio(body) : this.#hear(body);
  }

  #claim(presented: string, body: unknown): object | number {
    if (readClaim(body) === undefined) return 400;
    // One tab alone: a recording that is loaded anew has nothing of it.
    if (this.#secret !== undefined) return isSame(presented, this.token) ? 409 : 403;
    if (!isSame(presented, this.token)) return 403;
    this.#secret = this.#options.secret();
    this.#alive();
    return { version: dictationPageVersion, secret: this.#secret };
  }

  async #poll(body: unknown): Promise<DictationReply | number> {
    const has = readPoll(body);
    if (has === undefined) return 400;
    this.#cancelGoodbye();
    this.#wake();
    if (has.state === this.#shown.state) {
      const news = Promise.withResolvers<void>();
      const cancel = this.#options.clock.after(pollMs, news.resolve);
      this.#wake = news.resolve;
      await news.promise;
      cancel();
    }
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
    else if (event === 'page-closed') {
      this.#cancelGoodbye();
      const end = (): void => this.#end({ kind: 'page-closed' });
      this.#cancelGoodbye = this.#options.clock.after(reloadMs, end);
    } else this.#end({ kind: event });
    return {};
  }

  #end(how: Dictated): void {
    this.#cancelIdle();
    this.#cancelGoodbye();
    this.#ended.resolve(how);
  }

  #alive(): void {
    this.#cancelIdle();
    this.#cancelIdle = this.#options.clock.after(idleMs, () => this.#end({ kind: 'idle' }));
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** In a time that tells nothing. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
