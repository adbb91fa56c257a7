import { describe, expect, test } from 'vitest';
import {
  type DeploymentConnection,
  startStrictDeployment,
} from '../../test/support/deployment-context.ts';
import { toServiceError } from '../service/http/network-failure.ts';
import { buildCreateRouteCall, toCreateRequest } from '../service/images/create-image.ts';
import { generateImages, requestImages } from '../service/images/image-calls.ts';
import { isSizeRefused, restoreImageFields } from '../service/images/image-fields.ts';
import { listModels } from '../service/models.ts';
import {
  listImageModels,
  type ImageModel,
  limitToBasicOptions,
  removeRefusedSizes,
} from './image-model.ts';
import type { ImageOptions } from './image-options.ts';
import { buildImageRequest } from './image-request.ts';
import { listSizeChoices } from './image-size.ts';
import { createDraft, toImageOptions } from './studio/vscode/studio.ts';

const generatePath = '/image/generate';
const { signal } = new AbortController();
const shapes = ['minimal', 'full'] as const;
const deployments = ['acme', 'zephyr'].flatMap((word) => shapes.map((shape) => ({ word, shape })));

/** Returns the image models as the image studio offers them: without the sizes that the service rejected. */
async function readModels(server: DeploymentConnection): Promise<readonly ImageModel[]> {
  const { models } = await listModels(server.context, { type: 'all', signal });
  return listImageModels(models).map((model) =>
    removeRefusedSizes(model, (field) => isSizeRefused(server.connection, field, model.id)),
  );
}

const findModel = async (server: DeploymentConnection, id: string): Promise<ImageModel> => {
  const model = (await readModels(server)).find((candidate) => candidate.id === id);
  if (model === undefined) throw new Error(`There is no model ${id}`);
  return model;
};

/** Generates an image. Returns the failure code and the rejected field, or the code `complete` if the call succeeds. */
async function generateImage(
  { context }: DeploymentConnection,
  model: ImageModel,
  options: ImageOptions = {},
): Promise<{ readonly code: string; readonly refusedField?: string }> {
  const request = buildImageRequest(model, 'a boat', options);
  try {
    for await (const _ of generateImages(context, request, { variants: 1, signal }));
    return { code: 'complete' };
  } catch (error) {
    const { code, refusedField } = toServiceError(error).failure;
    return { code, ...(refusedField !== undefined && { refusedField }) };
  }
}

const getLastBody = (server: DeploymentConnection) =>
  server.listRequests(generatePath).at(-1)?.body;

describe.each(deployments)(
  'a strict service of the type $shape with the vendor prefix "$word"',
  ({ shape, word }) => {
    test('generates an image with each model if the user chose no options', async () => {
      await using server = await startStrictDeployment({ word, shape });
      const models = await readModels(server);
      expect(models.length).toBeGreaterThan(3);
      for (const model of models) {
        expect(await generateImage(server, model)).toEqual({ code: 'complete' });
        expect(Object.keys(getLastBody(server) ?? {})).toEqual([
          'model',
          'prompt',
          'return_binary',
        ]);
      }
    });

    test('receives the aspect ratio and the resolution that the user chose', async () => {
      await using server = await startStrictDeployment({ word, shape });
      const shapeOptions = { aspectRatio: '16:9', resolution: '2K' };
      const model = await findModel(server, 'canvas-tier');
      expect(await generateImage(server, model, shapeOptions)).toEqual({ code: 'complete' });
      expect(getLastBody(server)).toMatchObject({ aspect_ratio: '16:9', resolution: '2K' });
    });

    test('receives the negative prompt, guidance and style that the user chose', async () => {
      await using server = await startStrictDeployment({ word, shape });
      const options = { negativePrompt: 'rain', cfgScale: 7, stylePreset: 'Anime' };
      const model = await findModel(server, 'canvas-pixel');
      expect(await generateImage(server, model, options)).toEqual({ code: 'complete' });
      expect(getLastBody(server)).toMatchObject({
        negative_prompt: 'rain',
        cfg_scale: 7,
        style_preset: 'Anime',
      });
    });

    test.each(['canvas-ratio', 'canvas-tier'])(
      'receives the negative prompt and guidance for the model %s, but receives a request without the style only after the user agrees',
      async (id) => {
        await using server = await startStrictDeployment({ word, shape });
        const options = { negativePrompt: 'rain', cfgScale: 7, stylePreset: 'Anime' };
        const model = await findModel(server, id);
        const { code, refusedField = '' } = await generateImage(server, model, options);
        expect(code).toBe('unsupported-option');
        expect(getLastBody(server)).toMatchObject({ style_preset: 'Anime' });
        server.connection.omitField(refusedField);
        expect(await generateImage(server, model, options)).toEqual({ code: 'complete' });
        expect(getLastBody(server)).toMatchObject({ negative_prompt: 'rain', cfg_scale: 7 });
        expect(getLastBody(server)).not.toHaveProperty('style_preset');
        restoreImageFields(server.connection, id);
        expect((await generateImage(server, model, options)).code).toBe('unsupported-option');
      },
    );

    test('receives the quality and steps unless the model record denies them, and omits rejected options only after the user agrees', async () => {
      await using server = await startStrictDeployment({ word, shape });
      const options = { quality: 'high', steps: 5 };
      const model = await findModel(server, 'canvas-pixel');
      // The model records of a "full" service deny a quality. Those of a "minimal" service state nothing, so that it rejects
      // both options.
      const refusedNames = shape === 'minimal' ? ['quality', 'steps'] : [];
      for (const name of refusedNames) {
        const { code, refusedField = '' } = await generateImage(server, model, options);
        expect([code, refusedField]).toEqual(['unsupported-option', `image.${name}:canvas-pixel`]);
        expect(getLastBody(server)).toHaveProperty(name);
        server.connection.omitField(refusedField);
      }
      expect(await generateImage(server, model, options)).toEqual({ code: 'complete' });
      const sentValues = shape === 'minimal' ? [undefined, undefined] : [undefined, 5];
      expect([getLastBody(server)?.['quality'], getLastBody(server)?.['steps']]).toEqual(
        sentValues,
      );
    });

    test('receives the safe mode only if the user turned the safe mode off', async () => {
      await using server = await startStrictDeployment({ word, shape });
      const model = await findModel(server, 'canvas-pixel');
      const draft = createDraft({ model: model.id, prompt: 'a boat', options: {} });
      for (const safeMode of [true, false]) {
        await generateImage(server, model, toImageOptions({ ...draft, safeMode }));
        expect(getLastBody(server)?.['safe_mode']).toBe(safeMode ? undefined : false);
      }
    });

    test('receives a request without the rejected image option only after the user agrees', async () => {
      await using server = await startStrictDeployment({ word, shape });
      const options = { hideWatermark: true, embedExifMetadata: true, enhancePrompt: true };
      const model = await findModel(server, 'canvas-pixel');
      const refusalCount = shape === 'minimal' ? 3 : 0;
      for (let count = 0; count < refusalCount; count++) {
        const { code, refusedField = '' } = await generateImage(server, model, options);
        expect(code).toBe('unsupported-option');
        server.connection.omitField(refusedField);
      }
      expect(await generateImage(server, model, options)).toEqual({ code: 'complete' });
    });
  },
);

test('an image model no longer offers sizes in pixels or aspect ratios after the service rejects them', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'minimal' });
  const size = { width: 512, height: 512, aspectRatio: '1:1' };

  const strictModel = await findModel(server, 'canvas-strict');
  const { aspectRatio: _, ...pixels } = size;
  expect(await generateImage(server, strictModel, pixels)).toMatchObject({
    code: 'unsupported-option',
  });
  expect((await findModel(server, 'canvas-strict')).sizing).not.toHaveProperty('pixels');

  const pixelModel = await findModel(server, 'canvas-pixel');
  expect(await generateImage(server, pixelModel, size)).toMatchObject({
    code: 'unsupported-option',
  });
  const updatedModel = await findModel(server, 'canvas-pixel');
  expect(updatedModel.sizing.kind).toBe('pixels');
  expect(await generateImage(server, updatedModel, size)).toEqual({ code: 'complete' });
  expect(getLastBody(server)).toMatchObject({ width: 512, height: 512 });
});

test('a model with basic options offers and sends only the options that the OpenAI-compatible route accepts', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  const models = await readModels(server);
  const [pixelModel, tierModel] = ['canvas-pixel', 'canvas-tier']
    .map((id) => models.find((model) => model.id === id))
    .filter((model) => model !== undefined)
    .map((model) => limitToBasicOptions(model, () => false));
  if (pixelModel === undefined || tierModel === undefined) throw new Error('A model is missing');
  const options: ImageOptions = {
    ...{ width: 1_248, height: 832, aspectRatio: '16:9', resolution: '2K', negativePrompt: 'rain' },
    ...{ cfgScale: 7, stylePreset: 'Anime', seed: 5, enhancePrompt: true, hideWatermark: true },
    safeMode: false,
  };
  expect(listSizeChoices(pixelModel).map(({ width, height }) => `${width}x${height}`)).toEqual([
    '1024x1024',
    '1536x1024',
    '1024x1536',
    '1792x1024',
    '1024x1792',
    '512x512',
  ]);
  const sizes = [...listSizeChoices(pixelModel), {}];
  for (const size of sizes) {
    const request = buildImageRequest(pixelModel, 'a boat', { ...options, ...size });
    for await (const _ of requestImages(
      server.context,
      buildCreateRouteCall(toCreateRequest(request)),
      {
        imageCount: 1,
        signal,
      },
    ));
  }
  expect(server.listRequests('/images/generations').map(({ status }) => status)).toEqual(
    sizes.map(() => 200),
  );
  expect(buildImageRequest(pixelModel, 'a boat', options)).toEqual({
    model: 'canvas-pixel',
    prompt: 'a boat',
    width: 1_536,
    height: 1_024,
    safeMode: false,
  });
  expect(buildImageRequest(tierModel, 'a boat', options)).not.toHaveProperty('width');
  expect(limitToBasicOptions(pixelModel, (field) => field === 'size').sizing).not.toHaveProperty(
    'pixels',
  );
});
