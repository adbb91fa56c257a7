import { expect, test } from 'vitest';
import { decodeBoundKey, encodeBoundKey } from './key-state.ts';

const boundKey = { origin: 'https://api.service.test', key: 'SERVICE_INFERENCE_KEY_canary' };

test('decodeBoundKey decodes an encoded key', () => {
  expect(decodeBoundKey(encodeBoundKey(boundKey))).toEqual(boundKey);
});

test.each([
  '',
  'SERVICE_INFERENCE_KEY_canary',
  '{"version":1,"origin":"https://api.service.test","key":"SERVICE_INF',
  'null',
  '[]',
  JSON.stringify({ version: 2, ...boundKey }),
  JSON.stringify({ version: 1, key: boundKey.key }),
  JSON.stringify({ version: 1, origin: 'nowhere', key: boundKey.key }),
  JSON.stringify({ version: 1, origin: boundKey.origin, key: 'two\nlines-of-key' }),
  JSON.stringify({ version: 1, origin: boundKey.origin, key: 42 }),
])('decodeBoundKey reports the stored text %j as unreadable', (text) =>
  expect(decodeBoundKey(text)).toBe('unreadable'),
);
