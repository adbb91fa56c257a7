import { expect, test } from 'vitest';
import { isId } from './ids.ts';

test.each([
  ['abc_-9', true],
  ['', false],
  ['..', false],
  ['a/b', false],
  ['a\\b', false],
  ['a'.repeat(65), false],
  [7, false],
])('isId checks whether %j is a valid id: %s', (id, expected) => {
  expect(isId(id)).toBe(expected);
});
