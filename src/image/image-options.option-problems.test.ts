import { expect, test } from 'vitest';
import { pixelImageModel, ratioModel, tierModel } from './image.fixture.ts';
import type { ImageModel } from './image-model.ts';
import { type ImageOptions, findOptionProblems } from './image-options.ts';

const rangeProblem = { code: 'out-of-range', isMinExclusive: false };

test.each<[string, ImageModel, ImageOptions, readonly object[]]>([
  ['no problem without options', pixelImageModel, {}, []],
  [
    'no problem in valid options',
    pixelImageModel,
    { width: 640, height: 480, steps: 30, cfgScale: 20, seed: -999_999_999 },
    [],
  ],
  [
    'a width below the minimum',
    pixelImageModel,
    { width: 0 },
    [{ field: 'width', ...rangeProblem, min: 16, max: 1280 }],
  ],
  [
    'a height above the maximum',
    pixelImageModel,
    { height: 1296 },
    [{ field: 'height', ...rangeProblem, min: 16, max: 1280 }],
  ],
  [
    'a width that is not a number',
    pixelImageModel,
    { width: Number.NaN },
    [{ field: 'width', ...rangeProblem, min: 16, max: 1280 }],
  ],
  [
    'a width that is not a multiple of 16',
    pixelImageModel,
    { width: 1000 },
    [{ field: 'width', code: 'not-multiple', divisor: 16 }],
  ],
  [
    'a number of steps above the maximum',
    pixelImageModel,
    { steps: 31 },
    [{ field: 'steps', ...rangeProblem, min: 1, max: 30 }],
  ],
  [
    'a fraction as the number of steps',
    pixelImageModel,
    { steps: 2.5 },
    [{ field: 'steps', code: 'not-whole' }],
  ],
  [
    'a guidance of zero',
    pixelImageModel,
    { cfgScale: 0 },
    [{ field: 'cfgScale', ...rangeProblem, isMinExclusive: true, min: 0, max: 20 }],
  ],
  [
    'a seed above the maximum',
    pixelImageModel,
    { seed: 1e9 },
    [{ field: 'seed', ...rangeProblem, min: -999_999_999, max: 999_999_999 }],
  ],
  [
    'a fraction as the seed',
    pixelImageModel,
    { seed: 0.5 },
    [{ field: 'seed', code: 'not-whole' }],
  ],
  [
    'no problem in options that the model ignores',
    pixelImageModel,
    { aspectRatio: '16:9', resolution: '2K', quality: 'high', webSearch: true },
    [],
  ],
  [
    'a negative prompt that is too long',
    pixelImageModel,
    { negativePrompt: 'x'.repeat(1501) },
    [{ field: 'negativePrompt', code: 'too-long', length: 1501, limit: 1500 }],
  ],
  [
    'only the excessive guidance if the model ignores the width and the steps',
    ratioModel,
    { width: 5, steps: 99, cfgScale: 99 },
    [{ field: 'cfgScale', ...rangeProblem, isMinExclusive: true, min: 0, max: 20 }],
  ],
  [
    'an aspect ratio and a quality that the model does not offer',
    ratioModel,
    { aspectRatio: '5:4', quality: 'ultra' },
    [
      { field: 'aspectRatio', code: 'not-offered', choices: ['1:1', '3:2', '16:9', '9:16'] },
      { field: 'quality', code: 'not-offered', choices: ['low', 'medium', 'high'] },
    ],
  ],
  [
    'a resolution that the model does not offer',
    tierModel,
    { aspectRatio: '16:9', resolution: '8K' },
    [{ field: 'resolution', code: 'not-offered', choices: ['1K', '2K', '4K'] }],
  ],
])('findOptionProblems finds %s', (_name, model, options, problems) => {
  expect(findOptionProblems(model, 'a cat', options)).toEqual(problems);
});

test.each([
  ['an empty prompt', '', [{ field: 'prompt', code: 'empty' }]],
  ['a prompt of whitespace', ' \n\t', [{ field: 'prompt', code: 'empty' }]],
  ['no problem in a prompt of the maximum length', 'x'.repeat(1500), []],
  [
    'a prompt that is one character too long',
    'x'.repeat(1501),
    [{ field: 'prompt', code: 'too-long', length: 1501, limit: 1500 }],
  ],
  [
    'a prompt of emoji that is too long in UTF-16 code units',
    '😀'.repeat(751),
    [{ field: 'prompt', code: 'too-long', length: 1502, limit: 1500 }],
  ],
])('findOptionProblems finds %s', (_name, prompt, problems) => {
  expect(findOptionProblems(pixelImageModel, prompt, {})).toEqual(problems);
});
