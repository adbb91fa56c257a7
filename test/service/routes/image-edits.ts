import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkAvailable } from '../availability.ts';
import { removeBackground } from '../images/background.ts';
import { edit, formatOf } from '../images/edit.ts';
import {
  backgroundBody,
  type EditBody,
  editBody,
  multiEditBody,
  upscaleBody,
} from '../images/edit-body.ts';
import { checkEdit } from '../images/edit-gates.ts';
import { readImage, upscaleLimits } from '../images/input-image.ts';
import { admit, enhancedHeader, type Job, settle, takeTime } from '../images/job.ts';
import { judge } from '../images/moderation.ts';
import type { Pixels } from '../images/pixels.ts';
import { editPrice, upscalePrice } from '../images/price.ts';
import { readForms } from '../images/upload.ts';
import { upscale } from '../images/upscale.ts';
import { backgroundPrice, backgroundRemover, upscaler } from '../images/workers.ts';
import { customIssue, invalidRequest, parseClosed, parseOpen } from '../validation.ts';
import type { World } from '../world.ts';
import { requireCaller } from '../x402/caller.ts';

/** What is done with images that callers send, as JSON or as a form; replies are always files. */
export function imageEditRoutes(app: FastifyInstance, world: World): void {
  app.register(async (scope) => {
    readForms(scope, world);
    scope.post('/image/upscale', (request, reply) => upscaleRoute(world, request, reply));
    scope.post('/image/edit', (request, reply) => editRoute(world, request, reply));
    scope.post('/image/multi-edit', (request, reply) => multiEditRoute(world, request, reply));
    scope.post('/image/background-remove', (request, reply) =>
      backgroundRoute(world, request, reply),
    );
  });
}

async function upscaleRoute(world: World, request: FastifyRequest, reply: FastifyReply) {
  const key = await requireCaller(world, request, reply);
  const { image, ...how } = parseOpen(upscaleBody, request.body);
  const picture = await readImage(image, upscaleLimits);
  const job = { key, request, reply, model: upscaler, cost: upscalePrice(how.scale) };
  return toPng(world, job, () => upscale(picture, how));
}

async function backgroundRoute(world: World, request: FastifyRequest, reply: FastifyReply) {
  const key = await requireCaller(world, request, reply);
  const { image, image_url } = parseClosed(backgroundBody, request.body);
  const source = image ?? image_url;
  if (source === undefined || (image !== undefined && image_url !== undefined)) {
    const message = 'Exactly one of image and image_url is required';
    throw invalidRequest([customIssue(['image'], message)]);
  }
  const picture = await readImage(source);
  const job = { key, request, reply, model: backgroundRemover, cost: backgroundPrice };
  return toPng(world, job, () => removeBackground(picture));
}

async function toPng(world: World, job: Job, work: () => Promise<Buffer>): Promise<FastifyReply> {
  admit(world, job);
  await takeTime(world, job);
  const file = await work();
  settle(world, job, { verdict: judge(''), safeMode: true });
  return job.reply.type('image/png').send(file);
}

async function editRoute(world: World, request: FastifyRequest, reply: FastifyReply) {
  const key = await requireCaller(world, request, reply);
  const { image, model, modelId, ...body } = parseClosed(editBody, request.body);
  const name = model ?? modelId;
  return change(world, { key, request, reply, name, body, images: [image] });
}

async function multiEditRoute(world: World, request: FastifyRequest, reply: FastifyReply) {
  const key = await requireCaller(world, request, reply);
  const { images, modelId: name, ...body } = parseClosed(multiEditBody, request.body);
  return change(world, { key, request, reply, name, body, images });
}

interface Change extends Omit<Job, 'model' | 'cost'> {
  /** Of the model; its default when absent. */
  readonly name: string | undefined;
  readonly body: EditBody;
  readonly images: readonly (string | Buffer)[];
}

async function change(world: World, { name, body, images, ...exchange }: Change) {
  const model = world.catalogue.findEdit(name ?? 'default');
  checkAvailable(model);
  checkEdit(model, body, images.length);
  const pictures = await Promise.all(images.map((image) => readImage(image)));
  const job = { ...exchange, model, cost: editPrice(model, body, images.length) };
  admit(world, job);
  await takeTime(world, job);
  const verdict = judge(body.prompt);
  const file = await edit({ model, body, pictures: pictures as [Pixels, ...Pixels[]], verdict });
  settle(world, job, { verdict, safeMode: body.safe_mode });
  if (body.enhance_prompt) job.reply.headers(enhancedHeader(world, body.prompt));
  return job.reply.type(`image/${formatOf(body)}`).send(file);
}
