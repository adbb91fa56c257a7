import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { mediaModels } from '../../test/service/catalog/media-models.ts';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import { readEditModel, readImageModel } from './image-model.ts';

const catalogModels = mediaModels.map((record) => readModel(record) as Model);
const findModel = (id: string): Model => catalogModels.find((model) => model.id === id) as Model;

const createModel = (constraints: unknown, pricing: unknown = {}, type = 'image'): Model =>
  readModel({ id: 'm', type, model_spec: { name: 'M', constraints, pricing } }) as Model;

const listedRatios = ['1:1', '3:2', '16:9', '21:9', '9:16', '2:3', '4:5'];
const createPrice = (value: number) => ({ usd: value, diem: value });

test('readImageModel reads a model whose image sizes are in pixels', () => {
  const constraints = {
    promptCharacterLimit: 1500,
    steps: { default: 25, max: 30 },
    widthHeightDivisor: 16,
  };
  const upscale = { '2x': createPrice(0.02), '4x': createPrice(0.08) };
  expect(
    readImageModel(createModel(constraints, { generation: createPrice(0.01), upscale })),
  ).toEqual({
    id: 'm',
    name: 'M',
    offline: false,
    traits: [],
    maxPromptChars: 1500,
    sizing: { kind: 'pixels', min: 16, max: 1280, divisor: 16, defaultSize: 1024 },
    steps: { default: 25, max: 30 },
    qualities: [],
    supportsWebSearch: true,
    maxStyleReferences: 0,
    supportsStyleStrength: false,
    hasBasicOptionsOnly: false,
    prices: {
      generation: createPrice(0.01),
      upscale2: createPrice(0.02),
      upscale4: createPrice(0.08),
    },
  });
});

test.each([
  [findModel('painter-ratio'), { kind: 'ratio', ratios: listedRatios, defaultRatio: '1:1' }],
  [
    findModel('painter-studio'),
    {
      kind: 'tier',
      ratios: listedRatios,
      defaultRatio: '1:1',
      resolutions: ['1K', '2K', '4K'],
      defaultResolution: '1K',
    },
  ],
])(
  'readImageModel reads a model whose image sizes are aspect ratios, with the steps from its record',
  (record, sizing) => {
    const imageModel = readImageModel(record);
    expect(imageModel?.sizing).toEqual(sizing);
    // With a maximum of one step, the user has no choice, so the steps are absent.
    expect(imageModel?.steps).toEqual(
      sizing.kind === 'ratio' ? { default: 20, max: 50 } : undefined,
    );
  },
);

test('readImageModel reads a model as supporting web search unless the model record denies web search', () => {
  const read = (spec: object) =>
    readImageModel(readModel({ id: 'm', type: 'image', model_spec: spec }) as Model);
  expect(read({})?.supportsWebSearch).toBe(true);
  expect(read({ supportsWebSearch: false })?.supportsWebSearch).toBe(false);
  expect(read({ capabilities: { supportsWebSearch: false } })?.supportsWebSearch).toBe(false);
});

test('readImageModel reads web search and prices by resolution', () => {
  expect(readImageModel(findModel('painter-studio'))).toMatchObject({
    privacy: 'anonymized',
    maxPromptChars: 32_768,
    supportsWebSearch: true,
    prices: {
      resolutions: { '1K': createPrice(0.18), '2K': createPrice(0.23), '4K': createPrice(0.35) },
    },
  });
});

test('readImageModel reads qualities and the maximum number of style references', () => {
  const imageModel = readImageModel(
    createModel(
      { qualities: ['low', 'high'], maxStyleReferences: 3, supportsStyleReferenceStrength: true },
      {
        quality: { '1K': { low: createPrice(0.1), high: createPrice(0.2), odd: 'free' }, '2K': 7 },
      },
    ),
  );
  expect(imageModel).toMatchObject({
    qualities: ['low', 'high'],
    defaultQuality: 'high',
    maxStyleReferences: 3,
    supportsStyleStrength: true,
    prices: { qualities: { '1K': { low: createPrice(0.1), high: createPrice(0.2) } } },
  });
});

test.each([
  [
    'the default qualities and up to 50 steps for a record without constraints',
    {},
    ['low', 'medium', 'high'],
    { max: 50 },
  ],
  [
    'the default qualities and up to 50 steps for a record with only an unrelated constraint',
    { temperature: { default: 1 } },
    ['low', 'medium', 'high'],
    { max: 50 },
  ],
  // A record that lists some options denies all options that it does not list.
  [
    'no qualities and no steps for a record with only a prompt limit',
    { promptCharacterLimit: 1_500 },
    [],
    undefined,
  ],
  [
    'only the listed qualities and no steps for a record without steps',
    { aspectRatios: ['1:1'], qualities: ['high'] },
    ['high'],
    undefined,
  ],
  [
    'no qualities and no steps for a record with a maximum of one step',
    { steps: { default: 1, max: 1 } },
    [],
    undefined,
  ],
  [
    'no qualities and the listed steps for a record with only steps',
    { steps: { default: 20, max: 30 } },
    [],
    { default: 20, max: 30 },
  ],
])('readImageModel returns %s', (_name, constraints, ...expected) => {
  const image = readImageModel(createModel(constraints, {}));
  expect([image?.qualities, image?.steps]).toEqual(expected);
});

test('readEditModel reads an edit model', () => {
  const constraints = {
    aspectRatios: ['auto', '1:1', '<b>'],
    promptCharacterLimit: 32_768,
    resolutions: ['1K', '2K'],
    qualities: ['low', 'high'],
  };
  const pricing = {
    inpaint: createPrice(0.04),
    resolutions: { '2K': createPrice(0.3) },
    quality: { '2K': { low: createPrice(0.1) } },
  };
  expect(readEditModel(createModel(constraints, pricing, 'inpaint'))).toEqual({
    id: 'm',
    name: 'M',
    offline: false,
    traits: [],
    maxPromptChars: 32_768,
    ratios: ['auto', '1:1'],
    takesSingleImageRatio: true,
    resolutions: ['1K', '2K'],
    qualities: ['low', 'high'],
    maxImages: 1,
    price: createPrice(0.04),
    resolutionPrices: { '2K': createPrice(0.3) },
    qualityPrices: { '2K': { low: createPrice(0.1) } },
  });
});

test.each([
  ['one image for a record without constraints', {}, 1],
  ['one image for a model that cannot combine images', { maxInputImages: 5 }, 1],
  [
    'three images for a model that combines images, without a stated maximum',
    { combineImages: true },
    3,
  ],
  [
    'the stated maximum of five images for a model that combines images',
    { combineImages: true, maxInputImages: 5 },
    5,
  ],
  [
    'three images for a model that combines images, with a negative maximum',
    { combineImages: true, maxInputImages: -1 },
    3,
  ],
])('readEditModel limits a call to %s', (_name, constraints, maxImages) => {
  expect(readEditModel(createModel(constraints, {}, 'inpaint'))?.maxImages).toBe(maxImages);
});

test('readEditModel reads the price of input images beyond the included number', () => {
  const pricing = {
    inpaint: createPrice(0.04),
    inputImages: { included: 2, additional: createPrice(0.01) },
  };
  expect(readEditModel(createModel({}, pricing, 'inpaint'))).toMatchObject({
    includedImages: 2,
    additionalImagePrice: createPrice(0.01),
  });
  const priceTable = {
    inpaint: createPrice(0.04),
    inputImages: { included: 0, additional: createPrice(0.01) },
  };
  expect(readEditModel(createModel({}, priceTable, 'inpaint'))?.includedImages).toBe(0);
});

test.each(['text', 'upscale', 'video', 'Image', ''])(
  'readImageModel rejects the model type %j',
  (type) => {
    expect(readImageModel(createModel({}, {}, type))).toBeUndefined();
    expect(readEditModel(createModel({}, {}, type))).toBeUndefined();
  },
);

test.each([
  [{ widthHeightDivisor: 8 }, 8, 1280, 1024],
  [{ widthHeightDivisor: 48 }, 48, 1248, 1008],
  [{ widthHeightDivisor: 1000 }, 1000, 1000, 1000],
  [{ widthHeightDivisor: 1 }, 1, 1280, 1024],
  [{ widthHeightDivisor: 0 }, 1, 1280, 1024],
  [{ widthHeightDivisor: -8 }, 1, 1280, 1024],
  [{ widthHeightDivisor: 1.5 }, 1, 1280, 1024],
  [{ widthHeightDivisor: 5000 }, 1, 1280, 1024],
  [{ widthHeightDivisor: '8' }, 1, 1280, 1024],
  [{ widthHeightDivisor: 8, aspectRatios: 'all', resolutions: {} }, 8, 1280, 1024],
])(
  'readImageModel reads the constraints %j as sizes in pixels, in multiples of %i up to %i',
  (constraints, divisor, max, size) => {
    expect(readImageModel(createModel(constraints))?.sizing).toEqual({
      kind: 'pixels',
      min: divisor,
      max,
      divisor,
      defaultSize: size,
    });
  },
);

test.each([
  [{ aspectRatios: ['3:2', '1:1', '3:2'] }, ['3:2', '1:1'], '1:1'],
  [{ aspectRatios: ['3:2', '2:3'] }, ['3:2', '2:3'], '3:2'],
  [{ aspectRatios: ['3:2', '2:3'], defaultAspectRatio: '2:3' }, ['3:2', '2:3'], '2:3'],
  [{ aspectRatios: ['3:2'], defaultAspectRatio: '9:9' }, ['3:2'], '3:2'],
])(
  'readImageModel reads the constraints %j as the aspect ratios %j with the default %s',
  (constraints, ratios, defaultRatio) => {
    const sizing = { kind: 'ratio', ratios, defaultRatio };
    expect(readImageModel(createModel(constraints))?.sizing).toEqual(sizing);
  },
);

test('readImageModel reads a model with resolutions and no aspect ratios', () => {
  expect(
    readImageModel(createModel({ resolutions: ['2K', '4K'], defaultResolution: '8K' }))?.sizing,
  ).toEqual({
    kind: 'tier',
    ratios: [],
    defaultRatio: '1:1',
    resolutions: ['2K', '4K'],
    defaultResolution: '2K',
  });
});

test.each([
  [
    { default: 8, max: 8 },
    { default: 8, max: 8 },
  ],
  [{ max: 30 }, { default: 30, max: 30 }],
  [
    { default: 90, max: 30 },
    { default: 30, max: 30 },
  ],
])(
  'readImageModel, given the steps %j in the model record, returns the steps %j',
  (constraint, steps) => {
    expect(readImageModel(createModel({ steps: constraint }))?.steps).toEqual(steps);
  },
);

test.each([
  ['a maximum of one step', { default: 1, max: 1 }],
  ['steps without a maximum', { default: 20 }],
  ['a maximum of zero steps', { default: 20, max: 0 }],
  ['an infinite maximum of steps', { default: 20, max: Infinity }],
  ['a string as the maximum of steps', { default: 20, max: '50' }],
  ['a number instead of the steps', 25],
  ['null instead of the steps', null],
])('readImageModel returns no steps for a record with %s', (_name, constraint) => {
  expect(readImageModel(createModel({ steps: constraint }))?.steps).toBeUndefined();
});

test.each([
  {},
  { steps: { default: 20, max: 50 } },
  { aspectRatios: ['<b>', '0:0', 7, '1:99999'] },
])(
  'readImageModel offers resolutions and sizes in pixels if the constraints %j contain no valid sizes',
  (constraints) => {
    expect(readImageModel(createModel(constraints))).toMatchObject({
      sizing: { kind: 'unknown', resolutions: ['1K', '2K', '4K'], pixels: { max: 1280 } },
    });
  },
);

test.each(['bg-remover', 'Background Remover', 'acme-background-removal', 'acme-rmbg-2'])(
  'readImageModel returns no image model for the background remover %s',
  (name) => {
    const record = readModel({ id: name, type: 'image', model_spec: {} });
    expect(record && readImageModel(record)).toBeUndefined();
  },
);

test('readEditModel reads whether the model accepts an aspect ratio for a single image', () => {
  const read = (constraints: object) =>
    readEditModel(createModel(constraints, {}, 'inpaint'))?.takesSingleImageRatio;
  expect([read({}), read({ singleImageAspectRatio: false })]).toEqual([true, false]);
});

test('readImageModel ignores inherited property names in price tables', () => {
  const pricing = JSON.parse('{"resolutions":{"__proto__":{"usd":1},"1K":{"usd":2}}}') as unknown;
  const prices = readImageModel(createModel({}, pricing))?.prices;
  expect(Object.keys(prices?.resolutions ?? {})).toEqual(['1K']);
});

test('readImageModel reads at most 64 qualities', () => {
  const qualities = Array.from({ length: 10_000 }, (_, index) => `q${index}`);
  expect(readImageModel(createModel({ qualities }))?.qualities).toHaveLength(64);
});

test('readImageModel returns valid limits and sizes for any constraints', () => {
  const fieldArbitrary = fc.oneof(fc.anything(), fc.array(fc.string()), fc.integer(), fc.double());
  const names = ['aspectRatios', 'resolutions', 'qualities', 'steps', 'widthHeightDivisor'];
  const constraints = fc.dictionary(
    fc.constantFrom(...names, 'promptCharacterLimit'),
    fieldArbitrary,
  );
  fc.assert(
    fc.property(constraints, fc.anything(), (constraint, pricing) => {
      const imageModel = readImageModel(createModel(constraint, pricing));
      expect(imageModel?.maxPromptChars).toBeGreaterThan(0);
      if (imageModel?.sizing.kind !== 'pixels') return;
      const { min, max, divisor, defaultSize } = imageModel.sizing;
      for (const size of [min, max, defaultSize]) expect(size % divisor).toBe(0);
      expect(min).toBeGreaterThan(0);
      expect(defaultSize).toBeLessThanOrEqual(max);
    }),
  );
});
