import { expect, test } from 'vitest';
import { readModel } from '../../service/read-model.ts';
import type { Model } from '../../service/model-types.ts';
import { formatSuggestionCost } from './suggestion-cost.ts';

/** Creates a model with the given prices per million tokens. */
const createPricedModel = (price: object): Model =>
  readModel({
    id: 'a',
    type: 'text',
    object: 'model',
    model_spec: { name: 'a', pricing: { input: price, output: price } },
  }) as Model;

test.each([
  [{}, { usd: 1, diem: 5 }, '$0.092'],
  [{ diem: 3 }, { usd: 1, diem: 5 }, '$0.46'],
  [{ diem: 3 }, { usd: 1 }, '$0.092'],
  [{ usd: 3 }, { usd: 0 }, '$0'],
  [{ usd: 3 }, {}, undefined],
])(
  'formatSuggestionCost, given the balance %j and the model prices %j, returns %s for 100 suggestions',
  (balance, price, expected) => {
    expect(
      formatSuggestionCost({ account: { balance } }, createPricedModel(price), { count: 100 }),
    ).toBe(expected);
  },
);
