import { expect, test } from 'vitest';
import { getErrorName } from './snippet-cache.ts';

const secret = '/home/alice/secret.ts: const key = 1';

test.each([
  ['an error', new Error(secret), 'Error'],
  ['an instance of a subclass', new TypeError(secret), 'TypeError'],
  ['an error whose name is a message', Object.assign(new Error(), { name: secret }), 'Error'],
  [
    'an error whose name is not a string',
    Object.assign(new Error(), { name: Symbol('a') }),
    'Error',
  ],
  ['a string', secret, 'string'],
  ['undefined', undefined, 'undefined'],
])('getErrorName returns only the type of %s', (_, error, expected) => {
  expect(getErrorName(error)).toBe(expected);
});
