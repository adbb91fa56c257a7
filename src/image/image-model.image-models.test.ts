import { expect, test } from 'vitest';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import { listEditModels, listImageModels } from './image-model.ts';

interface ModelFields {
  readonly type?: string;
  readonly traits?: readonly string[];
  readonly offline?: boolean;
}

const createModel = (id: string, { type = 'image', ...spec }: ModelFields = {}): Model =>
  readModel({ id, type, object: 'model', model_spec: { name: id, ...spec } }) as Model;

const listIds = (models: readonly { readonly id: string }[]): string[] =>
  models.map(({ id }) => id);

test('listImageModels lists the default model first, then models by name, and offline models last', () => {
  const models = [
    createModel('zeta'),
    createModel('beta', { offline: true, traits: ['default'] }),
    createModel('words', { type: 'text' }),
    createModel('retouch', { type: 'inpaint' }),
    createModel('omega', { traits: ['default'] }),
    createModel('alpha'),
  ];
  expect(listIds(listImageModels(models))).toEqual(['omega', 'alpha', 'zeta', 'beta']);
  expect(listIds(listEditModels(models))).toEqual(['retouch']);
  expect(models[0]?.id).toBe('zeta');
});

test.each([
  [[], undefined],
  [[createModel('words', { type: 'text', traits: ['default'] })], undefined],
  [[createModel('a'), createModel('b', { traits: ['default'] })], 'b'],
  [[createModel('a'), createModel('b', { traits: ['default'], offline: true })], 'a'],
  [[createModel('off', { offline: true })], 'off'],
])(
  'listImageModels starts with the default model if available, otherwise with an available model, otherwise with an offline model (case %#)',
  (models, id) => expect(listImageModels(models)[0]?.id).toBe(id),
);
