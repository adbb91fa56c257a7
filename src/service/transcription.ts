import * as l10n from '@vscode/l10n';
import { defined, isRecord, numberOr } from '../base/json.ts';
import { notUnderstood, readJson } from './http/reply.ts';
import type { Cost } from './chat/chat-types.ts';
import type { ServiceContext } from './http/client.ts';
import { ServiceError } from './http/failure.ts';
import { type Reply, secretsOf, send } from './http/request.ts';
import type { PaidRequest } from './chat/spending.ts';

/** What the service takes, by the ending of the file's name (service facts §4.2). */
export const transcribable = ['wav', 'flac', 'm4a', 'aac', 'mp4', 'mp3', 'ogg', 'webm'] as const;
export type AudioKind = (typeof transcribable)[number];

/** Of one file, in bytes. */
export const longestAudio = 25 * 1024 * 1024;

export interface TranscriptionRequest {
  readonly model: string;
  readonly audio: Uint8Array;
  readonly kind: AudioKind;
  /** Two letters, such as `de`; found out by the model when absent. */
  readonly language?: string;
}

export interface Transcription {
  /** May be empty: silence. */
  readonly text: string;
  /** In seconds. */
  readonly duration?: number;
}

interface Options {
  readonly signal: AbortSignal;
  /** At most, where the recording's length is not known before. */
  readonly price?: Cost | undefined;
  /** What so many seconds cost. It counts, with the length that the reply tells. */
  readonly priceOf?: (seconds: number) => Cost | undefined;
}

/** More than can be said in 25 MB. */
const mostText = 4 * 1024 * 1024;
const timeouts = { headers: 300_000, idle: 60_000 };

/**
 * The words of a recording (service facts §4.2).
 * @throws ServiceError; `payload-too-large` before anything is sent
 */
export async function transcribe(
  context: ServiceContext,
  request: TranscriptionRequest,
  { signal, price, priceOf }: Options,
): Promise<Transcription> {
  if (request.audio.length > longestAudio) throw tooLarge();
  const { model } = request;
  const paid: PaidRequest = {
    ...{ kind: 'transcription', model, isBackground: false },
    ...defined({ price }),
  };
  try {
    await context.spending?.admit(paid, signal);
    const form = await formOf(request);
    const call = { method: 'POST', path: '/audio/transcriptions', model, form, timeouts } as const;
    const reply = await send(context, call, signal);
    let told = paid;
    try {
      const transcription = await read(reply);
      const actual =
        transcription.duration === undefined ? undefined : priceOf?.(transcription.duration);
      if (actual !== undefined) told = { ...paid, price: actual };
      return transcription;
    } finally {
      // It was made, whether it is understood or not.
      context.spending?.spent(told, {});
    }
  } finally {
    context.spending?.ended(paid);
  }
}

async function read({ body, endpoint }: Reply): Promise<Transcription> {
  const secrets = secretsOf(endpoint);
  const json = await readJson(body, { maxBytes: mostText, secrets });
  const transcription = readTranscription(json);
  if (transcription === undefined) throw notUnderstood(JSON.stringify(json), secrets);
  return transcription;
}

function readTranscription(json: unknown): Transcription | undefined {
  if (!isRecord(json) || typeof json['text'] !== 'string') return undefined;
  const duration = numberOr(json['duration'], undefined);
  const isTime = duration !== undefined && duration >= 0;
  return { text: json['text'], ...(isTime ? { duration } : {}) };
}

async function formOf({ model, audio, kind, language }: TranscriptionRequest) {
  const form = new FormData();
  form.append(
    'file',
    new Blob([new Uint8Array(audio)], { type: mediaTypes[kind] }),
    `audio.${kind}`,
  );
  form.append('model', model);
  form.append('response_format', 'json');
  if (language !== undefined) form.append('language', language);
  const written = new Response(form);
  const type = written.headers.get('content-type') ?? '';
  return { type, bytes: new Uint8Array(await written.arrayBuffer()) };
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

const tooLarge = (): ServiceError =>
  new ServiceError({
    code: 'payload-too-large',
    message: l10n.t(
      'The recording is larger than the 25 MB that the service takes. Use a shorter one.',
    ),
  });
