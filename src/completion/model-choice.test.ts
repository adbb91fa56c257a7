import { expect, test } from 'vitest';
import { textModels } from '../../test/service/catalog/text-models.ts';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import {
  chooseCompletionModel,
  listCompletionModels,
  chooseDefaultCompletionModel,
  isMuchMoreExpensive,
  estimateSuggestionPrice,
} from './model-choice.ts';

interface ModelFields {
  readonly type?: string;
  readonly traits?: readonly string[];
  readonly offline?: boolean;
  readonly deprecation?: object;
  readonly isOptimizedForCode?: boolean;
  readonly supportsReasoning?: boolean;
  /** Price of input tokens and of output tokens, in USD per million. */
  readonly tokenPriceUsd?: number;
}

function createModel(
  id: string,
  {
    type = 'text',
    isOptimizedForCode,
    supportsReasoning,
    tokenPriceUsd,
    ...spec
  }: ModelFields = {},
): Model {
  const usd =
    tokenPriceUsd === undefined
      ? {}
      : { input: { usd: tokenPriceUsd }, output: { usd: tokenPriceUsd } };
  const capabilities = {
    optimizedForCode: isOptimizedForCode === true,
    supportsReasoning: supportsReasoning === true,
  };
  const record = { name: id, ...spec, capabilities, pricing: usd };
  return readModel({ id, type, object: 'model', model_spec: record }) as Model;
}

const getIds = (models: readonly Model[]): string[] => models.map(({ id }) => id);

test.each<[string, Model, Model]>([
  [
    'an online model',
    createModel('a', { tokenPriceUsd: 9 }),
    createModel('b', { tokenPriceUsd: 1, offline: true }),
  ],
  [
    'a model without a retirement date',
    createModel('a', { tokenPriceUsd: 9 }),
    createModel('b', { tokenPriceUsd: 1, deprecation: { date: 'x' } }),
  ],
  [
    'a model with a price',
    createModel('a', { tokenPriceUsd: 9 }),
    createModel('b', { isOptimizedForCode: true }),
  ],
  [
    'the cheaper model',
    createModel('b', { tokenPriceUsd: 1 }),
    createModel('a', { tokenPriceUsd: 2 }),
  ],
  [
    'a model optimized for code',
    createModel('a', { tokenPriceUsd: 5, isOptimizedForCode: true }),
    createModel('b', { tokenPriceUsd: 1 }),
  ],
  [
    'a model of the type code',
    createModel('a', { tokenPriceUsd: 5, type: 'code' }),
    createModel('b', { tokenPriceUsd: 1 }),
  ],
  [
    'a general model at a tenth of the price',
    createModel('b', { tokenPriceUsd: 0.1 }),
    createModel('a', { tokenPriceUsd: 1, isOptimizedForCode: true }),
  ],
  [
    'a model without reasoning',
    createModel('a', { tokenPriceUsd: 3, isOptimizedForCode: true }),
    createModel('b', { tokenPriceUsd: 1, isOptimizedForCode: true, supportsReasoning: true }),
  ],
  [
    'the default code model at a similar price',
    createModel('b', { tokenPriceUsd: 1.5, traits: ['default_code'] }),
    createModel('a', { tokenPriceUsd: 1, isOptimizedForCode: true }),
  ],
  [
    'another code model at a tenth of the default model’s price',
    createModel('a', { tokenPriceUsd: 0.1, isOptimizedForCode: true }),
    createModel('b', { tokenPriceUsd: 1, isOptimizedForCode: true, traits: ['default_code'] }),
  ],
  [
    'the fastest model at the same price',
    createModel('b', { tokenPriceUsd: 1, isOptimizedForCode: true, traits: ['fastest'] }),
    createModel('a', { tokenPriceUsd: 1, isOptimizedForCode: true }),
  ],
  [
    'a code model when no model has a price',
    createModel('b', { isOptimizedForCode: true }),
    createModel('a'),
  ],
  [
    'a code model when all models are free',
    createModel('b', { tokenPriceUsd: 0, isOptimizedForCode: true }),
    createModel('a', { tokenPriceUsd: 0 }),
  ],
  [
    'the alphabetically first of two equal models',
    createModel('a', { tokenPriceUsd: 1 }),
    createModel('b', { tokenPriceUsd: 1 }),
  ],
])('listCompletionModels ranks %s first', (_, firstModel, secondModel) => {
  expect(getIds(listCompletionModels([firstModel, secondModel]))).toEqual([
    firstModel.id,
    secondModel.id,
  ]);
  expect(getIds(listCompletionModels([secondModel, firstModel]))).toEqual([
    firstModel.id,
    secondModel.id,
  ]);
});

test('listCompletionModels excludes image, speech, embedding and other unsuitable models', () => {
  const models = ['image', 'tts', 'embedding', 'decision'].map((type) =>
    createModel(type, { type }),
  );
  expect(listCompletionModels(models)).toEqual([]);
  expect(chooseDefaultCompletionModel(models)).toBeUndefined();
});

test('chooseDefaultCompletionModel selects the small code model of the local service', () => {
  const models = textModels.map(({ record }) => readModel(record) as Model);
  expect(chooseDefaultCompletionModel(models)?.id).toBe('coder-inline-7b');
});

test.each([
  ['the cheap code model', 'is empty', '', 'cheap'],
  ['the model "large"', 'contains the id of the model', 'large', 'large'],
  ['the model "large"', 'contains a trait of the model', 'default_code', 'large'],
  ['no model', 'contains the id of an image model', 'painter', undefined],
  ['no model', 'contains an unknown id', 'gone', undefined],
])(
  'chooseCompletionModel selects %s if the model setting %s',
  (_modelLabel, _settingLabel, configuredName, id) => {
    const models = [
      createModel('large', {
        tokenPriceUsd: 10,
        isOptimizedForCode: true,
        traits: ['default_code'],
      }),
      createModel('cheap', { tokenPriceUsd: 1, isOptimizedForCode: true }),
      createModel('painter', { type: 'image' }),
    ];
    expect(chooseCompletionModel(models, configuredName)?.id).toBe(id);
  },
);

test('estimateSuggestionPrice adds the prices of the input and the output tokens', () => {
  expect(estimateSuggestionPrice(createModel('a', { tokenPriceUsd: 1 }))).toBeCloseTo(0.000_92, 6);
  expect(estimateSuggestionPrice(createModel('a'))).toBeUndefined();
});

test('listCompletionModels sorts 5,000 models by price and does not change the input list', () => {
  const models = Array.from({ length: 5_000 }, (_, index) =>
    createModel(`m${index}`, { tokenPriceUsd: 5_000 - index }),
  );
  expect(listCompletionModels(models)[0]?.id).toBe('m4999');
  expect(models[0]?.id).toBe('m0');
});

test.each([
  [false, 'the same price', 0.1, 0.1],
  [false, 'twice the price', 0.2, 0.1],
  [true, 'more than twice the price', 0.21, 0.1],
  [false, 'a lower price', 0.01, 0.1],
  [true, 'any price if the user consented to a free model', 0.001, 0],
  [false, 'a model that is still free', 0, 0],
  [false, 'an unknown price', undefined, 0.1],
  [false, 'any price if the user consented to an unknown price', 9, undefined],
])('isMuchMoreExpensive returns %j for %s', (expected, _, price, consentedPrice) => {
  expect(isMuchMoreExpensive(price, consentedPrice)).toBe(expected);
});
