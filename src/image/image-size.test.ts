import { expect, test } from 'vitest';
import { pixelImageModel, ratioModel, tierModel } from './image.fixture.ts';
import type { ImageModel } from './image-model.ts';
import type { ImageOptions } from './image-options.ts';
import { listSizeChoices, resolveImageSize } from './image-size.ts';

const imageModels = {
  'pixel sizes': pixelImageModel,
  'aspect ratios': ratioModel,
  resolutions: tierModel,
};

test.each<[keyof typeof imageModels, ImageOptions, number, number]>([
  ['pixel sizes', {}, 1024, 1024],
  ['pixel sizes', { width: 640, height: 480 }, 640, 480],
  ['pixel sizes', { width: 641, height: 489, aspectRatio: '16:9' }, 640, 496],
  ['aspect ratios', {}, 1024, 683],
  ['aspect ratios', { aspectRatio: '1:1' }, 1024, 1024],
  ['aspect ratios', { aspectRatio: '16:9' }, 1024, 576],
  ['aspect ratios', { aspectRatio: '9:16', width: 5 }, 576, 1024],
  ['resolutions', {}, 1024, 1024],
  ['resolutions', { resolution: '4K' }, 4096, 4096],
  ['resolutions', { resolution: '2K', aspectRatio: '16:9' }, 2048, 1152],
  ['resolutions', { resolution: '9K', aspectRatio: '7:7' }, 1024, 1024],
])(
  'resolveImageSize, for a model with %s and the options %j, returns a size of %d × %d pixels',
  (sizing, options, width, height) => {
    expect(resolveImageSize(imageModels[sizing], options)).toEqual({ width, height });
  },
);

const createTierModel = (resolution: string): ImageModel => ({
  ...tierModel,
  sizing: {
    kind: 'tier',
    ratios: [],
    defaultRatio: '1:1',
    resolutions: [resolution],
    defaultResolution: resolution,
  },
});

test.each([
  ['1K', 1024],
  ['1.5k', 1536],
  ['720p', 720],
  ['512px', 512],
  ['512', 512],
  ['hd', 1024],
  ['0K', 1],
  ['99K', 8192],
])(
  'resolveImageSize estimates the side length of resolution "%s" as %i pixels',
  (resolution, side) => {
    expect(resolveImageSize(createTierModel(resolution), {})).toEqual({
      width: side,
      height: side,
    });
  },
);

test('resolveImageSize estimates a square image if the model chooses the aspect ratio', () => {
  const sizing = { kind: 'ratio', ratios: ['auto'], defaultRatio: 'auto' } as const;
  expect(resolveImageSize({ ...ratioModel, sizing }, {})).toEqual({ width: 1024, height: 1024 });
});

test('listSizeChoices offers sizes within the range and steps of the model', () => {
  expect(listSizeChoices(pixelImageModel)).toEqual([
    { shape: 'square', width: 1024, height: 1024 },
    { shape: 'landscape', width: 1248, height: 832 },
    { shape: 'portrait', width: 832, height: 1248 },
    { shape: 'wide', width: 1280, height: 720 },
    { shape: 'tall', width: 720, height: 1280 },
    { shape: 'banner', width: 1280, height: 544 },
    { shape: 'small-square', width: 512, height: 512 },
  ]);
  expect(listSizeChoices(ratioModel)).toEqual([]);
  expect(listSizeChoices(tierModel)).toEqual([]);
});

test.each([1, 2, 3, 7, 8, 48, 64, 100, 256, 500, 640, 1000, 1280])(
  'listSizeChoices offers distinct, valid sizes in steps of %i pixels',
  (divisor) => {
    const max = 1280 - (1280 % divisor);
    const sizing = { kind: 'pixels', min: divisor, max, divisor, defaultSize: max } as const;
    const choices = listSizeChoices({ ...pixelImageModel, sizing });
    expect(choices.length).toBeGreaterThan(0);
    expect(new Set(choices.map(({ width, height }) => `${width}x${height}`)).size).toBe(
      choices.length,
    );
    for (const { width, height } of choices) {
      expect([width % divisor, height % divisor]).toEqual([0, 0]);
      expect(Math.min(width, height)).toBeGreaterThan(0);
      expect(Math.max(width, height)).toBeLessThanOrEqual(1280);
    }
  },
);
