import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { reportAndShowFailure } from '../../account/vscode/show-failure.ts';
import { formatCount, formatUsd } from '../../base/amounts.ts';
import type { Host } from '../../host.ts';
import { confirm } from '../../platform/notifications.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import type { RetryWait, ServiceFailure } from '../../service/http/failure.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import { maxSpeechInputLength, type SpeechRequest, streamSpeech } from '../../service/speech.ts';
import type { SpeechMessage } from '../protocol.ts';
import { toSpeakableText, splitSpeechText } from '../speakable-text.ts';
import { computeSpeechCost } from '../speech-model.ts';
import { confirmSpeech, type SpokenText } from './speech-consent.ts';
import { getSelectedVoice, choosePlaybackFormat, type SelectedVoice } from './voice-settings.ts';
import { SampleReader, type AudioSamples } from './wav.ts';

export interface ReadingOptions {
  readonly service: ServiceContext;
  readonly voice: SelectedVoice;
  /** Parts of the text, each short enough for one request. Contains at least one part. */
  readonly parts: readonly string[];
  /** Id of the answer to read. Undefined for a text that is not an answer. */
  readonly messageId: string | undefined;
  readonly post: (message: SpeechMessage) => void;
  /** Called once if the service fails. No further audio follows. */
  readonly onFailure: (failure: ServiceFailure) => void;
}

/** Minimum size of the samples in a message, in bytes. The last message of each part can be smaller. */
const minChunkBytes = 16 * 1024;

/**
 * Reads a text aloud in parts. Requests a part, which costs money, only when playback of the previous part nears its
 * end.
 */
export class SpeechReading {
  readonly id = randomBytes(12).toString('base64url');
  readonly #options: ReadingOptions;
  readonly #abortController = new AbortController();
  #nextPartRequest = Promise.withResolvers<void>();
  #hasFailed = false;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  get isStopped(): boolean {
    return this.#abortController.signal.aborted;
  }

  /** Checks whether this reading reads the given answer aloud and has not failed. */
  isReading(messageId: string): boolean {
    return this.#options.messageId === messageId && !this.#hasFailed;
  }

  /**
   * Sends the audio of all parts to the page. Resolves when the last part is sent or the reading is stopped. Never
   * throws: the page receives failures as messages.
   */
  async sendAudio(): Promise<void> {
    const { parts, messageId = null, post } = this.#options;
    post({ type: 'speech-open', id: this.id, messageId });
    try {
      for (const [index, part] of parts.entries()) {
        if (index > 0) await this.#waitForPartRequest();
        if (this.isStopped) return;
        await this.#speakPart(part);
        post({ type: 'speech-part', id: this.id, isLast: index === parts.length - 1 });
      }
    } catch (error) {
      if (this.isStopped) return;
      this.#hasFailed = true;
      const { failure } = toServiceError(error);
      post({ type: 'speech-fail', id: this.id, message: failure.message.slice(0, 1_000) });
      this.#options.onFailure(failure);
    }
  }

  /** Permits the request for the next part. Called when playback of the received audio nears its end. */
  permitNextPart(): void {
    this.#nextPartRequest.resolve();
  }

  /** Stops the reading immediately. The page receives no message. */
  stop(): void {
    this.#abortController.abort();
    this.#nextPartRequest.resolve();
  }

  async #waitForPartRequest(): Promise<void> {
    await this.#nextPartRequest.promise;
    this.#nextPartRequest = Promise.withResolvers();
  }

  async #speakPart(input: string): Promise<void> {
    const { service, voice } = this.#options;
    const { model, speed } = voice;
    const format = choosePlaybackFormat(model);
    const request: SpeechRequest = {
      ...{ model: model.id, input, format, speed },
      ...(voice.voice === undefined ? {} : { voice: voice.voice }),
    };
    const price = computeSpeechCost(model, input.length);
    const isStreamed = format === 'wav' || format === 'pcm';
    const { signal } = this.#abortController;
    const audioSink = isStreamed ? new SampleSink(format, this) : new FileSink(this);
    for await (const event of streamSpeech(service, request, { signal, price, isStreamed })) {
      if (event.type === 'audio-bytes') audioSink.write(event.bytes);
      else if (event.type === 'retry-wait') this.#reportRetryWait(event);
    }
    audioSink.flush();
  }

  #reportRetryWait({ failure, delayMs }: RetryWait): void {
    const message = failure.message.slice(0, 1_000);
    const retryAt = this.#options.service.clock.now() + delayMs;
    this.post({ type: 'speech-wait', id: this.id, message, retryAt });
  }

  post(message: SpeechMessage): void {
    if (!this.isStopped) this.#options.post(message);
  }
}

/** Sends samples to the page while they are being received. */
class SampleSink {
  readonly #reader: SampleReader;
  readonly #reading: SpeechReading;
  #bufferedSamples: AudioSamples[] = [];
  #size = 0;

  constructor(format: 'wav' | 'pcm', reading: SpeechReading) {
    this.#reader = new SampleReader(format);
    this.#reading = reading;
  }

  write(bytes: Uint8Array): void {
    const samples = this.#reader.feed(bytes);
    if (samples === undefined) return;
    this.#bufferedSamples.push(samples);
    this.#size += samples.bytes.length;
    if (this.#size >= minChunkBytes) this.flush();
  }

  flush(): void {
    const [firstSamples] = this.#bufferedSamples;
    if (firstSamples === undefined) return;
    const { sampleRate, channels } = firstSamples;
    const samples = Buffer.concat(this.#bufferedSamples.map(({ bytes }) => bytes)).toString(
      'base64',
    );
    this.#bufferedSamples = [];
    this.#size = 0;
    this.#reading.post({
      type: 'speech-samples',
      id: this.#reading.id,
      rate: sampleRate,
      channels,
      samples,
    });
  }
}

/** Sends audio to the page as one complete file, because the page cannot decode a part of a file. */
class FileSink {
  readonly #reading: SpeechReading;
  readonly #chunks: Uint8Array[] = [];

  constructor(reading: SpeechReading) {
    this.#reading = reading;
  }

  write(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
  }

  flush(): void {
    const fileBase64 = Buffer.concat(this.#chunks).toString('base64');
    this.#reading.post({ type: 'speech-file', id: this.#reading.id, file: fileBase64 });
  }
}

/**
 * Maximum length of a part in characters. With longer parts, a user who stops early pays for more unused speech. With
 * shorter parts, more requests are needed.
 */
const maxPartLength = 2_000;

/** Page that plays the audio of a reading, and the services that create the audio. */
export interface ReadingTarget {
  readonly host: Pick<Host, 'service' | 'models' | 'account'>;
  readonly post: (message: SpeechMessage) => void;
}

interface CurrentReading {
  readonly reading: SpeechReading;
  readonly target: ReadingTarget;
}

let currentReading: CurrentReading | undefined;

/**
 * Reads Markdown aloud on a page. Stops the current reading on any page.
 * @returns a message for the user if there is nothing to read aloud, or if the service has no speech model
 */
export async function readAloud(
  target: ReadingTarget,
  spokenText: SpokenText,
): Promise<string | undefined> {
  stopReading();
  const { host, post } = target;
  const { markdown, messageId } = spokenText;
  if (host.models.models.length === 0) await host.models.refresh();
  const voice = getSelectedVoice(host.models);
  if (voice === undefined) return getNoSpeechModelMessage();
  const text = toSpeakableText(markdown, { codeBlock: `${vscode.l10n.t('Code')}.` });
  if (text === '') return vscode.l10n.t('There is nothing to read aloud.');
  if (!(await confirmSpeech(spokenText, voice)) || !(await confirmSpeechCost(voice, text)))
    return undefined;
  stopReading();
  const parts = splitSpeechText(text, Math.min(maxPartLength, maxSpeechInputLength));
  const { account } = host;
  const { profile } = account;
  const onFailure = (failure: ServiceFailure): void =>
    void reportAndShowFailure(
      { account, profile, failure },
      {
        retry: () => readAloud(target, spokenText),
        chooseModel: () => vscode.commands.executeCommand('inferenceService.selectVoice'),
      },
    );
  const reading = new SpeechReading({
    service: host.service,
    voice,
    parts,
    messageId,
    post,
    onFailure,
  });
  currentReading = { reading, target };
  void setReadingContext(true);
  void reading.sendAudio();
  return undefined;
}

/** Stops the current reading immediately, on whichever page it plays. */
export function stopReading(): void {
  if (currentReading === undefined) return;
  const { reading, target } = currentReading;
  currentReading = undefined;
  reading.stop();
  target.post({ type: 'speech-close', id: reading.id });
  void setReadingContext(false);
}

/** Ends the reading with the given id. Called when the page reports that the reading is finished. */
export function endReading(id: string): void {
  if (currentReading?.reading.id === id) stopReading();
}

/** Ends the current reading if it plays on the given page. Called when the page closes. */
export function endReadingOnPage(target: ReadingTarget): void {
  if (currentReading?.target === target) stopReading();
}

export function requestNextPart(id: string): void {
  if (currentReading?.reading.id === id) currentReading.reading.permitNextPart();
}

/** Checks whether the given answer is being read aloud. */
export const isReadingAloud = (messageId: string): boolean =>
  currentReading?.reading.isReading(messageId) === true;

export const getNoSpeechModelMessage = (): string =>
  vscode.l10n.t('This service has no speech model. Switch the connection.');

/**
 * Asks the user to confirm reading a long text aloud, because its cost may be unexpected. For a short text, returns
 * true without a prompt.
 */
export async function confirmSpeechCost({ model }: SelectedVoice, text: string): Promise<boolean> {
  if (text.length <= maxSpeechInputLength) return true;
  const readLabel = vscode.l10n.t('Read Aloud');
  const lengthText = formatCount(text.length);
  const usd = computeSpeechCost(model, text.length)?.usd;
  const question = vscode.l10n.t('Read {0} characters aloud?', lengthText);
  const detail =
    usd === undefined
      ? `${model.name}: ${vscode.l10n.t('unknown')}`
      : vscode.l10n.t('With {0}, all of it costs about {1}.', model.name, formatUsd(usd));
  return (await confirm({ question, detail }, readLabel)) === readLabel;
}

const setReadingContext = (isReadingNow: boolean): Thenable<unknown> =>
  vscode.commands.executeCommand('setContext', 'inferenceService.reading', isReadingNow);
