import { expect, test } from 'vitest';
import { pixelImageModel, ratioModel, tierModel } from './image.fixture.ts';
import type { ImageModel } from './image-model.ts';
import { listSizeChoices, resolveImageSize } from './image-size.ts';

test.each([
  [pixelImageModel, {}, 1024, 1024],
  [pixelImageModel, { width: 640, height: 480 }, 640, 480],
  [pixelImageModel, { width: 641, height: 489, aspectRatio: '16:9' }, 640, 496],
  [ratioModel, {}, 1024, 683],
  [ratioModel, { aspectRatio: '1:1' }, 1024, 1024],
  [ratioModel, { aspectRatio: '16:9' }, 1024, 576],
  [ratioModel, { aspectRatio: '9:16', width: 5 }, 576, 1024],
  [tierModel, {}, 1024, 1024],
  [tierModel, { resolution: '4K' }, 4096, 4096],
  [tierModel, { resolution: '2K', aspectRatio: '16:9' }, 2048, 1152],
  [tierModel, { resolution: '9K', aspectRatio: '7:7' }, 1024, 1024],
])(
  'resolveImageSize returns for the image options $1 a size of $2 × $3 pixels (case %#)',
  (model, options, width, height) => {
    expect(resolveImageSize(model, options)).toEqual({ width, height });
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
