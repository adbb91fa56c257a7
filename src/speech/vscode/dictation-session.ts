import type { Clock } from '../../base/clock.ts';
import {
  type DictationEvent,
  dictationPageVersion,
  dictationSampleRate,
  type DictationReply,
  type DictationState,
  maxDictationSeconds,
  readAudio,
  readEvent,
  readPoll,
} from '../dictation-protocol.ts';
import type { CallResponse, PageCall } from '../../platform/pages/page-server.ts';
import { PagePairing } from '../../platform/pages/pairing.ts';

/** Outcome of a recording: the audio, or the reason why there is none. */
export type DictationResult =
  | { readonly kind: 'recorded'; readonly pcm: Uint8Array }
  /** Partial recording that ended before the page had sent all audio. */
  | { readonly kind: 'cut-off'; readonly pcm: Uint8Array }
  | { readonly kind: Exclude<DictationEvent, 'finished'> | 'idle' | 'stopped' };

interface SessionOptions {
  readonly clock: Clock;
  /** Creates the secret that pairs the page with the host. Tests replace this function. */
  readonly createSecret?: () => string;
}

/**
 * Time in milliseconds within which a closed page can return from the browser's cache. After that, the recording ends.
 */
const maxReloadMs = 3_000;
const maxPollMs = 20_000;
const maxRecordingBytes = maxDictationSeconds * dictationSampleRate * 2;

/** Recording in a browser tab. Stores the state of the page and the recorded audio. */
export class DictationSession {
  readonly pairing: PagePairing;
  readonly #result = Promise.withResolvers<DictationResult>();
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #pageState: DictationReply = { state: 'ready', message: '' };

  constructor(options: SessionOptions) {
    // Has no `onReload`, because a reloaded page has lost the recording.
    this.pairing = new PagePairing({
      ...{ ...options, version: dictationPageVersion, reloadMs: maxReloadMs, maxPollMs },
      onClosed: () => this.#interruptDictation('page-closed'),
      onIdle: () => this.#interruptDictation('idle'),
    });
  }

  /** Resolves when the recording ends: the user stops it, the page closes, or an error occurs. */
  get result(): Promise<DictationResult> {
    return this.#result.promise;
  }

  /** Sets the state that the page shows. */
  show(state: DictationState, message: string): void {
    this.#pageState = { state, message };
    this.pairing.endPoll();
  }

  /** Ends the recording because the user canceled it. Discards the audio. */
  cancel(): void {
    this.#completeDictation({ kind: 'stopped' });
  }

  /** Ends the recording because another one starts. Keeps the audio that was already received. */
  interrupt(): void {
    this.#interruptDictation('stopped');
  }

  dispose(): void {
    this.pairing.stopTimers();
    this.pairing.endPoll();
  }

  /**
   * Handles a request from the page. Returns the reply, or an HTTP status if the request is rejected. The status is 400
   * for invalid input and 413 for a recording that is too long. `pairing` determines the status of other rejected
   * requests.
   */
  respond(call: PageCall): Promise<CallResponse | number> {
    return this.pairing.respond(call, async ({ name, body }) => {
      const reply = await this.#handleCall(name, body);
      return typeof reply === 'number' ? reply : { body: reply };
    });
  }

  #handleCall(name: string, body: unknown): object | number | Promise<object | number> {
    if (name === 'poll') return this.#answerPoll(body);
    return name === 'audio' ? this.#appendAudio(body) : this.#handleEvent(body);
  }

  async #answerPoll(body: unknown): Promise<DictationReply | number> {
    const poll = readPoll(body);
    if (poll === undefined) return 400;
    this.pairing.cancelClose();
    await this.pairing.waitForEvents(poll.state !== this.#pageState.state);
    return this.#pageState;
  }

  #appendAudio(body: unknown): object | number {
    const chunk = readAudio(body);
    if (chunk === undefined || chunk.number !== this.#chunks.length) return 400;
    const samples = Buffer.from(chunk.samples, 'base64');
    if (samples.length % 2 !== 0) return 400;
    if (this.#size + samples.length > maxRecordingBytes) return 413;
    this.#size += samples.length;
    this.#chunks.push(samples);
    return {};
  }

  #handleEvent(body: unknown): object | number {
    const event = readEvent(body)?.event;
    if (event === undefined) return 400;
    if (event === 'finished')
      this.#completeDictation({ kind: 'recorded', pcm: Buffer.concat(this.#chunks) });
    else if (event === 'page-closed') this.pairing.scheduleClose();
    else if (event === 'incomplete') this.#interruptDictation(event);
    else this.#completeDictation({ kind: event });
    return {};
  }

  /** Ends the recording before the user finished it. Keeps the audio that was already received. */
  #interruptDictation(kind: 'page-closed' | 'idle' | 'incomplete' | 'stopped'): void {
    this.#completeDictation(
      this.#size === 0 ? { kind } : { kind: 'cut-off', pcm: Buffer.concat(this.#chunks) },
    );
  }

  #completeDictation(result: DictationResult): void {
    this.pairing.stopTimers();
    this.#result.resolve(result);
  }
}
