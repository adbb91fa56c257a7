import { expect, test } from 'vitest';
import { decodeRotation, encodeRotation, type KeyRotation } from './key-rotation.ts';

const nextKey = { last6: 'b2c3d4', type: 'INFERENCE', origin: 'https://api.service.test' } as const;

test.each<KeyRotation>([
  { newKey: nextKey, oldKey: { id: 'k-1', last6: 'a1b2c3' }, usesNewKey: false },
  { newKey: nextKey, oldKey: { last6: 'a1b2c3' }, usesNewKey: true },
])('decodeRotation restores a key rotation from the encoded JSON', (rotation) => {
  const json: unknown = JSON.parse(JSON.stringify(encodeRotation(rotation)));
  expect(decodeRotation(json)).toEqual(rotation);
});

test.each([
  undefined,
  null,
  7,
  {},
  { next: nextKey },
  { next: nextKey, old: {} },
  { next: nextKey, old: { last6: 7 } },
  { next: {}, old: { last6: 'a1b2c3' } },
])('decodeRotation rejects %j as a key rotation', (value) => {
  expect(decodeRotation(value)).toBeUndefined();
});
