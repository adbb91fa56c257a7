import { randomBytes } from 'node:crypto';
import type { SpeechMessage } from '../protocol.ts';
import { speechCost } from '../speech-model.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { networkFailure } from '../../service/http/network-failure.ts';
import { type SpeechRequest, streamSpeech } from '../../service/speech.ts';
import { SampleReader, type Samples } from './wav.ts';
import { playedFormat, type Voice } from './voice-settings.ts';

export interface ReadingOptions {
  readonly service: ServiceContext;
  readonly voice: Voice;
  /** Each short enough for one request; never empty. */
  readonly parts: readonly string[];
  /** The answer that is read, if it is one. */
  readonly messageId: string | undefined;
  readonly post: (message: SpeechMessage) => void;
}

/** Samples are told in pieces of at least so many bytes, or what there is at the end of a part. */
const pieceBytes = 16 * 1024;

/**
 * One text that is read aloud, part by part: the next one is asked for, and paid, when the page nears the end of what it
 * has.
 */
export class Reading {
  readonly id = randomBytes(12).toString('base64url');
  readonly #options: ReadingOptions;
  readonly #stop = new AbortController();
  #wanted = Promise.withResolvers<void>();
  #hasFailed = false;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Whether it reads this answer, and nothing went wrong. */
  reads(messageId: string): boolean {
    return this.#options.messageId === messageId && !this.#hasFailed;
  }

  /** Resolves when all was sent, or it was stopped. Never throws: the page is told what went wrong. */
  async run(): Promise<void> {
    const { parts, messageId = null, post } = this.#options;
    post({ type: 'speech-open', id: this.id, messageId });
    try {
      for (const [index, part] of parts.entries()) {
        if (index > 0) await this.#untilWanted();
        if (this.isOver) return;
        await this.#say(part);
        post({ type: 'speech-part', id: this.id, isLast: index === parts.length - 1 });
      }
    } catch (error) {
      if (this.isOver) return;
      this.#hasFailed = true;
      const { message } = networkFailure(error).failure;
      post({ type: 'speech-fail', id: this.id, message: message.slice(0, 1_000) });
    }
  }

  /** The page is about to run out of what it has. */
  wantMore(): void {
    this.#wanted.resolve();
  }

  /** Ends it at once, without a word to the page. */
  stop(): void {
    this.#stop.abort();
    this.#wanted.resolve();
  }

  async #untilWanted(): Promise<void> {
    await this.#wanted.promise;
    this.#wanted = Promise.withResolvers();
  }

  async #say(input: string): Promise<void> {
    const { service, voice } = this.#options;
    const { model, speed } = voice;
    const format = playedFormat(model);
    const request: SpeechRequest = {
      ...{ model: model.id, input, format, speed },
      ...(voice.voice === undefined ? {} : { voice: voice.voice }),
    };
    const price = speechCost(model, input.length);
    const streaming = format === 'wav' || format === 'pcm';
    const { signal } = this.#stop;
    const sink = streaming ? new SampleSink(format, this) : new FileSink(this);
    for await (const event of streamSpeech(service, request, { signal, price, streaming })) {
      if (event.type === 'audio-bytes') sink.take(event.bytes);
    }
    sink.end();
  }

  tell(message: SpeechMessage): void {
    if (!this.isOver) this.#options.post(message);
  }
}

/** Passes samples on as they come. */
class SampleSink {
  readonly #reader: SampleReader;
  readonly #reading: Reading;
  #waiting: Samples[] = [];
  #size = 0;

  constructor(format: 'wav' | 'pcm', reading: Reading) {
    this.#reader = new SampleReader(format);
    this.#reading = reading;
  }

  take(bytes: Uint8Array): void {
    const samples = this.#reader.feed(bytes);
    if (samples === undefined) return;
    this.#waiting.push(samples);
    this.#size += samples.bytes.length;
    if (this.#size >= pieceBytes) this.end();
  }

  end(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const { rate, channels } = first;
    const samples = Buffer.concat(this.#waiting.map(({ bytes }) => bytes)).toString('base64');
    this.#waiting = [];
    this.#size = 0;
    this.#reading.tell({ type: 'speech-samples', id: this.#reading.id, rate, channels, samples });
  }
}

/** A file can be decoded only when it is whole. */
class FileSink {
  readonly #reading: Reading;
  readonly #chunks: Uint8Array[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  take(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
  }

  end(): void {
    const file = Buffer.concat(this.#chunks).toString('base64');
    this.#reading.tell({ type: 'speech-file', id: this.#reading.id, file });
  }
}
