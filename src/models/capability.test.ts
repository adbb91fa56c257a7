import { expect, test } from 'vitest';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import { listCapabilities, hasAllCapabilities } from './capability.ts';

const createModel = (spec: object): Model =>
  readModel({ id: 'm', type: 'text', object: 'model', model_spec: spec }) as Model;

const capableModel = createModel({
  privacy: 'private',
  capabilities: {
    supportsFunctionCalling: true,
    supportsVision: true,
    optimizedForCode: true,
    supportsWebSearch: false,
  },
});

test('listCapabilities lists the capabilities of a model in a fixed order', () => {
  expect(listCapabilities(capableModel)).toEqual(['code', 'vision', 'tools', 'private']);
});

test('listCapabilities returns no capabilities for a model without valid capability flags', () => {
  expect(listCapabilities(createModel({ privacy: 'anonymized' }))).toEqual([]);
  expect(listCapabilities(createModel({ capabilities: 'many' }))).toEqual([]);
});

test('hasAllCapabilities accepts unknown capabilities, except for privacy', () => {
  const unknownModel = createModel({});
  expect(hasAllCapabilities(unknownModel, new Set(['vision', 'tools', 'reasoning']))).toBe(true);
  expect(hasAllCapabilities(unknownModel, new Set(['web', 'code']))).toBe(true);
  for (const protection of ['private', 'attested', 'encrypted'] as const)
    expect(hasAllCapabilities(unknownModel, new Set([protection]))).toBe(false);
  const incapableModel = createModel({ capabilities: { supportsFunctionCalling: false } });
  expect(hasAllCapabilities(incapableModel, new Set(['tools']))).toBe(false);
});

test('hasAllCapabilities accepts a model only if the model has all required capabilities', () => {
  expect(hasAllCapabilities(capableModel, new Set())).toBe(true);
  expect(hasAllCapabilities(capableModel, new Set(['vision', 'private']))).toBe(true);
  expect(hasAllCapabilities(capableModel, new Set(['vision', 'web']))).toBe(false);
});
