import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { pixelImageModel, ratioModel, tierModel, unknownModel } from './image.fixture.ts';
import { readEditModel, limitToBasicOptions, removeRefusedSizes } from './image-model.ts';
import type { ImageOptions } from './image-options.ts';
import { estimateImagePrice } from './image-price.ts';
import { buildImageRequest, listUnsentEditOptions, listUnsentOptions } from './image-request.ts';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';

const allOptions: ImageOptions = {
  negativePrompt: 'rain',
  width: 800,
  height: 600,
  aspectRatio: '16:9',
  resolution: '2K',
  quality: 'low',
  steps: 20,
  cfgScale: 7.5,
  seed: 42,
  stylePreset: 'Anime',
  format: 'png',
  safeMode: false,
  webSearch: true,
  enhancePrompt: true,
  hideWatermark: true,
  embedExifMetadata: true,
  variants: 4,
};
const commonFields = {
  prompt: 'a cat',
  seed: 42,
  format: 'png',
  safeMode: false,
  hideWatermark: true,
  embedExifMetadata: true,
  enhancePrompt: true,
};

const guidanceFields = { negativePrompt: 'rain', stylePreset: 'Anime', cfgScale: 7.5 };

test('buildImageRequest includes an option unless the model record shows that the model does not support the option', () => {
  expect(buildImageRequest(pixelImageModel, 'a cat', allOptions)).toEqual({
    ...commonFields,
    model: 'painter-fine',
    width: 800,
    height: 608,
    ...guidanceFields,
    steps: 20,
  });
  expect(buildImageRequest(ratioModel, 'a cat', allOptions)).toEqual({
    ...commonFields,
    model: 'painter-ratio',
    ...guidanceFields,
    aspectRatio: '16:9',
    quality: 'low',
  });
  expect(buildImageRequest(tierModel, 'a cat', allOptions)).toEqual({
    ...commonFields,
    model: 'painter-studio',
    ...guidanceFields,
    aspectRatio: '16:9',
    resolution: '2K',
    enableWebSearch: true,
  });
});

test.each([pixelImageModel, ratioModel, tierModel, unknownModel])(
  'buildImageRequest includes only the model id and the prompt in a request for the model $id until the user chooses an option',
  (model) => {
    const prompt = 'a cat';
    expect(buildImageRequest(model, prompt, {})).toEqual({ model: model.id, prompt });
    const defaults = {
      webSearch: false,
      enhancePrompt: false,
      hideWatermark: false,
      embedExifMetadata: false,
    };
    expect(buildImageRequest(model, prompt, defaults)).toEqual({ model: model.id, prompt });
  },
);

test('buildImageRequest includes the chosen size if the size parameters of the model are unknown, and prefers an aspect ratio to a size in pixels', () => {
  const size = { width: 800, height: 600 };
  expect(buildImageRequest(unknownModel, 'a cat', size)).toMatchObject(size);
  const shape = { aspectRatio: '16:9', resolution: '2K' };
  expect(buildImageRequest(unknownModel, 'a cat', { ...size, ...shape })).toEqual({
    model: unknownModel.id,
    prompt: 'a cat',
    ...shape,
  });
});

test('buildImageRequest omits the sizes that the service has rejected', () => {
  const shape = { width: 800, height: 600, aspectRatio: '16:9', resolution: '2K' };
  const listFields = (...refusedFields: readonly string[]): readonly string[] => {
    const model = removeRefusedSizes(unknownModel, (field) => refusedFields.includes(field));
    const { model: _, prompt: __, ...rest } = buildImageRequest(model, 'a cat', shape);
    return Object.keys(rest);
  };
  expect(listFields('width')).toEqual(['aspectRatio', 'resolution']);
  expect(listFields('width', 'resolution')).toEqual(['aspectRatio']);
  expect(listFields('aspect_ratio')).toEqual(['width', 'height']);
});

test.each<[ImageOptions, object]>([
  [{ width: 1000 }, { width: 1008, height: 1024 }],
  [
    { width: 1, height: 0 },
    { width: 16, height: 16 },
  ],
  [
    { width: 99_999, height: -5 },
    { width: 1280, height: 16 },
  ],
  [
    { width: Infinity, height: Number.NaN },
    { width: 1280, height: 1024 },
  ],
  [{ steps: 31 }, { steps: 30 }],
  [{ steps: 0 }, { steps: 1 }],
  [{ steps: 7.6 }, { steps: 8 }],
  [{ cfgScale: 21 }, { cfgScale: 20 }],
  [{ cfgScale: 0.1 }, { cfgScale: 0.1 }],
  [{ seed: 0 }, { seed: 0 }],
  [{ seed: -0.2 }, { seed: 0 }],
  [{ seed: -5 }, { seed: -5 }],
  [{ seed: 1e12 }, { seed: 999_999_999 }],
  [{ seed: -1e12 }, { seed: -999_999_999 }],
  [{ safeMode: false }, { safeMode: false }],
])(
  'buildImageRequest converts the image options %j to the request fields %j',
  (options, requestFields) => {
    expect(buildImageRequest(pixelImageModel, 'a cat', options)).toMatchObject(requestFields);
  },
);

test.each<[ImageOptions, string]>([
  [{ cfgScale: 0 }, 'cfgScale'],
  [{ cfgScale: -1 }, 'cfgScale'],
  [{ cfgScale: Number.NaN }, 'cfgScale'],
  [{ steps: Number.NaN }, 'steps'],
  [{ seed: Number.NaN }, 'seed'],
  [{ negativePrompt: ' \n' }, 'negativePrompt'],
  [{ stylePreset: '' }, 'stylePreset'],
  [{ quality: 'high' }, 'quality'],
  [{ webSearch: true }, 'enableWebSearch'],
  [{ aspectRatio: '16:9' }, 'aspectRatio'],
  [{ resolution: '2K' }, 'resolution'],
  [{ variants: 3 }, 'variants'],
])('buildImageRequest for the image options %j omits the request field %s', (options, field) => {
  expect(buildImageRequest(pixelImageModel, 'a cat', options)).not.toHaveProperty(field);
});

test('buildImageRequest omits a choice that the model does not offer', () => {
  const options = { aspectRatio: '5:5', resolution: '16K', quality: 'ultra' };
  for (const model of [tierModel, ratioModel, unknownModel])
    expect(buildImageRequest(model, 'a cat', options)).toEqual({
      model: model.id,
      prompt: 'a cat',
    });
});

test('buildImageRequest adjusts any numbers to the ranges that the service accepts', () => {
  const number = fc.option(fc.double(), { nil: undefined });
  const anyNumbers = fc.record({
    width: number,
    height: number,
    steps: number,
    cfgScale: number,
    seed: number,
  });
  fc.assert(
    fc.property(anyNumbers, (options) => {
      const request = buildImageRequest(pixelImageModel, 'x', options as ImageOptions);
      const { width = 16, height = 16, steps = 1, cfgScale = 1, seed = 0 } = request;
      for (const side of [width, height]) {
        expect(side % 16).toBe(0);
        expect(side >= 16 && side <= 1280).toBe(true);
      }
      expect(Number.isInteger(steps) && steps >= 1 && steps <= 30).toBe(true);
      expect(cfgScale > 0 && cfgScale <= 20).toBe(true);
      expect(Number.isInteger(seed) && Math.abs(seed) <= 999_999_999).toBe(true);
      expect(Object.is(seed, -0)).toBe(false);
    }),
  );
});

test('listUnsentOptions lists the chosen options that requests omit', () => {
  expect(listUnsentOptions(pixelImageModel, allOptions)).toEqual(['quality', 'enableWebSearch']);
  // The form shows a problem of the quality field, so the quality is not listed.
  expect(listUnsentOptions(ratioModel, { ...allOptions, quality: 'ultra' })).toEqual([
    'steps',
    'enableWebSearch',
  ]);
  expect(listUnsentOptions(unknownModel, allOptions)).toEqual([]);
  expect(
    listUnsentOptions(
      limitToBasicOptions(pixelImageModel, () => false),
      allOptions,
    ),
  ).toEqual([
    ...['negativePrompt', 'stylePreset', 'cfgScale', 'quality', 'steps', 'seed', 'hideWatermark'],
    ...['embedExifMetadata', 'enableWebSearch', 'enhancePrompt', 'variants'],
  ]);
  expect(listUnsentOptions(pixelImageModel, {})).toEqual([]);
});

test('a request omits an option that the user agreed to omit, and its price excludes that option', () => {
  const model = { ...tierModel, omittedFields: ['style_preset', 'enhance_prompt', 'aspect_ratio'] };
  const {
    aspectRatio: _,
    enhancePrompt: __,
    stylePreset: ___,
    ...sentRequest
  } = buildImageRequest(tierModel, 'a cat', allOptions);
  expect(buildImageRequest(model, 'a cat', allOptions)).toEqual(sentRequest);
  expect(listUnsentOptions(model, allOptions)).toEqual([
    ...['aspectRatio', 'stylePreset', 'quality', 'steps', 'enhancePrompt'],
  ]);
  expect(estimateImagePrice(model, { enhancePrompt: true })).toEqual(
    estimateImagePrice(tierModel, {}),
  );
});

test('listUnsentEditOptions lists the chosen options that an edit request omits', () => {
  const record = {
    id: 'm',
    type: 'inpaint',
    model_spec: { constraints: { aspectRatios: ['1:1'], singleImageAspectRatio: false } },
  };
  const model = readEditModel(readModel(record) as Model);
  const options = { aspectRatio: '1:1', resolution: '2K', quality: 'low', enhancePrompt: true };
  const listOmittedOptions = (imageCount: number, omittedFields: readonly string[] = []) =>
    model && listUnsentEditOptions({ ...model, omittedFields }, { ...options, imageCount });
  expect(listOmittedOptions(1)).toEqual(['aspectRatio', 'resolution', 'quality']);
  expect(listOmittedOptions(2)).toEqual(['resolution', 'quality']);
  expect(listOmittedOptions(2, ['enhance_prompt'])).toEqual([
    'resolution',
    'quality',
    'enhancePrompt',
  ]);
});
