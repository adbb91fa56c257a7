import { expect, test } from 'vitest';
import { decodeBoundKey, encodeBoundKey } from './key-state.ts';

const bound = { origin: 'https://api.service.test', key: 'SERVICE_INFERENCE_KEY_canary' };

test('decodes an encoded key', () => {
  expect(decodeBoundKey(encodeBoundKey(bound))).toEqual(bound);
});

test.each([
  '',
  'SERVICE_INFERENCE_KEY_canary',
  '{"version":1,"origin":"https://api.service.test","key":"SERVICE_INF',
  'null',
  '[]',
  JSON.stringify({ version: 2, ...bound }),
  JSON.stringify({ version: 1, key: bound.key }),
  JSON.stringify({ version: 1, origin: 'nowhere', key: bound.key }),
  JSON.stringify({ version: 1, origin: bound.origin, key: 'two\nlines-of-key' }),
  JSON.stringify({ version: 1, origin: bound.origin, key: 42 }),
])('reports %j as unreadable', (text) => expect(decodeBoundKey(text)).toBe('unreadable'));
