import { expect, test } from 'vitest';
import { isId } from './ids.ts';

test('isId accepts letters, digits, underscores and hyphens', () => {
  expect(isId('abc_-9')).toBe(true);
});

test.each(['', '..', 'a/b', 'a\\b', 'a'.repeat(65), 7])('isId rejects the id %j', (id) => {
  expect(isId(id)).toBe(false);
});
