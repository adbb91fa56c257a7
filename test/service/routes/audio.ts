import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecord } from '../../../src/base/json.ts';
import { type AudioFormat, audioOf, audioTypes, speechBody } from '../audio/speech.ts';
import { listen, timestampsOf, transcriptionBody } from '../audio/transcription.ts';
import type { ModelRecord } from '../catalogue/model.ts';
import { pause } from '../chat/pace.ts';
import { readForms } from '../images/upload.ts';
import { requirePrivacy } from '../keys/model-privacy.ts';
import { modelHeaders } from '../model-headers.ts';
import { type Micro, micro } from '../money/amounts.ts';
import type { ApiKey } from '../money/api-key.ts';
import { Problem } from '../problem.ts';
import { customIssue, invalidRequest, parseClosed } from '../validation.ts';
import type { World } from '../world.ts';
import { requireCaller } from '../x402/caller.ts';

/** `POST /audio/speech` and `POST /audio/transcriptions`. */
export function audioRoutes(app: FastifyInstance, world: World): void {
  app.post('/audio/speech', (request, reply) => speechRoute(world, request, reply));
  app.register(async (scope) => {
    readForms(scope, world);
    scope.post('/audio/transcriptions', (request, reply) =>
      transcriptionRoute(world, request, reply),
    );
  });
}

async function speechRoute(world: World, request: FastifyRequest, reply: FastifyReply) {
  const key = await requireCaller(world, request, reply);
  const body = parseClosed(speechBody, request.body);
  const model = find(world, 'tts', body.model);
  const format = body.response_format ?? (model.model_spec['default_format'] as AudioFormat);
  const voice = body.voice ?? String(model.model_spec['default_voice']);
  checkSpeech(model, { format, voice });
  const price = micro((priceOf(model, 'input') * body.input.length) / 1_000_000);
  admit(world, { key, reply, model, price });
  const parts = audioOf({ text: body.input, voice, speed: body.speed }, format);
  reply.type(audioTypes[format]);
  world.accounts.charge(key, price, model.id);
  if (!body.streaming) return reply.send(Buffer.concat([...parts]));
  return reply.send(Readable.from(paced(world, parts, request.closed)));
}

/** Speaks about ten times as fast as it sounds. */
async function* paced(
  { pace }: World,
  parts: Iterable<Buffer>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (const part of parts) {
    await pause(pace === 'instant' ? 0 : 25, signal);
    if (signal.aborted) return;
    yield part;
  }
}

function checkSpeech(
  { model_spec }: ModelRecord,
  { format, voice }: { format: AudioFormat; voice: string },
): void {
  const has = (name: string, value: string): boolean =>
    (model_spec[name] as readonly string[]).includes(value);
  const issues = [
    has('supported_formats', format)
      ? undefined
      : customIssue(['response_format'], `response_format is not supported by this model`),
    has('voices', voice) ? undefined : customIssue(['voice'], `Invalid voice: ${voice}`),
  ].filter((issue) => issue !== undefined);
  if (issues.length > 0) throw invalidRequest(issues);
}

async function transcriptionRoute(world: World, request: FastifyRequest, reply: FastifyReply) {
  const key = await requireCaller(world, request, reply);
  if (!isRecord(request.body) || !Buffer.isBuffer(request.body['file']))
    throw new Problem(400, 'No audio file provided');
  const body = parseClosed(transcriptionBody, request.body);
  const model = find(world, 'asr', body.model);
  const heard = listen(body.file);
  const price = micro(priceOf(model, 'per_audio_second') * heard.duration);
  admit(world, { key, reply, model, price });
  world.accounts.charge(key, price, model.id);
  if (body.response_format === 'text')
    return reply.type('text/plain; charset=utf-8').send(heard.text);
  return { ...heard, ...(body.timestamps === 'true' && { timestamps: timestampsOf(heard) }) };
}

/** By id or trait. @throws Problem 404 */
function find({ catalogue }: World, type: 'tts' | 'asr', name: string): ModelRecord {
  const id = catalogue.traits(type)[name] ?? name;
  const found = catalogue.list(type).find((record) => record.id === id);
  if (found === undefined) throw new Problem(404, `Specified model not found: ${name}`);
  return found;
}

function priceOf({ model_spec }: ModelRecord, name: string): number {
  const pricing = model_spec.pricing as Readonly<Record<string, { readonly usd: number }>>;
  return pricing[name]?.usd ?? 0;
}

interface Job {
  readonly key: ApiKey;
  readonly reply: FastifyReply;
  readonly model: ModelRecord;
  readonly price: Micro;
}

/** @throws Problem 402, 403, 429 */
function admit(world: World, { key, reply, model, price }: Job): void {
  requirePrivacy(key, model);
  world.accounts.requireFunds(key, Math.max(1, price));
  const now = world.clock.now();
  const taken = world.limits.take({ keyId: key.id, model: model.id, tier: 'audio', now });
  const requests = Object.entries(taken).filter(([name]) => name.endsWith('-requests'));
  reply.headers(Object.fromEntries(requests));
  reply.headers(modelHeaders(world.words, model));
}
