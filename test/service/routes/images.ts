import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecord } from '../../../src/base/json.ts';
import { checkAvailable } from '../availability.ts';
import { optionalKey } from '../auth.ts';
import type { ImageModel } from '../catalogue/image-models.ts';
import { generate } from '../images/generate.ts';
import { type GenerateBody, generateBody } from '../images/generate-body.ts';
import { checkGenerate } from '../images/generate-gates.ts';
import { asGenerate, generationsBody } from '../images/generations-body.ts';
import { admit, enhancedHeader, settle, takeTime } from '../images/job.ts';
import { judge } from '../images/moderation.ts';
import { generatePrice } from '../images/price.ts';
import { readReferences } from '../images/references.ts';
import { styles } from '../images/styles.ts';
import type { ApiKey } from '../money/api-key.ts';
import { parseClosed, requireModel } from '../validation.ts';
import type { World } from '../world.ts';
import { requireCaller } from '../x402/caller.ts';

/** `POST /image/generate`, `GET /image/styles` and `POST /images/generations`. */
export function imageRoutes(app: FastifyInstance, world: World): void {
  app.get('/image/styles', async (request, reply) => {
    optionalKey(world, request, reply);
    return { object: 'list', data: styles };
  });
  app.post('/image/generate', async (request, reply) => {
    const key = await requireCaller(world, request, reply);
    requireModel(fieldOf(request.body, 'model'));
    const body = parseClosed(generateBody, request.body);
    const model = world.catalogue.findImage(body.model);
    const made = await make(world, { key, request, reply, model, body });
    if (!body.return_binary) return replyInJson(body, made);
    return reply.type(`image/${body.format}`).send(made.files[0]);
  });
  app.post('/images/generations', async (request, reply) => {
    const key = await requireCaller(world, request, reply);
    requireModel(fieldOf(request.body, 'model'));
    const asked = parseClosed(generationsBody, request.body);
    const model = imageModelOrDefault(world, asked.model);
    const body = asGenerate(model, asked);
    const { files } = await make(world, { key, request, reply, model, body });
    const created = Math.floor(world.clock.now() / 1000);
    const data = files.map((file) => file.toString('base64'));
    return {
      created,
      data: data.map((base64) =>
        asked.response_format === 'url'
          ? { url: `data:image/${body.format};base64,${base64}` }
          : { b64_json: base64 },
      ),
    };
  });
}

const fieldOf = (body: unknown, name: string): unknown => (isRecord(body) ? body[name] : undefined);

/** Clients of other services send the names of those services' models. */
function imageModelOrDefault({ catalogue }: World, name: string): ImageModel {
  const known = catalogue.list('image').some(({ id }) => id === name);
  return catalogue.findImage(known || name in catalogue.traits('image') ? name : 'default');
}

interface Exchange {
  readonly key: ApiKey;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly model: ImageModel;
  readonly body: GenerateBody;
}

interface Made {
  readonly number: number;
  readonly files: readonly Buffer[];
  /** Milliseconds. */
  readonly queuedMs: number;
  readonly preparedMs: number;
  readonly paintedMs: number;
}

async function make(world: World, { model, body, ...exchange }: Exchange): Promise<Made> {
  const started = performance.now();
  const job = { ...exchange, model, cost: generatePrice(model, body) };
  checkAvailable(model);
  checkGenerate(model, body);
  const references = await readReferences(body.style_references);
  admit(world, job);
  const prepared = performance.now();
  await takeTime(world, job);
  const begun = performance.now();
  const { number, seed: chosen } = world.images.next();
  const verdict = judge(body.prompt);
  const files = await generate({ model, body, seed: body.seed ?? chosen, verdict, references });
  settle(world, job, { verdict, safeMode: body.safe_mode });
  if (body.enhance_prompt) job.reply.headers(enhancedHeader(world, body.prompt));
  const paintedMs = performance.now() - begun;
  return { number, files, queuedMs: begun - prepared, preparedMs: prepared - started, paintedMs };
}

const defaults = { width: 1024, height: 1024, variants: 1 };

function replyInJson(body: GenerateBody, made: Made): object {
  const { queuedMs, preparedMs, paintedMs } = made;
  return {
    id: `generate-image-${made.number}`,
    images: made.files.map((file) => file.toString('base64')),
    request: { success: true, data: { ...defaults, ...body } },
    timing: {
      inferenceDuration: paintedMs,
      inferencePreprocessingTime: preparedMs,
      inferenceQueueTime: queuedMs,
      total: queuedMs + preparedMs + paintedMs,
    },
  };
}
