import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireAvailableModel } from '../availability.ts';
import { removeBackground } from '../images/remove-background.ts';
import { editImage, getOutputFormat } from '../images/edit-image.ts';
import {
  backgroundBodySchema,
  type EditBody,
  editBodySchema,
  multiEditBodySchema,
  upscaleBodySchema,
} from '../images/edit-body.ts';
import { validateEdit } from '../images/validate-edit.ts';
import { readImage, upscaleLimits } from '../images/input-image.ts';
import {
  authorizeJob,
  createEnhancedPromptHeader,
  type ImageJob,
  completeJob,
  simulateWork,
} from '../images/image-job.ts';
import { moderatePrompt } from '../images/moderation.ts';
import type { Pixels } from '../images/pixels.ts';
import { computeEditPrice, getUpscalePrice } from '../images/price.ts';
import { acceptForms } from '../form-data.ts';
import { upscaleImage } from '../images/upscale-image.ts';
import { backgroundPrice, backgroundRemover, upscaler } from '../images/workers.ts';
import {
  createCustomIssue,
  createInvalidRequestError,
  parseClosed,
  parseOpen,
} from '../validation.ts';
import type { ServiceState } from '../service-state.ts';
import { authenticateCaller } from '../x402/authenticate-caller.ts';

/**
 * Adds the routes that edit uploaded images. They accept JSON and forms, and reply with image
 * files.
 */
export function addImageEditRoutes(app: FastifyInstance, state: ServiceState): void {
  app.register(async (scope) => {
    acceptForms(scope, state);
    scope.post('/image/upscale', (request, reply) => handleUpscale(state, request, reply));
    scope.post('/image/edit', (request, reply) => handleEdit(state, request, reply));
    scope.post('/image/multi-edit', (request, reply) => handleMultiEdit(state, request, reply));
    scope.post('/image/background-remove', (request, reply) =>
      handleBackgroundRemoval(state, request, reply),
    );
  });
}

async function handleUpscale(state: ServiceState, request: FastifyRequest, reply: FastifyReply) {
  const key = await authenticateCaller(state, request, reply);
  const { image, ...options } = parseOpen(upscaleBodySchema, request.body);
  const source = await readImage(image, upscaleLimits);
  const job = { key, request, reply, model: upscaler, cost: getUpscalePrice(options.scale) };
  return replyWithPng(state, job, () => upscaleImage(source, options));
}

async function handleBackgroundRemoval(
  state: ServiceState,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const key = await authenticateCaller(state, request, reply);
  const { image, image_url } = parseClosed(backgroundBodySchema, request.body);
  const source = image ?? image_url;
  if (source === undefined || (image !== undefined && image_url !== undefined)) {
    const message = 'Exactly one of image and image_url is required';
    throw createInvalidRequestError([createCustomIssue(['image'], message)]);
  }
  const decodedImage = await readImage(source);
  const job = { key, request, reply, model: backgroundRemover, cost: backgroundPrice };
  return replyWithPng(state, job, () => removeBackground(decodedImage));
}

async function replyWithPng(
  state: ServiceState,
  job: ImageJob,
  editImage: () => Promise<Buffer>,
): Promise<FastifyReply> {
  authorizeJob(state, job);
  await simulateWork(state, job);
  const file = await editImage();
  completeJob(state, job, { verdict: moderatePrompt(''), isSafeMode: true });
  return job.reply.type('image/png').send(file);
}

async function handleEdit(state: ServiceState, request: FastifyRequest, reply: FastifyReply) {
  const key = await authenticateCaller(state, request, reply);
  const { image, model, modelId, ...body } = parseClosed(editBodySchema, request.body);
  const name = model ?? modelId;
  return runEdit(state, { key, request, reply, name, body, images: [image] });
}

async function handleMultiEdit(state: ServiceState, request: FastifyRequest, reply: FastifyReply) {
  const key = await authenticateCaller(state, request, reply);
  const { images, modelId: name, ...body } = parseClosed(multiEditBodySchema, request.body);
  return runEdit(state, { key, request, reply, name, body, images });
}

interface EditRequest extends Omit<ImageJob, 'model' | 'cost'> {
  /** Model name in the request. If undefined, the default model is used. */
  readonly name: string | undefined;
  readonly body: EditBody;
  readonly images: readonly (string | Buffer)[];
}

async function runEdit(state: ServiceState, { name, body, images, ...exchange }: EditRequest) {
  const model = state.catalog.findEditModel(name ?? 'default');
  requireAvailableModel(model);
  validateEdit(model, body, images.length);
  const decodedImages = await Promise.all(images.map((image) => readImage(image)));
  const job = { ...exchange, model, cost: computeEditPrice(model, body, images.length) };
  authorizeJob(state, job);
  await simulateWork(state, job);
  const verdict = moderatePrompt(body.prompt);
  const file = await editImage({
    model,
    body,
    images: decodedImages as [Pixels, ...Pixels[]],
    verdict,
  });
  completeJob(state, job, { verdict, isSafeMode: body.safe_mode });
  if (body.enhance_prompt) job.reply.headers(createEnhancedPromptHeader(state, body.prompt));
  return job.reply.type(`image/${getOutputFormat(body)}`).send(file);
}
