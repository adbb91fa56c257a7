import * as l10n from '@vscode/l10n';
import { defined } from '../base/json.ts';
import { notUnderstood, readTextStart, unexpectedResponse, withProgress } from './http/reply.ts';
import type { Cost } from './chat/chat-types.ts';
import type { ServiceContext } from './http/client.ts';
import { interrupted, stopped, timedOut } from './http/network-failure.ts';
import { exchange, type Reply, type RetryWait, secretsOf } from './http/request.ts';
import type { PaidRequest } from './chat/spending.ts';

/** What audio a reply holds (service facts §4.1). `pcm`: 16-bit little-endian samples, one channel, 24 kHz. */
export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof speechFormats)[number];

/** No request takes more, in UTF-16 units. */
export const longestSpeechInput = 4_096;
/** As many times as fast as usual. */
export const speechSpeeds = { least: 0.25, most: 4 } as const;

export interface SpeechRequest {
  readonly model: string;
  /** 1 to {@link longestSpeechInput} characters. */
  readonly input: string;
  /** The model's own when absent. */
  readonly voice?: string;
  readonly format: SpeechFormat;
  /** Within {@link speechSpeeds}. */
  readonly speed?: number;
}

export interface SpeechOptions {
  readonly signal: AbortSignal;
  /** By the model's prices. */
  readonly price?: Cost | undefined;
  /** Whether the audio is wanted while it is being made; else it comes whole. */
  readonly streaming?: boolean;
}

export type SpeechEvent =
  | ({ readonly type: 'retry-wait' } & RetryWait)
  | { readonly type: 'audio-start'; readonly mediaType: string }
  | { readonly type: 'audio-bytes'; readonly bytes: Uint8Array };

/** More than four thousand characters can take, read at the slowest. */
const mostBytes = 128 * 1024 * 1024;
const timeouts = { headers: 120_000, idle: 60_000 };

/**
 * Reads a text aloud (service facts §4.1): the audio as it comes, never empty. Leaving the iteration, or aborting
 * `signal`, closes the connection at once.
 * @throws ServiceError; `interrupted` when the audio ends before what was announced
 */
export async function* streamSpeech(
  context: ServiceContext,
  request: SpeechRequest,
  { signal, price, streaming = true }: SpeechOptions,
): AsyncGenerator<SpeechEvent> {
  const { model } = request;
  const paid: PaidRequest = { kind: 'speech', model, isBackground: false, ...defined({ price }) };
  const canceller = new AbortController();
  const either = AbortSignal.any([signal, canceller.signal]);
  const call = {
    method: 'POST',
    path: '/audio/speech',
    body: bodyOf(request, streaming),
    accept: 'audio/*',
    timeouts,
  } as const;
  const tries = exchange(context, call, either);
  try {
    await context.spending?.admit(paid, either);
    let step = await tries.next();
    for (; !step.done; step = await tries.next()) yield { type: 'retry-wait', ...step.value };
    const onStall = (): void => canceller.abort(timedOut('progress'));
    const body = withProgress(step.value.body, { clock: context.clock, onStall });
    for await (const event of readAudio({ ...step.value, body })) {
      if (event.type === 'audio-start') context.spending?.spent(paid, {});
      yield event;
    }
  } finally {
    context.spending?.ended(paid);
    // Without effect on a reply that was read to its end.
    canceller.abort(stopped());
  }
}

/**
 * {@link streamSpeech} for those who want the file.
 * @throws ServiceError
 */
export async function readSpeech(
  context: ServiceContext,
  request: SpeechRequest,
  options: Omit<SpeechOptions, 'streaming'>,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const event of streamSpeech(context, request, { ...options, streaming: false })) {
    if (event.type === 'audio-bytes') chunks.push(event.bytes);
  }
  return Buffer.concat(chunks);
}

const bodyOf = (
  { model, input, voice, format, speed }: SpeechRequest,
  streaming: boolean,
): object => ({
  model,
  input,
  response_format: format,
  streaming,
  ...defined({ voice, speed }),
});

async function* readAudio(
  reply: Pick<Reply, 'headers' | 'body' | 'endpoint'>,
): AsyncGenerator<SpeechEvent> {
  const mediaType = (reply.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!isAudio(mediaType)) {
    throw notUnderstood(await readTextStart(reply.body, 16 * 1024), secretsOf(reply.endpoint));
  }
  let size = 0;
  for await (const bytes of reply.body) {
    if (bytes.length === 0) continue;
    if (size === 0) yield { type: 'audio-start', mediaType };
    size += bytes.length;
    if (size > mostBytes)
      throw unexpectedResponse(l10n.t('The service sent more audio than expected.'));
    yield { type: 'audio-bytes', bytes };
  }
  if (size === 0) throw unexpectedResponse(l10n.t('The service sent no audio. Try another voice.'));
  if (size < announced(reply.headers)) throw interrupted();
}

/** Some gateways name bytes that they do not know so. */
const isAudio = (mediaType: string): boolean =>
  mediaType.startsWith('audio/') || mediaType === 'application/octet-stream';

/** Of a reply that is packed, the length says nothing about the audio. */
const announced = (headers: Reply['headers']): number =>
  headers['content-encoding'] === undefined ? Number(headers['content-length'] ?? 0) || 0 : 0;
