import { expect, test } from 'vitest';
import { pixelImageModel, ratioModel, tierModel } from './image.fixture.ts';
import type { ImageModel } from './image-model.ts';
import { type ImageOptions, findOptionProblems } from './image-options.ts';

const rangeProblem = { code: 'out-of-range', isMinExclusive: false };

test.each<[ImageModel, ImageOptions, readonly object[]]>([
  [pixelImageModel, {}, []],
  [pixelImageModel, { width: 640, height: 480, steps: 30, cfgScale: 20, seed: -999_999_999 }, []],
  [pixelImageModel, { width: 0 }, [{ field: 'width', ...rangeProblem, min: 16, max: 1280 }]],
  [pixelImageModel, { height: 1296 }, [{ field: 'height', ...rangeProblem, min: 16, max: 1280 }]],
  [
    pixelImageModel,
    { width: Number.NaN },
    [{ field: 'width', ...rangeProblem, min: 16, max: 1280 }],
  ],
  [pixelImageModel, { width: 1000 }, [{ field: 'width', code: 'not-multiple', divisor: 16 }]],
  [pixelImageModel, { steps: 31 }, [{ field: 'steps', ...rangeProblem, min: 1, max: 30 }]],
  [pixelImageModel, { steps: 2.5 }, [{ field: 'steps', code: 'not-whole' }]],
  [
    pixelImageModel,
    { cfgScale: 0 },
    [{ field: 'cfgScale', ...rangeProblem, isMinExclusive: true, min: 0, max: 20 }],
  ],
  [
    pixelImageModel,
    { seed: 1e9 },
    [{ field: 'seed', ...rangeProblem, min: -999_999_999, max: 999_999_999 }],
  ],
  [pixelImageModel, { seed: 0.5 }, [{ field: 'seed', code: 'not-whole' }]],
  [
    pixelImageModel,
    { aspectRatio: '16:9', resolution: '2K', quality: 'high', webSearch: true },
    [],
  ],
  [
    pixelImageModel,
    { negativePrompt: 'x'.repeat(1501) },
    [{ field: 'negativePrompt', code: 'too-long', length: 1501, limit: 1500 }],
  ],
  [
    ratioModel,
    { width: 5, steps: 99, cfgScale: 99 },
    [{ field: 'cfgScale', ...rangeProblem, isMinExclusive: true, min: 0, max: 20 }],
  ],
  [
    ratioModel,
    { aspectRatio: '5:4', quality: 'ultra' },
    [
      { field: 'aspectRatio', code: 'not-offered', choices: ['1:1', '3:2', '16:9', '9:16'] },
      { field: 'quality', code: 'not-offered', choices: ['low', 'medium', 'high'] },
    ],
  ],
  [
    tierModel,
    { aspectRatio: '16:9', resolution: '8K' },
    [{ field: 'resolution', code: 'not-offered', choices: ['1K', '2K', '4K'] }],
  ],
])(
  'findOptionProblems finds in the image options $1 the problems $2 (case %#)',
  (model, options, problems) => {
    expect(findOptionProblems(model, 'a cat', options)).toEqual(problems);
  },
);

test.each([
  ['', [{ field: 'prompt', code: 'empty' }]],
  [' \n\t', [{ field: 'prompt', code: 'empty' }]],
  ['x'.repeat(1500), []],
  ['x'.repeat(1501), [{ field: 'prompt', code: 'too-long', length: 1501, limit: 1500 }]],
  ['😀'.repeat(751), [{ field: 'prompt', code: 'too-long', length: 1502, limit: 1500 }]],
])('findOptionProblems finds in the prompt $0 the problems $1 (case %#)', (prompt, problems) => {
  expect(findOptionProblems(pixelImageModel, prompt, {})).toEqual(problems);
});
