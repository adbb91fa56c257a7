import { expect, test } from 'vitest';
import { omitUndefined, parseJson } from './json.ts';

test('omitUndefined removes only fields whose value is undefined', () => {
  expect(Object.keys(omitUndefined({ a: undefined, b: null, c: 0 }))).toEqual(['b', 'c']);
});

test('omitUndefined copies a field named `__proto__` without setting the prototype', () => {
  const source = parseJson('{"__proto__":{"isTrusted":true},"a":1}') as object;
  const copy = omitUndefined(source);
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(copy).not.toHaveProperty('isTrusted');
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"isTrusted":true},"a":1}');
});
