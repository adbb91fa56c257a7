import { expect, test } from 'vitest';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import { editModels, listImageModels } from './image-model.ts';

interface Fields {
  readonly type?: string;
  readonly traits?: readonly string[];
  readonly offline?: boolean;
}

const model = (id: string, { type = 'image', ...spec }: Fields = {}): Model =>
  readModel({ id, type, object: 'model', model_spec: { name: id, ...spec } }) as Model;

const ids = (models: readonly { readonly id: string }[]): string[] => models.map(({ id }) => id);

test('listImageModels lists the default model first, then models by name, and offline models last', () => {
  const models = [
    model('zeta'),
    model('beta', { offline: true, traits: ['default'] }),
    model('words', { type: 'text' }),
    model('retouch', { type: 'inpaint' }),
    model('omega', { traits: ['default'] }),
    model('alpha'),
  ];
  expect(ids(listImageModels(models))).toEqual(['omega', 'alpha', 'zeta', 'beta']);
  expect(ids(editModels(models))).toEqual(['retouch']);
  expect(models[0]?.id).toBe('zeta');
});

test.each([
  [[], undefined],
  [[model('words', { type: 'text', traits: ['default'] })], undefined],
  [[model('a'), model('b', { traits: ['default'] })], 'b'],
  [[model('a'), model('b', { traits: ['default'], offline: true })], 'a'],
  [[model('off', { offline: true })], 'off'],
])('listImageModels lists the best available model first (case %#)', (models, id) =>
  expect(listImageModels(models)[0]?.id).toBe(id),
);
