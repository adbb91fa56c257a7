import { expect, test } from 'vitest';
import { errorName } from './snippet-cache.ts';

const secret = '/home/alice/secret.ts: const key = 1';

test.each([
  ['an error', new Error(secret), 'Error'],
  ['an error of a kind', new TypeError(secret), 'TypeError'],
  ['an error with a text for a name', Object.assign(new Error(), { name: secret }), 'Error'],
  ['an error with no text for a name', Object.assign(new Error(), { name: Symbol('a') }), 'Error'],
  ['a text', secret, 'string'],
  ['nothing', undefined, 'undefined'],
])('of %s only the kind is told', (_, error, expected) => {
  expect(errorName(error)).toBe(expected);
});
