import { expect, test } from 'vitest';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import {
  isRequestPermitted,
  isPrivate,
  findModelsByName,
  selectPermittedModels,
} from './model-selection.ts';

function createModel(id: string, spec: object = {}, type = 'text'): Model {
  const decodedModel = readModel({ id, type, model_spec: spec });
  if (decodedModel === undefined) throw new Error(id);
  return decodedModel;
}

const anonymizedModel = createModel('open', { privacy: 'anonymized', traits: ['default'] });
const privateModel = createModel('own:7b', { privacy: 'private', traits: ['fast'] });
const attestedModel = createModel('attested', { capabilities: { supportsTeeAttestation: true } });
const encryptedModel = createModel('sealed', {
  privacy: 'anonymized',
  capabilities: { supportsE2EE: true },
});
const imageModel = createModel('painter', { privacy: 'private', traits: ['default'] }, 'image');
const upscaler = createModel('enlarger', { privacy: 'private' }, 'upscale');
const models = [anonymizedModel, privateModel, attestedModel, encryptedModel, imageModel, upscaler];

test.each([
  [anonymizedModel, false],
  [createModel('unknown'), false],
  [createModel('odd', { privacy: 'PRIVATE ' }), false],
  [privateModel, true],
  [attestedModel, true],
  [encryptedModel, true],
])('isPrivate checks whether model $id is private: %s', (candidate, expected) => {
  expect(isPrivate(candidate)).toBe(expected);
});

test('selectPermittedModels returns only private models if the private-only setting is on, otherwise all models', () => {
  expect(selectPermittedModels(models, true)).toEqual([
    privateModel,
    attestedModel,
    encryptedModel,
    imageModel,
    upscaler,
  ]);
  expect(selectPermittedModels(models, false)).toBe(models);
});

test.each([
  ['own:7b', ['own:7b']],
  ['own:7b:enable_web_search=on', ['own:7b']],
  ['default', ['open', 'painter']],
  ['default:web', ['open', 'painter']],
  ['gpt', []],
  ['', []],
])('findModelsByName resolves the model name %j to the models %j', (name, expected) => {
  expect(findModelsByName(models, name).map(({ id }) => id)).toEqual(expected);
});

test.each([
  ['open', '/chat/completions', false],
  ['open:character_slug=sealed', '/chat/completions', false],
  ['sealed', '/chat/completions', true],
  ['own:7b', '/chat/completions', true],
  // Two models have this trait, and one of them is not private.
  ['default', '/image/generate', false],
  ['fast', '/chat/completions', true],
  // This name is an alias, which only the service can resolve.
  ['gpt-4o', '/chat/completions', false],
  [undefined, '/image/upscale', true],
  [undefined, '/image/background-remove', false],
  [undefined, '/augment/search', false],
])(
  'isRequestPermitted checks whether the private-only setting permits the model %s at %s: %s',
  (name, path, expected) => {
    expect(isRequestPermitted(models, { path, ...(name !== undefined && { model: name }) })).toBe(
      expected,
    );
  },
);

test('isRequestPermitted permits no request without a model list', () => {
  expect(isRequestPermitted([], { model: 'sealed', path: '/chat/completions' })).toBe(false);
  expect(isRequestPermitted([], { path: '/image/upscale' })).toBe(false);
});
