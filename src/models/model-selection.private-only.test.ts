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
  [false, 'an anonymized model', anonymizedModel],
  [false, 'a model without a stated privacy', createModel('unknown')],
  [
    false,
    'a model with the invalid privacy "PRIVATE "',
    createModel('odd', { privacy: 'PRIVATE ' }),
  ],
  [true, 'a private model', privateModel],
  [true, 'an attested model', attestedModel],
  [true, 'an anonymized model that supports encryption', encryptedModel],
])('isPrivate returns %s for %s', (expected, _name, candidate) => {
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
  [false, '/chat/completions', 'with the model "open"', 'open'],
  [
    false,
    '/chat/completions',
    'with the model "open:character_slug=sealed"',
    'open:character_slug=sealed',
  ],
  [true, '/chat/completions', 'with the model "sealed"', 'sealed'],
  [true, '/chat/completions', 'with the model "own:7b"', 'own:7b'],
  // Two models have this trait, and one of them is not private.
  [false, '/image/generate', 'with the model "default"', 'default'],
  [true, '/chat/completions', 'with the model "fast"', 'fast'],
  // This name is an alias, which only the service can resolve.
  [false, '/chat/completions', 'with the model "gpt-4o"', 'gpt-4o'],
  [true, '/image/upscale', 'without a model', undefined],
  [false, '/image/background-remove', 'without a model', undefined],
  [false, '/augment/search', 'without a model', undefined],
])(
  'isRequestPermitted, for the private-only setting, returns %s for a request to %s %s',
  (expected, path, _name, name) => {
    expect(isRequestPermitted(models, { path, ...(name !== undefined && { model: name }) })).toBe(
      expected,
    );
  },
);

test('isRequestPermitted permits no request without a model list', () => {
  expect(isRequestPermitted([], { model: 'sealed', path: '/chat/completions' })).toBe(false);
  expect(isRequestPermitted([], { path: '/image/upscale' })).toBe(false);
});
