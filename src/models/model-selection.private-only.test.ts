import { expect, test } from 'vitest';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import {
  isRequestPermitted,
  isPrivate,
  findModelsByName,
  permittedModels,
} from './model-selection.ts';

function model(id: string, spec: object = {}, type = 'text'): Model {
  const read = readModel({ id, type, model_spec: spec });
  if (read === undefined) throw new Error(id);
  return read;
}

const open = model('open', { privacy: 'anonymized', traits: ['default'] });
const own = model('own:7b', { privacy: 'private', traits: ['fast'] });
const attested = model('attested', { capabilities: { supportsTeeAttestation: true } });
const sealed = model('sealed', { privacy: 'anonymized', capabilities: { supportsE2EE: true } });
const painter = model('painter', { privacy: 'private', traits: ['default'] }, 'image');
const enlarger = model('enlarger', { privacy: 'private' }, 'upscale');
const all = [open, own, attested, sealed, painter, enlarger];

test.each([
  [open, false],
  [model('unknown'), false],
  [model('odd', { privacy: 'PRIVATE ' }), false],
  [own, true],
  [attested, true],
  [sealed, true],
])('checks whether model $id is private: %s', (each, expected) => {
  expect(isPrivate(each)).toBe(expected);
});

test('keeps only private models when the setting is on, and all when it is off', () => {
  expect(permittedModels(all, true)).toEqual([own, attested, sealed, painter, enlarger]);
  expect(permittedModels(all, false)).toBe(all);
});

test.each([
  ['own:7b', ['own:7b']],
  ['own:7b:enable_web_search=on', ['own:7b']],
  ['default', ['open', 'painter']],
  ['default:web', ['open', 'painter']],
  ['gpt', []],
  ['', []],
])('resolves the model name %j to %j', (name, expected) => {
  expect(findModelsByName(all, name).map(({ id }) => id)).toEqual(expected);
});

test.each([
  ['open', '/chat/completions', false],
  ['open:character_slug=sealed', '/chat/completions', false],
  ['sealed', '/chat/completions', true],
  ['own:7b', '/chat/completions', true],
  // One of the two models with this trait is not private.
  ['default', '/image/generate', false],
  ['fast', '/chat/completions', true],
  // An alias, which only the service can resolve.
  ['gpt-4o', '/chat/completions', false],
  [undefined, '/image/upscale', true],
  [undefined, '/image/background-remove', false],
  [undefined, '/augment/search', false],
])('with private models only, permits model %s at %s: %s', (name, path, expected) => {
  expect(isRequestPermitted(all, { path, ...(name !== undefined && { model: name }) })).toBe(
    expected,
  );
});

test('permits nothing without a model list', () => {
  expect(isRequestPermitted([], { model: 'sealed', path: '/chat/completions' })).toBe(false);
  expect(isRequestPermitted([], { path: '/image/upscale' })).toBe(false);
});
