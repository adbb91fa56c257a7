import { describe, expect, test } from 'vitest';
import {
  createStudioCheck,
  createDraft,
  createEditDraft,
  createEditModel,
  createInputImage,
  createPixelModel,
  createRatioModel,
} from '../../test/support/webview-page/studio-states.ts';
import {
  findCreateProblems,
  findEditProblems,
  fitPixels,
  mergeProblems,
  getPriceKey,
  findProblem,
  parseAspectRatio,
  readSeed,
} from './form-rules.ts';

const listFields = (problems: readonly { readonly field: string }[]): string[] =>
  problems.map(({ field }) => field);

describe('the studio form', () => {
  test.each([
    ['an empty prompt', createDraft(), createPixelModel(), ['prompt']],
    ['only spaces', createDraft({ prompt: ' \n' }), createPixelModel(), ['prompt']],
    ['all required fields', createDraft({ prompt: 'A boat' }), createPixelModel(), []],
    ['no model', createDraft({ prompt: 'A boat' }), undefined, ['model']],
    [
      'an offline model',
      createDraft({ prompt: 'x' }),
      createPixelModel({ offline: true }),
      ['model'],
    ],
    ['a long prompt', createDraft({ prompt: 'x'.repeat(1_501) }), createPixelModel(), ['prompt']],
    ['the longest prompt', createDraft({ prompt: 'x'.repeat(1_500) }), createPixelModel(), []],
    [
      'a long negative prompt',
      createDraft({ prompt: 'x', negativePrompt: 'x'.repeat(1_501) }),
      createPixelModel(),
      ['negativePrompt'],
    ],
    [
      'a long negative prompt for a model sized by ratio',
      createDraft({ prompt: 'x', negativePrompt: 'x'.repeat(9_999) }),
      createRatioModel(),
      ['negativePrompt'],
    ],
  ])('with %s has problems in the fields $3', (_, draft, model, fields) => {
    expect(listFields(findCreateProblems(draft, model))).toEqual(fields);
  });

  test.each([
    ['an empty prompt', '', [createInputImage(1)], ['prompt']],
    ['one image', 'Night', [createInputImage(1)], []],
    ['the maximum number of images', 'Night', [createInputImage(1), createInputImage(2)], []],
    [
      'too many images',
      'Night',
      [createInputImage(1), createInputImage(2), createInputImage(3)],
      ['inputs'],
    ],
  ])('for an edit with %s has problems in the fields $3', (_, prompt, inputs, fields) => {
    const problems = findEditProblems(
      createEditDraft({ prompt }),
      createEditModel({ maxImages: 2 }),
      inputs,
    );
    expect(listFields(problems)).toEqual(fields);
  });

  test('asks for a description of the change in edit mode, instead of a description of the image', () => {
    const [problem] = findEditProblems(createEditDraft({ prompt: '' }), createEditModel({}), []);
    expect(problem?.text).toBe('What should change?');
  });
});

test.each([
  [1_000, 1_008],
  [5_000, 1_280],
  [1, 256],
  [-7, 256],
  [255.6, 256],
])(
  'fitPixels changes a side of %d pixels to the nearest accepted length, %d',
  (typedPixels, expected) => {
    const sizing = { kind: 'pixels', min: 250, max: 1_290, divisor: 16 } as const;
    const sizeDefaults = { defaultWidth: 1_024, defaultHeight: 1_024, sizes: [] };
    expect(fitPixels(typedPixels, { ...sizing, ...sizeDefaults })).toBe(expected);
  },
);

test('mergeProblems keeps the page’s problem if the page and the host report a problem in the same field', () => {
  const pageProblems = findCreateProblems(createDraft(), createPixelModel());
  const hostCheck = createStudioCheck({
    problems: [
      { field: 'prompt', severity: 'error', text: 'Empty.' },
      { field: 'size', severity: 'warning', text: 'Rounded.' },
    ],
  });
  const mergedProblems = mergeProblems(pageProblems, hostCheck);
  expect(listFields(mergedProblems)).toEqual(['prompt', 'size']);
  expect(findProblem(mergedProblems, 'size')?.text).toBe('Rounded.');
  expect(findProblem(mergedProblems, 'steps')).toBeUndefined();
});

test('findProblem returns the error if a field has an error and a warning', () => {
  const warning = { field: 'size', severity: 'warning', text: 'w' } as const;
  const error = { field: 'size', severity: 'error', text: 'e' } as const;
  expect(findProblem([warning, error], 'size')).toBe(error);
});

test.each([
  ['16:9', 16 / 9],
  ['1:1', 1],
  ['2.39:1', 2.39],
  ['auto', 1],
  ['0:0', 1],
  ['16:', 1],
])('parseAspectRatio parses the aspect ratio %s as %f', (text, ratio) =>
  expect(parseAspectRatio(text)).toBe(ratio),
);

test.each([
  ['', null],
  ['  ', null],
  ['0', 0],
  [' 42 ', 42],
  ['-999999999', -999_999_999],
  ['1000000000', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['seven', undefined],
])('readSeed parses the seed %j as %j', (text, seed) => expect(readSeed(text)).toBe(seed));

test('getPriceKey derives the price key from options and input count, but not from texts and seed', () => {
  const createKey = (change: Parameters<typeof createDraft>[0], inputCount = 0): string =>
    getPriceKey(createDraft(change), inputCount);
  expect(createKey({ prompt: 'a', seed: 1 })).toBe(createKey({ prompt: 'b', seed: 2 }));
  expect(createKey({ variants: 2 })).not.toBe(createKey({ variants: 1 }));
  expect(createKey({}, 1)).not.toBe(createKey({}, 2));
});
