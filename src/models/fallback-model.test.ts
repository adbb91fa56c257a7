import { describe, expect, test } from 'vitest';
import type { Model } from '../service/model-types.ts';
import { readModel } from '../service/read-model.ts';
import type { Capability } from './capability.ts';
import { type FallbackOptions, findFallback, UsedModels } from './fallback-model.ts';

interface ModelFacts {
  readonly traits?: readonly string[];
  readonly price?: readonly [input: number, output: number];
  readonly contextTokens?: number;
  readonly overrides?: Partial<Model>;
}

function createModel(
  id: string,
  { traits = [], price, contextTokens, overrides }: ModelFacts = {},
): Model {
  const prices = price && { input: { usd: price[0] }, output: { usd: price[1] } };
  const spec = { traits, pricing: prices, availableContextTokens: contextTokens };
  const model = readModel({ id, type: 'text', model_spec: spec });
  if (model === undefined) throw new Error('The record is invalid.');
  return { ...model, ...overrides };
}

const currentModel = createModel('current', {
  traits: ['code'],
  price: [1, 4],
  contextTokens: 32_000,
});

const findFallbackAmong = (models: readonly Model[], options: Partial<FallbackOptions> = {}) =>
  findFallback([currentModel, ...models], {
    failedModel: currentModel,
    failure: { code: 'overloaded' },
    requiredCapabilities: new Set<Capability>(),
    usedTokens: 0,
    maxPrice: 0,
    excludedModels: new Set(),
    isSuitable: () => true,
    ...options,
  });

describe('findFallback', () => {
  test.each(['overloaded', 'rate-limited', 'model-not-found'] as const)(
    'returns another model after the failure "%s"',
    (code) => {
      const otherModel = createModel('other', { price: [1, 4] });
      expect(findFallbackAmong([otherModel], { failure: { code } })).toEqual({
        model: otherModel,
        isPriceWithinMax: true,
      });
    },
  );

  test.each(['stopped', 'out-of-funds', 'content-policy', 'protection-failed', 'offline'] as const)(
    'returns no model after the failure "%s", because another model would fail as well',
    (code) => {
      expect(
        findFallbackAmong([createModel('other', { price: [1, 4] })], { failure: { code } }),
      ).toBeUndefined();
    },
  );

  test('prefers models that share traits with the failed model, then models with general traits, then released models, then models with higher prices', () => {
    const models = [
      createModel('cheap', { price: [0.1, 0.2] }),
      createModel('plain', { price: [1, 3] }),
      createModel('beta', {
        traits: ['most_uncensored'],
        price: [1, 4],
        overrides: { beta: true },
      }),
      createModel('vision', { traits: ['default_vision'], price: [1, 4] }),
      createModel('default', { traits: ['default'], price: [0.5, 1] }),
      createModel('coder', { traits: ['code'], price: [0.1, 0.2] }),
    ];
    const fallbackOrder: (string | undefined)[] = [];
    const excludedModels = new Set<string>();
    for (
      let id = findFallbackAmong(models)?.model.id;
      id !== undefined;
      id = findFallbackAmong(models, { excludedModels })?.model.id
    ) {
      fallbackOrder.push(id);
      excludedModels.add(id);
    }
    expect(fallbackOrder).toEqual(['coder', 'default', 'vision', 'plain', 'cheap', 'beta']);
  });

  test.each<[string, string, readonly [number, number], number, boolean]>([
    ['returns', 'the prices of the failed model', [1, 4], 0, true],
    ['does not return', 'a higher output price than the failed model', [1, 4.01], 0, false],
    ['does not return', 'a higher input price than the failed model', [1.01, 1], 0, false],
    ['returns', 'a price at the maximum of the user', [2, 8], 8, true],
    ['does not return', 'a price above the maximum of the user', [2, 8.01], 8, false],
    [
      'does not return',
      'the prices of the failed model if these exceed the maximum of the user',
      [1, 4],
      3,
      false,
    ],
  ])('%s a model with %s', (_result, _title, price, maxPrice, isFound) => {
    expect(findFallbackAmong([createModel('other', { price })], { maxPrice }) !== undefined).toBe(
      isFound,
    );
  });

  test('compares the extended prices for long prompts', () => {
    const extended = { threshold: 10, input: { usd: 1 }, output: { usd: 9 } };
    const { pricing } = createModel('other', { price: [1, 4] });
    const otherModel = createModel('other', { overrides: { pricing: { ...pricing, extended } } });
    expect(findFallbackAmong([otherModel])).toBeUndefined();
  });

  test('compares the prices for short prompts if the extended prices are lower', () => {
    const extended = { threshold: 10, input: { usd: 0.1 }, output: { usd: 0.1 } };
    const pricing = { input: { usd: 100 }, output: { usd: 400 }, extended };
    expect(findFallbackAmong([createModel('other', { overrides: { pricing } })])).toBeUndefined();
  });

  test.each<[string, Model['pricing'], Model['pricing']]>([
    [
      'a price in DIEM above the maximum in dollars',
      { input: { usd: 1, diem: 900 }, output: { usd: 4, diem: 900 } },
      { input: { usd: 1 }, output: { usd: 4 } },
    ],
    [
      'a price in dollars above the maximum in DIEM',
      { input: { usd: 1.5 }, output: { usd: 4 } },
      { input: { diem: 1 }, output: { diem: 4 } },
    ],
    [
      'an output price above the maximum and an unknown input price',
      { output: { usd: 1000 } },
      { input: { usd: 1 }, output: { usd: 4 } },
    ],
    [
      'an input price above the maximum and an unknown output price',
      { input: { usd: 1000 } },
      { input: { usd: 1 }, output: { usd: 4 } },
    ],
  ])('never returns a model with %s', (_title, pricing, maxPricing) => {
    const otherModel = createModel('other', { overrides: { pricing } });
    expect(
      findFallbackAmong([otherModel], { failedModel: { ...currentModel, pricing: maxPricing } }),
    ).toBeUndefined();
  });

  test('compares prices in DIEM with the user’s maximum price', () => {
    const pricing = { input: { usd: 1, diem: 900 }, output: { usd: 4, diem: 900 } };
    const otherModel = createModel('other', { overrides: { pricing } });
    expect(findFallbackAmong([otherModel], { maxPrice: 5 })).toBeUndefined();
    expect(findFallbackAmong([otherModel], { maxPrice: 900 })).toEqual({
      model: otherModel,
      isPriceWithinMax: true,
    });
  });

  test.each<[string, string, Partial<Model['pricing']>, boolean | undefined]>([
    [
      'reports prices within the maximum for',
      'the same price of cached input',
      { cacheInput: { usd: 0.1 } },
      true,
    ],
    [
      'reports prices above the maximum for',
      'no price of cached input, which then costs as much as input',
      {},
      false,
    ],
    [
      'reports prices above the maximum for',
      'a higher price of cached input',
      { cacheInput: { usd: 0.2 } },
      false,
    ],
    [
      'reports prices above the maximum for',
      'a higher price of cache writes',
      { cacheInput: { usd: 0.1 }, cacheWrite: { usd: 500 } },
      false,
    ],
    [
      'does not return',
      'a higher price in DIEM',
      { cacheInput: { usd: 0.1 }, input: { usd: 1, diem: 400 } },
      undefined,
    ],
  ])('%s a model with %s', (_result, _title, priceChanges, isPriceWithinMax) => {
    const otherModel = createModel('other', { price: [1, 4] });
    const { pricing } = currentModel;
    const pricingWithCache = { ...pricing, input: { usd: 1, diem: 1 }, cacheInput: { usd: 0.1 } };
    const fallback = findFallbackAmong(
      [{ ...otherModel, pricing: { ...otherModel.pricing, ...priceChanges } }],
      {
        failedModel: { ...currentModel, pricing: pricingWithCache },
      },
    );
    expect(fallback?.isPriceWithinMax).toBe(isPriceWithinMax);
  });

  test.each<[string, Model['pricing'], Model['pricing']]>([
    ['the input price of the model', { output: { usd: 4 } }, currentModel.pricing],
    ['the output price of the model', { input: { usd: 1 } }, currentModel.pricing],
    ['the input price of the failed model', currentModel.pricing, { output: { usd: 4 } }],
    ['the output price of the failed model', currentModel.pricing, { input: { usd: 1 } }],
  ])('requires confirmation if %s is unknown', (_title, pricing, failedPricing) => {
    const otherModel = createModel('other', { overrides: { pricing } });
    const fallback = findFallbackAmong([otherModel], {
      failedModel: { ...currentModel, pricing: failedPricing },
    });
    expect(fallback).toEqual({ model: otherModel, isPriceWithinMax: false });
  });

  test('reports an unknown price, and prefers models with a known price', () => {
    const unpricedModel = createModel('unknown', { traits: ['code'] });
    const pricedModel = createModel('known', { price: [1, 1] });
    expect(findFallbackAmong([unpricedModel])).toEqual({
      model: unpricedModel,
      isPriceWithinMax: false,
    });
    expect(findFallbackAmong([unpricedModel, pricedModel])).toEqual({
      model: pricedModel,
      isPriceWithinMax: true,
    });
    const modelWithoutPrice = createModel('current');
    expect(
      findFallbackAmong([pricedModel], { failedModel: modelWithoutPrice })?.isPriceWithinMax,
    ).toBe(false);
  });

  test.each<[string, Model]>([
    ['an image model', createModel('painter', { overrides: { type: 'image' } })],
    ['an offline model', createModel('off', { overrides: { offline: true } })],
    [
      'a model that the service will remove',
      createModel('old', { overrides: { deprecation: {} } }),
    ],
    [
      'a model without tools',
      createModel('mute', { overrides: { capabilities: { supportsFunctionCalling: false } } }),
    ],
    ['a model that is too small for the chat', createModel('small', { contextTokens: 4_000 })],
  ])('never returns %s', (_title, model) => {
    expect(
      findFallbackAmong([model], { requiredCapabilities: new Set(['tools']), usedTokens: 5_000 }),
    ).toBeUndefined();
  });

  test('returns only a model with a larger context after a context overflow', () => {
    const failure = { code: 'context-overflow', contextTokens: 40_000 } as const;
    const models = [
      createModel('unknown', { price: [1, 4] }),
      createModel('same', { price: [1, 4], contextTokens: 40_000 }),
      createModel('large', { price: [1, 1], contextTokens: 40_001 }),
    ];
    expect(findFallbackAmong(models, { failure })?.model.id).toBe('large');
    expect(findFallbackAmong(models, { failure, usedTokens: 50_000 })).toBeUndefined();
  });

  test('passes each model and the failed model to `isSuitable`, and returns only suitable models', () => {
    const comparedIds: string[] = [];
    const isSuitable = (model: Model, failedModel: Model): boolean => {
      comparedIds.push(`${model.id} ${failedModel.id}`);
      return model.id === 'b';
    };
    const models = [createModel('a', { price: [1, 4] }), createModel('b', { price: [1, 1] })];
    expect(findFallbackAmong(models, { isSuitable })?.model.id).toBe('b');
    expect(comparedIds).toContain('a current');
  });

  test('does not return the base model of a failed model whose id has a suffix', () => {
    const suffixedModel = { ...currentModel, id: 'current:enable_web_search=on' };
    expect(findFallbackAmong([], { failedModel: suffixedModel })).toBeUndefined();
  });
});

describe('UsedModels', () => {
  const createState = (storedValue: unknown) => {
    const state = { stored: storedValue, writeCount: 0 };
    return Object.assign(state, {
      get: () => state.stored,
      update: async (_key: string, value: unknown) => {
        state.stored = JSON.parse(JSON.stringify(value)) as unknown;
        state.writeCount++;
      },
    });
  };
  const [firstUrl, secondUrl] = ['https://one.test/v1', 'https://two.test/v1'] as const;

  test('returns the record of a used model only for the service that received the request, even after a restart', async () => {
    const state = createState(undefined);
    const model = createModel('m', { traits: ['code'], price: [1, 4], contextTokens: 8_000 });
    await new UsedModels(state).add(firstUrl, model);
    const usedModels = new UsedModels(state);
    expect(usedModels.find(firstUrl, 'm')).toEqual(model);
    expect(usedModels.find(secondUrl, 'm')).toBeUndefined();
    await usedModels.add(firstUrl, model);
    expect(state.writeCount).toBe(1);
    await usedModels.add(firstUrl, { ...model, privacy: 'anonymized' });
    expect(usedModels.find(firstUrl, 'm')?.privacy).toBe('anonymized');
  });

  test('stores the records of the 50 most recently used models', async () => {
    const usedModels = new UsedModels(createState(undefined));
    for (let index = 0; index < 51; index++)
      await usedModels.add(firstUrl, createModel(`m${index}`));
    expect(usedModels.find(firstUrl, 'm0')).toBeUndefined();
    expect(usedModels.find(firstUrl, 'm1')).toBeDefined();
  });

  test.each([null, 'text', {}, [null, 1, {}, { baseUrl: firstUrl }, { baseUrl: 1, model: {} }]])(
    'ignores the malformed state %j',
    async (storedValue) => {
      const usedModels = new UsedModels(createState(storedValue));
      expect(usedModels.find(firstUrl, 'm')).toBeUndefined();
      await usedModels.add(firstUrl, createModel('m'));
      expect(usedModels.find(firstUrl, 'm')?.id).toBe('m');
    },
  );
});
