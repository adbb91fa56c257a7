import { describe, expect, test } from 'vitest';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import {
  selectChatModels,
  getDefaultChatModel,
  findModelByIdOrTrait,
  groupModels,
} from './model-selection.ts';

interface ModelFields {
  readonly type?: string;
  readonly traits?: readonly string[];
  readonly offline?: boolean;
  readonly capabilities?: Readonly<Record<string, boolean>>;
}

const createModel = (id: string, { type = 'text', ...spec }: ModelFields = {}): Model =>
  readModel({ id, type, object: 'model', model_spec: { name: id, ...spec } }) as Model;

const getIds = (models: readonly Model[]): string[] => models.map(({ id }) => id);

test('selectChatModels lists the default chat model first, then models by name, and offline models last', () => {
  const models = [
    createModel('zeta'),
    createModel('beta', { offline: true, traits: ['default'] }),
    createModel('painter', { type: 'image' }),
    createModel('omega', { traits: ['default'] }),
    createModel('alpha'),
  ];
  expect(getIds(selectChatModels(models))).toEqual(['omega', 'alpha', 'zeta', 'beta']);
  expect(models[0]?.id).toBe('zeta');
});

test.each([
  ['no model from an empty list', [], undefined],
  ['no model from a list of image models', [createModel('painter', { type: 'image' })], undefined],
  ['the only chat model', [createModel('only')], 'only'],
  [
    'the model with the trait "default"',
    [createModel('a'), createModel('b', { traits: ['default'] })],
    'b',
  ],
  [
    'an online model if the default model is offline',
    [createModel('a'), createModel('b', { traits: ['default'], offline: true })],
    'a',
  ],
  ['an offline model if no other model exists', [createModel('off', { offline: true })], 'off'],
])('getDefaultChatModel returns %s', (_name, models, id) =>
  expect(getDefaultChatModel(models)?.id).toBe(id),
);

test('getDefaultChatModel prefers a model that may call tools, unless the service names a default model', () => {
  const capabilities = { supportsFunctionCalling: false };
  const models = [
    createModel('a', { capabilities }),
    createModel('b', { offline: true }),
    createModel('c'),
  ];
  expect(getDefaultChatModel(models)?.id).toBe('c');
  expect(
    getDefaultChatModel([...models, createModel('d', { capabilities, traits: ['default'] })])?.id,
  ).toBe('d');
  expect(getDefaultChatModel(models.slice(0, 2))?.id).toBe('a');
});

test('findModelByIdOrTrait prefers a model with the requested id to a model with a trait of the same name', () => {
  const models = [createModel('a', { traits: ['fastest'] }), createModel('fastest')];
  expect(findModelByIdOrTrait(models, 'fastest')?.id).toBe('fastest');
  expect(findModelByIdOrTrait(models.slice(0, 1), 'fastest')?.id).toBe('a');
  expect(findModelByIdOrTrait(models, 'gone')).toBeUndefined();
});

test('selectChatModels sorts 5,000 models without a timeout', () => {
  const models = Array.from({ length: 5_000 }, (_, index) => createModel(`model-${4_999 - index}`));
  expect(selectChatModels(models)[0]?.id).toBe('model-0');
});

describe('groups of the model picker', () => {
  const create = (id: string, spec: object = {}): Model => {
    const model = readModel({ id, type: 'text', model_spec: { name: id, ...spec } });
    if (model === undefined) throw new Error('No model');
    return model;
  };
  const deprecation = { date: '2027-01-01T00:00:00Z' };
  const models = [
    create('a'),
    create('leaving', { deprecation }),
    create('best', { traits: ['most_intelligent'] }),
    create('old-best', { traits: ['fastest'], deprecation }),
    create('used'),
    create('used-last'),
    create('mine'),
    create('z'),
  ];

  test('contain pinned, recent, recommended and all models, and list models with an upcoming removal last', () => {
    const groupedModels = groupModels(models, {
      pinnedIds: ['mine'],
      recentIds: ['used-last', 'mine', 'used'],
    });
    expect(groupedModels.map(({ model, group }) => `${group} ${model.id}`)).toEqual([
      'pinned mine',
      'recent used-last',
      'recent used',
      'recommended best',
      'all a',
      'all z',
      'all leaving',
      'all old-best',
    ]);
  });

  test('contain no recent models of another connection', () => {
    const recentIds = ['other-1', 'other-2', 'other-3', 'used'];
    const groupedModels = groupModels(models, { pinnedIds: [], recentIds });
    expect(groupedModels.find(({ group }) => group === 'recent')?.model.id).toBe('used');
  });

  test('contain at most three recent models', () => {
    const groupedModels = groupModels(models, {
      pinnedIds: [],
      recentIds: ['a', 'best', 'used', 'z', 'mine'],
    });
    expect(
      groupedModels.filter(({ group }) => group === 'recent').map(({ model }) => model.id),
    ).toEqual(['a', 'best', 'used']);
  });
});
