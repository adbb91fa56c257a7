import * as l10n from '@vscode/l10n';
import { omitUndefined } from '../base/json.ts';
import {
  createUnrecognizedResponseError,
  readTextStart,
  createUnexpectedResponseError,
  withStallTimeout,
} from './http/response.ts';
import type { Cost } from './chat/chat-types.ts';
import type { ServiceContext } from './http/client.ts';
import type { Connection, OptionalField } from './http/connection.ts';
import type { RetryWait } from './http/failure.ts';
import {
  createInterruptedError,
  createStoppedError,
  createTimeoutError,
} from './http/network-failure.ts';
import {
  bindToEndpoint,
  findEndpoint,
  sendWithRetries,
  yieldRetryWaits,
  type ServiceResponse,
  listSecrets,
} from './http/request.ts';
import { createUnchargedRetryCheck } from './http/uncharged-retries.ts';
import type { PaidRequest } from './chat/spending.ts';

/** Audio formats that the service offers. `pcm` means 16-bit little-endian samples, one channel, 24 kHz. */
export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof speechFormats)[number];

/** Maximum length of the input of one request, in UTF-16 code units. */
export const maxSpeechInputLength = 4_096;
/** Minimum and maximum speaking rate. The normal rate is 1. */
export const speechSpeeds = { min: 0.25, max: 4 } as const;

export interface SpeechRequest {
  readonly model: string;
  /** Text to speak, 1 to {@link maxSpeechInputLength} UTF-16 code units. */
  readonly input: string;
  /** Name of the voice. Default: the model's default voice. */
  readonly voice?: string;
  readonly format: SpeechFormat;
  /** Speaking rate within {@link speechSpeeds}. */
  readonly speed?: number;
}

export interface SpeechOptions {
  readonly signal: AbortSignal;
  /** Price of the request, according to the model's price list. */
  readonly price?: Cost | undefined;
  /** Set to false to receive the audio only when it is complete. Default: true. */
  readonly isStreamed?: boolean;
}

export type SpeechEvent =
  | ({ readonly type: 'retry-wait' } & RetryWait)
  | { readonly type: 'audio-start'; readonly mediaType: string }
  | { readonly type: 'audio-bytes'; readonly bytes: Uint8Array };

/**
 * Maximum size of the audio in bytes. Large enough for the longest input ({@link maxSpeechInputLength}) at the slowest
 * rate.
 */
const maxBytes = 128 * 1024 * 1024;
const timeouts = { headersMs: 120_000, idleMs: 60_000 };

/**
 * Converts text to speech and streams the audio. Closes the connection when the caller leaves the iteration or aborts
 * `signal`.
 * @throws ServiceError if the request fails; `interrupted` if the audio is truncated, `unexpected-response` if the
 * audio is empty
 */
export async function* streamSpeech(
  context: ServiceContext,
  request: SpeechRequest,
  { signal, price, isStreamed = true }: SpeechOptions,
): AsyncGenerator<SpeechEvent> {
  const { model } = request;
  const paidRequest: PaidRequest = {
    kind: 'speech',
    model,
    isBackground: false,
    ...omitUndefined({ price }),
  };
  const abortController = new AbortController();
  const combinedSignal = AbortSignal.any([signal, abortController.signal]);
  const call = {
    method: 'POST',
    path: '/audio/speech',
    body: buildBody(request, isStreamed),
    optionalFields: listOptionalFields(request),
    accept: 'audio/*',
    timeouts,
    canRetry: createUnchargedRetryCheck(context.clock),
    ...bindToEndpoint(await findEndpoint(context)),
  } as const;
  const retries = sendWithRetries(context, call, combinedSignal);
  try {
    await context.spending?.authorizeRequest(paidRequest, combinedSignal);
    const response = yield* yieldRetryWaits(retries, (wait) => ({
      ...wait,
      type: 'retry-wait' as const,
    }));
    const onStall = (): void => abortController.abort(createTimeoutError('progress'));
    const body = withStallTimeout(response.body, { clock: context.clock, onStall });
    for await (const event of readAudio({ ...response, body })) {
      if (event.type === 'audio-start') context.spending?.recordSpending(paidRequest, {});
      yield event;
    }
  } finally {
    context.spending?.releaseReservedPrice(paidRequest);
    // Has no effect if the response was read completely.
    abortController.abort(createStoppedError());
  }
}

/**
 * Converts text to speech like {@link streamSpeech}, but returns the complete audio file.
 * @throws ServiceError if the request fails or the audio is incomplete
 */
export async function readSpeech(
  context: ServiceContext,
  request: SpeechRequest,
  options: Omit<SpeechOptions, 'isStreamed'>,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const event of streamSpeech(context, request, { ...options, isStreamed: false })) {
    if (event.type === 'audio-bytes') chunks.push(event.bytes);
    else if (event.type === 'retry-wait') context.onRetryWait?.(event);
  }
  return Buffer.concat(chunks);
}

const buildBody = (
  { model, input, voice, format, speed }: SpeechRequest,
  isStreamed: boolean,
): object => ({
  model,
  input,
  response_format: format,
  ...(isStreamed ? { streaming: isStreamed } : {}),
  ...omitUndefined({ voice, speed: speed === 1 ? undefined : speed }),
});

/**
 * Returns the request fields that a service or a model may refuse. The voice and the speed count as chosen by the user,
 * so they are left out only if the user agrees.
 */
const listOptionalFields = ({ model }: Pick<SpeechRequest, 'model'>): readonly OptionalField[] => [
  { path: 'streaming', key: 'speech.streaming' },
  {
    path: 'voice',
    key: `speech.voice:${model}`,
    chosenName: l10n.t('Voice'),
  },
  {
    path: 'speed',
    key: `speech.speed:${model}`,
    chosenName: l10n.t('Speed'),
  },
];

/**
 * Reverts the omission of refused options, so that further requests to a model contain these options again. Call it
 * after the user chose new values for the options.
 */
export function restoreSpeechOptions(connection: Connection, model: string): void {
  for (const { key } of listOptionalFields({ model })) connection.restoreField(key);
}

async function* readAudio(
  response: Pick<ServiceResponse, 'headers' | 'body' | 'endpoint'>,
): AsyncGenerator<SpeechEvent> {
  const mediaType =
    (response.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!isAudio(mediaType)) {
    throw createUnrecognizedResponseError(
      await readTextStart(response.body, 16 * 1024),
      listSecrets(response.endpoint),
    );
  }
  let size = 0;
  for await (const bytes of response.body) {
    if (bytes.length === 0) continue;
    if (size === 0) yield { type: 'audio-start', mediaType };
    size += bytes.length;
    if (size > maxBytes)
      throw createUnexpectedResponseError(l10n.t('The reply is larger than expected.'));
    yield { type: 'audio-bytes', bytes };
  }
  if (size === 0)
    throw createUnexpectedResponseError(
      l10n.t('The service sent no usable audio. Try another voice.'),
    );
  if (size < getAnnouncedSize(response.headers)) throw createInterruptedError();
}

/**
 * Checks for an audio media type. Accepts `application/octet-stream`, because some gateways use it for unknown types.
 */
const isAudio = (mediaType: string): boolean =>
  mediaType.startsWith('audio/') || mediaType === 'application/octet-stream';

/** Returns the size from `Content-Length` in bytes; 0 if unknown or if the response is compressed. */
const getAnnouncedSize = (headers: ServiceResponse['headers']): number =>
  headers['content-encoding'] === undefined ? Number(headers['content-length'] ?? 0) || 0 : 0;
