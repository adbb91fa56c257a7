import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import { decodeCacheRecord, encodeCacheRecord } from './cache-record.ts';

const completeModel = readModel({
  id: 'large',
  type: 'text',
  object: 'model',
  created: 1_700_000_000,
  owned_by: 'service',
  model_spec: {
    name: 'Large',
    description: 'Knows much',
    availableContextTokens: 131_072,
    maxCompletionTokens: 8_192,
    modelSource: 'https://models.test/large',
    offline: true,
    privacy: 'private',
    traits: ['default', 'fastest'],
    capabilities: {
      optimizedForCode: true,
      supportsVision: true,
      quantization: 'fp8',
      maxImages: 4,
    },
    constraints: { temperature: { default: 0.7 }, top_p: { default: 0.9 } },
    pricing: {
      input: { usd: 0.15, diem: 0.15 },
      output: { usd: 0.6, diem: 0.6 },
      cache_input: { usd: 0.03, diem: 0.03 },
      cache_write: { usd: 0.2, diem: 0.2 },
      extended: { context_token_threshold: 200_000, input: { usd: 0.3 }, output: { usd: 0.9 } },
    },
    deprecation: { date: '2026-12-01T00:00:00.000Z', replacementModelId: 'larger' },
  },
}) as Model;

const cacheRecord = {
  baseUrl: 'https://api.service.test/api/v1',
  fetchedAt: 1_000,
  models: [completeModel],
};

test('decodeCacheRecord decodes an encoded cache record to an equal record', () => {
  expect(decodeCacheRecord(encodeCacheRecord(cacheRecord))).toEqual(cacheRecord);
});

test.each(['', '{', 'null', '[]', '{"version":1}', '{"version":2,"models":[]}'])(
  'decodeCacheRecord rejects %j as a cache record',
  (text) => expect(decodeCacheRecord(text)).toBeUndefined(),
);

test('decodeCacheRecord drops invalid models and fields of the wrong type', () => {
  const text = JSON.stringify({
    version: 1,
    models: [
      null,
      'text',
      {},
      { id: 7, type: 'text' },
      { id: 'odd', type: 'text', name: 5, traits: [1, 'a'], pricing: { input: 3 }, offline: 'yes' },
    ],
  });
  const models = decodeCacheRecord(text)?.models;
  expect(models?.map(({ id }) => id)).toEqual(['odd']);
  expect(models?.[0]).toMatchObject({ name: 'odd', traits: ['a'], pricing: {}, offline: false });
  expect(models?.[0]?.capabilities).not.toHaveProperty('supportsVision');
});

test('decodeCacheRecord never throws, regardless of the text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      decodeCacheRecord(
        JSON.stringify({ version: 1, models: [value, { id: 'a', type: 'b', ...Object(value) }] }),
      );
    }),
  );
});
