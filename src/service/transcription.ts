import * as l10n from '@vscode/l10n';
import { omitUndefined, isRecord, readNumberOr } from '../base/json.ts';
import { createUnrecognizedResponseError, readJson } from './http/response.ts';
import type { Cost } from './chat/chat-types.ts';
import type { ServiceContext } from './http/client.ts';
import { ServiceError } from './http/failure.ts';
import {
  bindToEndpoint,
  findEndpoint,
  type ServiceResponse,
  listSecrets,
  sendCall,
} from './http/request.ts';
import { createUnchargedRetryCheck } from './http/uncharged-retries.ts';
import type { PaidRequest } from './chat/spending.ts';

/** Audio formats that the service accepts, named by file extension. */
export const audioKinds = ['wav', 'flac', 'm4a', 'aac', 'mp4', 'mp3', 'ogg', 'webm'] as const;
export type AudioKind = (typeof audioKinds)[number];

/** Maximum size of an audio file in bytes. */
export const maxAudioBytes = 25 * 1024 * 1024;

export interface TranscriptionRequest {
  readonly model: string;
  readonly audio: Uint8Array;
  readonly kind: AudioKind;
  /** Two-letter code of the spoken language, such as `de`. By default, the model detects the language. */
  readonly language?: string;
}

export interface Transcription {
  /** Transcript of the speech. Empty for silence. */
  readonly text: string;
  /** Duration of the audio in seconds. Absent if the service does not report it. */
  readonly duration?: number;
}

interface TranscriptionOptions {
  readonly signal: AbortSignal;
  /** Price to reserve before the request. If the duration of the recording is unknown, the maximum price. */
  readonly price?: Cost | undefined;
  /** Returns the price of a recording with this duration. Used to record the actual price after the response. */
  readonly getPrice?: (seconds: number) => Cost | undefined;
}

/** Maximum size of the response in bytes. Larger than any transcript of 25 MB of audio. */
const maxResponseBytes = 4 * 1024 * 1024;
const timeouts = { headersMs: 300_000, idleMs: 60_000 };

/**
 * Transcribes a recording.
 * @throws ServiceError if the request fails; `payload-too-large` before the request if the recording is too large.
 */
export async function transcribeAudio(
  context: ServiceContext,
  request: TranscriptionRequest,
  { signal, price, getPrice }: TranscriptionOptions,
): Promise<Transcription> {
  if (request.audio.length > maxAudioBytes) throw createAudioTooLargeError();
  const { model } = request;
  const paidRequest: PaidRequest = {
    ...{ kind: 'transcription', model, isBackground: false },
    ...omitUndefined({ price }),
  };
  const binding = bindToEndpoint(await findEndpoint(context));
  try {
    await context.spending?.authorizeRequest(paidRequest, signal);
    const form = await buildForm(request);
    const call = { method: 'POST', path: '/audio/transcriptions', model, form, timeouts } as const;
    const canRetry = createUnchargedRetryCheck(context.clock);
    const response = await sendCall(context, { ...call, ...binding, canRetry }, signal);
    let chargedRequest = paidRequest;
    try {
      const transcription = await readReply(response);
      const actualPrice =
        transcription.duration === undefined ? undefined : getPrice?.(transcription.duration);
      if (actualPrice !== undefined) chargedRequest = { ...paidRequest, price: actualPrice };
      return transcription;
    } finally {
      // The service charged for the transcript, even if the response cannot be decoded.
      context.spending?.recordSpending(chargedRequest, {});
    }
  } finally {
    context.spending?.releaseReservedPrice(paidRequest);
  }
}

async function readReply({ body, endpoint }: ServiceResponse): Promise<Transcription> {
  const secrets = listSecrets(endpoint);
  const json = await readJson(body, { maxBytes: maxResponseBytes, secrets });
  const transcription = readTranscription(json);
  if (transcription === undefined)
    throw createUnrecognizedResponseError(JSON.stringify(json), secrets);
  return transcription;
}

function readTranscription(json: unknown): Transcription | undefined {
  if (!isRecord(json) || typeof json['text'] !== 'string') return undefined;
  const duration = readNumberOr(json['duration'], undefined);
  const isValidDuration = duration !== undefined && duration >= 0;
  return { text: json['text'], ...(isValidDuration ? { duration } : {}) };
}

async function buildForm({ model, audio, kind, language }: TranscriptionRequest) {
  const form = new FormData();
  form.append(
    'file',
    new Blob([new Uint8Array(audio)], { type: mediaTypes[kind] }),
    `audio.${kind}`,
  );
  form.append('model', model);
  form.append('response_format', 'json');
  if (language !== undefined) form.append('language', language);
  const encodedForm = new Response(form);
  const type = encodedForm.headers.get('content-type') ?? '';
  return { type, bytes: new Uint8Array(await encodedForm.arrayBuffer()) };
}

const mediaTypes: Readonly<Record<AudioKind, string>> = {
  wav: 'audio/wav',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  mp4: 'audio/mp4',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  webm: 'audio/webm',
};

const createAudioTooLargeError = (): ServiceError =>
  new ServiceError({
    code: 'payload-too-large',
    message: l10n.t(
      'The recording is larger than the 25 MB that the service takes. Use a shorter one.',
    ),
  });
