import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecord } from '../../../src/base/json.ts';
import { requireAvailableModel } from '../availability.ts';
import { readOptionalKey } from '../auth.ts';
import type { ImageModel } from '../catalog/image-models.ts';
import { generateImages } from '../images/generate-images.ts';
import { type GenerateBody, generateBodySchema } from '../images/generate-body.ts';
import { validateGeneration } from '../images/validate-generation.ts';
import { toGenerateBody, generationsBodySchema } from '../images/generations-body.ts';
import {
  authorizeJob,
  createEnhancedPromptHeader,
  completeJob,
  simulateWork,
} from '../images/image-job.ts';
import { moderatePrompt } from '../images/moderation.ts';
import { computeGenerationPrice } from '../images/price.ts';
import { readStyleReferences } from '../images/references.ts';
import { styleNames } from '../images/styles.ts';
import type { ApiKey } from '../money/api-key.ts';
import { parseClosed, requireModelName } from '../validation.ts';
import type { ServiceState } from '../service-state.ts';
import { authenticateCaller } from '../x402/authenticate-caller.ts';

/** Adds `POST /image/generate`, `GET /image/styles` and `POST /images/generations`. */
export function addImageRoutes(app: FastifyInstance, state: ServiceState): void {
  app.get('/image/styles', async (request, reply) => {
    readOptionalKey(state, request, reply);
    return { object: 'list', data: styleNames };
  });
  app.post('/image/generate', async (request, reply) => {
    const key = await authenticateCaller(state, request, reply);
    requireModelName(readField(request.body, 'model'));
    const body = parseClosed(generateBodySchema, request.body);
    const model = state.catalog.findImageModel(body.model);
    const result = await runGeneration(state, { key, request, reply, model, body });
    if (!body.return_binary) return replyInJson(body, result);
    return reply.type(`image/${body.format}`).send(result.files[0]);
  });
  app.post('/images/generations', async (request, reply) => {
    const key = await authenticateCaller(state, request, reply);
    requireModelName(readField(request.body, 'model'));
    const generationsRequest = parseClosed(generationsBodySchema, request.body);
    const model = findModelOrDefault(state, generationsRequest.model);
    const body = toGenerateBody(model, generationsRequest);
    const { files } = await runGeneration(state, { key, request, reply, model, body });
    const created = Math.floor(state.clock.now() / 1000);
    const base64Files = files.map((file) => file.toString('base64'));
    return {
      created,
      data: base64Files.map((base64) =>
        generationsRequest.response_format === 'url'
          ? { url: `data:image/${body.format};base64,${base64}` }
          : { b64_json: base64 },
      ),
    };
  });
}

const readField = (body: unknown, name: string): unknown =>
  isRecord(body) ? body[name] : undefined;

/** Finds the requested model. If the name is that of another service's model, returns the default model. */
function findModelOrDefault({ catalog }: ServiceState, name: string): ImageModel {
  const isImageModel = catalog.listRecords('image').some(({ id }) => id === name);
  return catalog.findImageModel(
    isImageModel || name in catalog.mapTraits('image') ? name : 'default',
  );
}

interface GenerationExchange {
  readonly key: ApiKey;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly model: ImageModel;
  readonly body: GenerateBody;
}

interface GenerationResult {
  readonly replyNumber: number;
  readonly files: readonly Buffer[];
  /** Time from the request to the start of the generation, in milliseconds. */
  readonly queueMs: number;
  readonly preparationMs: number;
  readonly paintingMs: number;
}

async function runGeneration(
  state: ServiceState,
  { model, body, ...exchange }: GenerationExchange,
): Promise<GenerationResult> {
  const startedAt = performance.now();
  const job = { ...exchange, model, cost: computeGenerationPrice(model, body) };
  requireAvailableModel(model);
  validateGeneration(model, body);
  const references = await readStyleReferences(body.style_references);
  authorizeJob(state, job);
  const preparedAt = performance.now();
  await simulateWork(state, job);
  const paintingStartedAt = performance.now();
  const { replyNumber, seed } = state.imageCounter.takeNext();
  const verdict = moderatePrompt(body.prompt);
  const files = await generateImages({
    model,
    body,
    seed: body.seed ?? seed,
    verdict,
    references,
  });
  completeJob(state, job, { verdict, isSafeMode: body.safe_mode });
  if (body.enhance_prompt) job.reply.headers(createEnhancedPromptHeader(state, body.prompt));
  const paintingMs = performance.now() - paintingStartedAt;
  return {
    replyNumber,
    files,
    queueMs: paintingStartedAt - preparedAt,
    preparationMs: preparedAt - startedAt,
    paintingMs,
  };
}

const defaultImageFields = { width: 1024, height: 1024, variants: 1 };

function replyInJson(body: GenerateBody, response: GenerationResult): object {
  const { queueMs, preparationMs, paintingMs } = response;
  return {
    id: `generate-image-${response.replyNumber}`,
    images: response.files.map((file) => file.toString('base64')),
    request: { success: true, data: { ...defaultImageFields, ...body } },
    timing: {
      inferenceDuration: paintingMs,
      inferencePreprocessingTime: preparationMs,
      inferenceQueueTime: queueMs,
      total: queueMs + preparationMs + paintingMs,
    },
  };
}
