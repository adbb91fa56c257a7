import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { formatCount, formatUsd } from '../../base/amounts.ts';
import type { ModelCatalog } from '../../models/vscode/model-catalog.ts';
import { confirm } from '../../platform/notifications.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { networkFailure } from '../../service/http/network-failure.ts';
import { longestSpeechInput, type SpeechRequest, streamSpeech } from '../../service/speech.ts';
import type { SpeechMessage } from '../protocol.ts';
import { speakableText, speechParts } from '../speakable-text.ts';
import { speechCost } from '../speech-model.ts';
import { mayBeSpoken, type SpokenText } from './speech-consent.ts';
import { chosenVoice, playedFormat, type Voice } from './voice-settings.ts';
import { SampleReader, type Samples } from './wav.ts';

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

/** Of a part that is read: long enough for few requests, short enough that little is paid and not heard. */
const partLength = 2_000;

/** Where something is read. */
export interface ReadingPlace {
  readonly host: { readonly service: ServiceContext; readonly models: ModelCatalog };
  readonly post: (message: SpeechMessage) => void;
}

interface Current {
  readonly reading: Reading;
  readonly place: ReadingPlace;
}

let current: Current | undefined;

/**
 * Reads Markdown aloud on a page; what was read before, on any page, falls silent.
 * @returns why not, for the person
 */
export async function readAloud(
  place: ReadingPlace,
  spoken: SpokenText,
): Promise<string | undefined> {
  stopReading();
  const { host, post } = place;
  const { markdown, messageId } = spoken;
  if (host.models.models.length === 0) await host.models.refresh();
  const voice = chosenVoice(host.models);
  if (voice === undefined) return noVoice();
  const text = speakableText(markdown, { codeBlock: vscode.l10n.t('Code block.') });
  if (text === '') return vscode.l10n.t('There is nothing to read aloud.');
  if (!(await mayBeSpoken(spoken, voice)) || !(await mayCost(voice, text))) return undefined;
  stopReading();
  const parts = speechParts(text, Math.min(partLength, longestSpeechInput));
  const reading = new Reading({ service: host.service, voice, parts, messageId, post });
  current = { reading, place };
  void setContext(true);
  void reading.run();
  return undefined;
}

/** Silence everywhere, at once. */
export function stopReading(): void {
  if (current === undefined) return;
  const { reading, place } = current;
  current = undefined;
  reading.stop();
  place.post({ type: 'speech-close', id: reading.id });
  void setContext(false);
}

/** The page itself says that a reading is over, or is gone. */
export function readingOver(id: string): void {
  if (current?.reading.id === id) stopReading();
}

/** The page that something is read on is gone. */
export function placeGone(place: ReadingPlace): void {
  if (current?.place === place) stopReading();
}

export function readingWantsMore(id: string): void {
  if (current?.reading.id === id) current.reading.wantMore();
}

/** Whether this answer is being read. */
export const isReading = (messageId: string): boolean => current?.reading.reads(messageId) === true;

export const noVoice = (): string =>
  vscode.l10n.t('The service has no model that speaks. Choose another profile, or refresh models.');

/** Asks before a long text, which costs more than a person expects of a button. */
export async function mayCost({ model }: Voice, text: string): Promise<boolean> {
  if (text.length <= longestSpeechInput) return true;
  const read = vscode.l10n.t('Read aloud');
  const characters = formatCount(text.length);
  const usd = speechCost(model, text.length)?.usd;
  const question = vscode.l10n.t('Read {0} characters aloud?', characters);
  const detail =
    usd === undefined
      ? vscode.l10n.t('{0} names no price.', model.name)
      : vscode.l10n.t(
          'With {0} that costs about {1} when you listen to the end.',
          model.name,
          formatUsd(usd),
        );
  return (await confirm({ question, detail }, read)) === read;
}

const setContext = (isReadingNow: boolean): Thenable<unknown> =>
  vscode.commands.executeCommand('setContext', 'inferenceService.reading', isReadingNow);
