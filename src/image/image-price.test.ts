import { expect, test } from 'vitest';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import { pixelImageModel, ratioModel, tierModel } from './image.fixture.ts';
import type { EditModel } from './image-model.ts';
import type { ImageOptions } from './image-options.ts';
import {
  estimateEditPrice,
  estimateImagePrice,
  allocatePrice,
  findUpscalePrice,
} from './image-price.ts';

const createPrice = (value: number) => ({ usd: value, diem: value });

const imageModels = {
  'pixel sizes': pixelImageModel,
  'aspect ratios': ratioModel,
  resolutions: tierModel,
};

test.each<[keyof typeof imageModels, ImageOptions, number]>([
  ['pixel sizes', {}, 0.01],
  ['pixel sizes', { variants: 3 }, 0.03],
  ['pixel sizes', { variants: 4, enhancePrompt: true }, 0.08],
  ['pixel sizes', { webSearch: true, resolution: '4K', quality: 'high' }, 0.01],
  ['aspect ratios', {}, 0.05],
  ['aspect ratios', { quality: 'high' }, 0.12],
  ['aspect ratios', { quality: 'low', variants: 2 }, 0.04],
  ['aspect ratios', { quality: 'constructor' }, 0.05],
  ['resolutions', {}, 0.18],
  ['resolutions', { resolution: '2K' }, 0.23],
  ['resolutions', { resolution: '8K' }, 0.18],
  ['resolutions', { resolution: '4K', webSearch: true, variants: 2 }, 0.71],
  ['resolutions', { webSearch: true, enhancePrompt: true, variants: 4 }, 0.77],
  ['resolutions', { webSearch: false, enhancePrompt: false }, 0.18],
])(
  'estimateImagePrice, for a model with %s and the options %j, returns a price of %d dollars',
  (sizing, options, price) => {
    expect(estimateImagePrice(imageModels[sizing], options)).toEqual(createPrice(price));
  },
);

test.each([
  [0.08, 4],
  [0.05, 3],
  [0.77, 4],
  [0.01, 1],
  [0, 2],
])(
  'allocatePrice splits a price of $%f among %i images into parts that add up to the price',
  (usd, count) => {
    const shares = Array.from({ length: count }, (_, index) =>
      allocatePrice({ usd, diem: usd }, { index, count }),
    );
    const sum = shares.reduce((total, share) => total + (share.usd ?? Number.NaN), 0);
    expect(sum).toBeCloseTo(usd, 12);
    for (const share of shares) expect(share.usd).toBeCloseTo(usd / count, 5);
    expect(allocatePrice({ usd }, { index: count, count })).toEqual({ usd: 0 });
  },
);

test('estimateImagePrice returns no price for a model without prices', () => {
  expect(
    estimateImagePrice({ ...pixelImageModel, prices: {} }, { webSearch: true }),
  ).toBeUndefined();
});

test('estimateImagePrice returns the price in the only currency of the model', () => {
  const model = { ...pixelImageModel, prices: { generation: { diem: 0.1 } } };
  expect(estimateImagePrice(model, { enhancePrompt: true })).toEqual({ diem: 0.14 });
});

test('estimateImagePrice returns no price for a resolution that is named like an inherited property', () => {
  const sizing = {
    kind: 'tier',
    ratios: [],
    defaultRatio: '1:1',
    resolutions: ['constructor'],
    defaultResolution: 'constructor',
  } as const;
  expect(estimateImagePrice({ ...tierModel, sizing }, {})).toBeUndefined();
});

const editModel: EditModel = {
  id: 'retouch',
  name: 'Retouch',
  offline: false,
  traits: [],
  maxPromptChars: 32_768,
  ratios: [],
  takesSingleImageRatio: true,
  resolutions: ['1K', '2K'],
  qualities: [],
  maxImages: 3,
  price: createPrice(0.04),
};

const qualityPrices = { '1K': { low: createPrice(0.02), high: createPrice(0.2) } };

test.each([
  [
    'the highest quality price if the user chose no quality',
    { ...editModel, qualityPrices },
    {},
    0.2,
  ],
  ['the price of the chosen quality', { ...editModel, qualityPrices }, { quality: 'low' }, 0.02],
  [
    'the base price for a resolution without quality prices',
    { ...editModel, qualityPrices },
    { quality: 'low', resolution: '2K' },
    0.04,
  ],
  ['the base price for a model without other prices', editModel, {}, 0.04],
  [
    'the base price for a resolution if the model has no resolution prices',
    editModel,
    { resolution: '2K' },
    0.04,
  ],
  ['the base price plus the price of an enhanced prompt', editModel, { enhancePrompt: true }, 0.08],
  [
    'the base price if only another resolution has a price',
    { ...editModel, resolutionPrices: { '2K': createPrice(0.1) } },
    {},
    0.04,
  ],
  [
    'the price of the default resolution',
    { ...editModel, resolutionPrices: { '1K': createPrice(0.05), '2K': createPrice(0.1) } },
    {},
    0.05,
  ],
  [
    'the price of the chosen resolution',
    { ...editModel, resolutionPrices: { '2K': createPrice(0.1) } },
    { resolution: '2K' },
    0.1,
  ],
  [
    'the base price if the number of included images is unknown',
    { ...editModel, additionalImagePrice: createPrice(0.01) },
    { imageCount: 3 },
    0.04,
  ],
  [
    'the base price plus the price of two additional images',
    { ...editModel, includedImages: 1, additionalImagePrice: createPrice(0.01) },
    { imageCount: 3 },
    0.06,
  ],
  [
    'the base price if all images are included',
    { ...editModel, includedImages: 3, additionalImagePrice: createPrice(0.01) },
    { imageCount: 2 },
    0.04,
  ],
  [
    'the base price if the price of additional images is unknown',
    { ...editModel, includedImages: 1 },
    { imageCount: 3 },
    0.04,
  ],
  [
    'the base price plus the price of one image if the base price includes no images',
    { ...editModel, includedImages: 0, additionalImagePrice: createPrice(0.01) },
    { imageCount: 1 },
    0.05,
  ],
])('estimateEditPrice returns %s', (_name, model, choices, price) => {
  expect(estimateEditPrice(model, choices)).toEqual(createPrice(price));
});

test('estimateEditPrice returns no price for an edit model without prices', () => {
  const { price: _, ...unpricedModel } = editModel;
  expect(estimateEditPrice(unpricedModel, { enhancePrompt: true })).toBeUndefined();
});

const createPricedModel = (id: string, type: string, upscale: unknown): Model =>
  readModel({ id, type, model_spec: { pricing: { upscale } } }) as Model;

test('findUpscalePrice prefers the price of an upscale model to the upscale price of an image model', () => {
  const painter = createPricedModel('painter', 'image', {
    '2x': createPrice(0.02),
    '4x': createPrice(0.08),
  });
  const enlarger = createPricedModel('enlarger', 'upscale', { '2x': createPrice(0.03) });
  expect(findUpscalePrice([painter, enlarger], 2)).toEqual(createPrice(0.03));
  expect(findUpscalePrice([painter, enlarger], 4)).toEqual(createPrice(0.08));
  expect(findUpscalePrice([createPricedModel('painter', 'image', 'free')], 2)).toBeUndefined();
  expect(findUpscalePrice([], 4)).toBeUndefined();
});
