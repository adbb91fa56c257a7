import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecord } from '../../../src/base/json.ts';
import {
  type AudioFormat,
  synthesizeSpeech,
  audioMimeTypes,
  speechBodySchema,
} from '../audio/speech.ts';
import {
  transcribeFile,
  createWordTimestamps,
  transcriptionBodySchema,
} from '../audio/transcription.ts';
import type { ModelRecord } from '../catalog/model.ts';
import { pauseFor } from '../chat/pace.ts';
import { acceptForms } from '../form-data.ts';
import { requireModelAccess } from '../keys/model-access.ts';
import { createModelHeaders } from '../model-headers.ts';
import { type Micro, toMicro } from '../money/amounts.ts';
import type { ApiKey } from '../money/api-key.ts';
import { ApiError } from '../api-error.ts';
import { createCustomIssue, createInvalidRequestError, parseClosed } from '../validation.ts';
import type { ServiceState } from '../service-state.ts';
import { authenticateCaller } from '../x402/authenticate-caller.ts';

/** Adds `POST /audio/speech` and `POST /audio/transcriptions`. */
export function addAudioRoutes(app: FastifyInstance, state: ServiceState): void {
  app.post('/audio/speech', (request, reply) => handleSpeech(state, request, reply));
  app.register(async (scope) => {
    acceptForms(scope, state);
    scope.post('/audio/transcriptions', (request, reply) =>
      handleTranscription(state, request, reply),
    );
  });
}

async function handleSpeech(state: ServiceState, request: FastifyRequest, reply: FastifyReply) {
  const key = await authenticateCaller(state, request, reply);
  const body = parseClosed(speechBodySchema, request.body);
  const model = findModel(state, 'tts', body.model);
  const format = body.response_format ?? (model.model_spec['default_format'] as AudioFormat);
  const voice = body.voice ?? String(model.model_spec['default_voice']);
  checkSpeech(model, { format, voice });
  const price = toMicro((getModelPrice(model, 'input') * body.input.length) / 1_000_000);
  authorizeAudio(state, { key, reply, model, price });
  const chunks = synthesizeSpeech({ text: body.input, voice, speed: body.speed }, format);
  reply.type(audioMimeTypes[format]);
  state.accounts.chargeAccount(key, price, model.id);
  if (!body.streaming) return reply.send(Buffer.concat([...chunks]));
  return reply.send(Readable.from(paceSpeech(state, chunks, request.closeSignal)));
}

/** Yields the chunks of speech about ten times as fast as they play. */
async function* paceSpeech(
  { pace }: ServiceState,
  chunks: Iterable<Buffer>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    await pauseFor(pace === 'instant' ? 0 : 25, signal);
    if (signal.aborted) return;
    yield chunk;
  }
}

function checkSpeech(
  { model_spec }: ModelRecord,
  { format, voice }: { format: AudioFormat; voice: string },
): void {
  const supportsValue = (name: string, value: string): boolean =>
    (model_spec[name] as readonly string[]).includes(value);
  const issues = [
    supportsValue('supported_formats', format)
      ? undefined
      : createCustomIssue(['response_format'], `response_format is not supported by this model`),
    supportsValue('voices', voice)
      ? undefined
      : createCustomIssue(['voice'], `Invalid voice: ${voice}`),
  ].filter((issue) => issue !== undefined);
  if (issues.length > 0) throw createInvalidRequestError(issues);
}

async function handleTranscription(
  state: ServiceState,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const key = await authenticateCaller(state, request, reply);
  if (!isRecord(request.body) || !Buffer.isBuffer(request.body['file']))
    throw new ApiError(400, 'No audio file provided');
  const body = parseClosed(transcriptionBodySchema, request.body);
  const model = findModel(state, 'asr', body.model);
  const transcript = transcribeFile(body.file);
  const price = toMicro(getModelPrice(model, 'per_audio_second') * transcript.durationSeconds);
  authorizeAudio(state, { key, reply, model, price });
  state.accounts.chargeAccount(key, price, model.id);
  if (body.response_format === 'text')
    return reply.type('text/plain; charset=utf-8').send(transcript.text);
  return {
    text: transcript.text,
    duration: transcript.durationSeconds,
    ...(body.timestamps === 'true' && { timestamps: createWordTimestamps(transcript) }),
  };
}

/**
 * Finds a model by id or trait.
 * @throws ApiError 404 if no model matches
 */
function findModel({ catalog }: ServiceState, type: 'tts' | 'asr', name: string): ModelRecord {
  const id = catalog.mapTraits(type)[name] ?? name;
  const foundModel = catalog.listRecords(type).find((record) => record.id === id);
  if (foundModel === undefined) throw new ApiError(404, `Specified model not found: ${name}`);
  return foundModel;
}

function getModelPrice({ model_spec }: ModelRecord, name: string): number {
  const pricing = model_spec.pricing as Readonly<Record<string, { readonly usd: number }>>;
  return pricing[name]?.usd ?? 0;
}

interface AudioJob {
  readonly key: ApiKey;
  readonly reply: FastifyReply;
  readonly model: ModelRecord;
  readonly price: Micro;
}

/**
 * Checks model access, funds and rate limits.
 * @throws ApiError 402 without sufficient funds, 403 without access to the model, 429 if a rate limit is exceeded
 */
function authorizeAudio(state: ServiceState, { key, reply, model, price }: AudioJob): void {
  requireModelAccess(key, model);
  state.accounts.requireFunds(key, Math.max(1, price));
  const now = state.clock.now();
  const rateLimitHeaders = state.limits.countRequest({
    keyId: key.id,
    model: model.id,
    tier: 'audio',
    now,
  });
  const requestHeaders = Object.entries(rateLimitHeaders).filter(([name]) =>
    name.endsWith('-requests'),
  );
  reply.headers(Object.fromEntries(requestHeaders));
  reply.headers(createModelHeaders(state.naming, model));
}
