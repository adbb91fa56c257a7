import { expect, test } from 'vitest';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { Model } from '../service/model-types.ts';
import { readModel } from '../service/read-model.ts';
import { haveSameModels, ModelCorrections, readOverrides } from './model-corrections.ts';

const createModel = (id: string): Model => readModel({ id, context_length: 8_192 }) as Model;
const listedModels = [createModel('a'), createModel('b')];
const createRefusal = (fields: Partial<ServiceFailure>): ServiceFailure => ({
  code: 'unsupported-feature',
  message: '',
  ...fields,
});
const hourMs = 60 * 60_000;

test('ModelCorrections marks a capability as missing for an hour after the model rejected a request that uses the capability', () => {
  let now = 0;
  const corrections = new ModelCorrections(() => now);
  expect(corrections.recordRefusal('a', createRefusal({ refusedPart: 'tools' }))).toBe(true);
  const [a, b] = corrections.applyCorrections(listedModels, {});
  expect(a?.capabilities.supportsFunctionCalling).toBe(false);
  expect(a?.origins).toEqual({ tools: 'refusal' });
  expect(b).toBe(listedModels[1]);
  now = hourMs;
  expect(
    corrections.applyCorrections(listedModels, {})[0]?.capabilities.supportsFunctionCalling,
  ).toBeUndefined();
});

test('ModelCorrections combines the failures of a model, and reads the context size from an error text', () => {
  const corrections = new ModelCorrections(() => 0);
  corrections.recordRefusal('a', createRefusal({ refusedPart: 'images' }));
  corrections.recordRefusal('a', createRefusal({ code: 'context-overflow', contextTokens: 4_096 }));
  expect(corrections.applyCorrections(listedModels, {})[0]).toMatchObject({
    contextTokens: 4_096,
    capabilities: { supportsVision: false },
    origins: { context: 'refusal', images: 'refusal' },
  });
});

test('ModelCorrections.clearRefusals drops the corrections from failures', () => {
  const corrections = new ModelCorrections(() => 0);
  corrections.recordRefusal('a', createRefusal({ refusedPart: 'tools' }));
  corrections.clearRefusals();
  expect(corrections.applyCorrections(listedModels, {})).toEqual(listedModels);
  expect(haveSameModels(listedModels, [createModel('a'), createModel('b')])).toBe(true);
  expect(haveSameModels(listedModels, [createModel('a'), createModel('c')])).toBe(false);
});

test('ModelCorrections ignores repeated failures, and failures that are unrelated to capabilities', () => {
  const corrections = new ModelCorrections(() => 0);
  expect(corrections.recordRefusal('a', createRefusal({ code: 'server-error' }))).toBe(false);
  expect(corrections.recordRefusal('a', createRefusal({ refusedPart: 'tools' }))).toBe(true);
  expect(corrections.recordRefusal('a', createRefusal({ refusedPart: 'tools' }))).toBe(false);
});

test('ModelCorrections prefers a correction by the user to a correction from a failure', () => {
  const corrections = new ModelCorrections(() => 0);
  corrections.recordRefusal('a', createRefusal({ refusedPart: 'tools', contextTokens: 100 }));
  const overrides = { a: { tools: true, contextTokens: 32_768, price: 0, privacy: 'private' } };
  const [a] = corrections.applyCorrections(listedModels, overrides);
  expect(a).toMatchObject({
    contextTokens: 32_768,
    capabilities: { supportsFunctionCalling: true },
    origins: { tools: 'setting', context: 'setting' },
  });
  expect(a?.privacy).toBeUndefined();
  expect(a?.pricing).toEqual({});
});

test('ModelCorrections returns the same array until a correction changes', () => {
  const corrections = new ModelCorrections(() => 0);
  const overrides = { a: { images: false } };
  const correctedModels = corrections.applyCorrections(listedModels, overrides);
  expect(corrections.applyCorrections(listedModels, { a: { images: false } })).toBe(
    correctedModels,
  );
  expect(corrections.applyCorrections(listedModels, { a: { images: true } })).not.toBe(
    correctedModels,
  );
  expect(corrections.applyCorrections(listedModels, {})).toBe(listedModels);
});

test.each([
  [undefined],
  [[]],
  ['x'],
  [{ a: 7, b: null }],
  [{ a: { tools: 'yes', contextTokens: -1, images: 1 } }],
])('readOverrides ignores the invalid overrides %j', (value) => {
  expect([...readOverrides(value).values()].every((facts) => Object.keys(facts).length === 0)).toBe(
    true,
  );
});
