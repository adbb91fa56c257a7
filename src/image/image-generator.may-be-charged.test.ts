import { expect, test } from 'vitest';
import { mayBeCharged } from './image-generator.ts';

test.each([
  ['no-key', false],
  ['out-of-funds', false],
  ['rate-limited', false],
  ['invalid-request', false],
  ['offline', false],
  ['source', false],
  ['unstored-image', true],
  ['timeout', true],
  ['interrupted', true],
  ['server-error', true],
  ['unexpected-response', true],
  ['stopped', true],
  ['not-an-image', true],
  ['disk-full', true],
  ['disk', true],
  ['a code of tomorrow', true],
  [undefined, true],
])('mayBeCharged, given the failure code %s, returns %o', (code, expected) => {
  expect(mayBeCharged(code)).toBe(expected);
});
