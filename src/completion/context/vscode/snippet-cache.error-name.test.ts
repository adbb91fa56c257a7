import { expect, test } from 'vitest';
import { getErrorName } from './snippet-cache.ts';

const secretMessage = '/home/alice/secret.ts: const key = 1';

test.each([
  ['an error', new Error(secretMessage), 'Error'],
  ['an instance of a subclass', new TypeError(secretMessage), 'TypeError'],
  [
    'an error whose name is a message',
    Object.assign(new Error(), { name: secretMessage }),
    'Error',
  ],
  [
    'an error whose name is not a string',
    Object.assign(new Error(), { name: Symbol('a') }),
    'Error',
  ],
  ['a string', secretMessage, 'string'],
  ['undefined', undefined, 'undefined'],
])('getErrorName returns only the type of %s', (_, error, expected) => {
  expect(getErrorName(error)).toBe(expected);
});
