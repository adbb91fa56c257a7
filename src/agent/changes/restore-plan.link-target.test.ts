import { expect, test } from 'vitest';
import { isUnambiguousTarget } from './restore-plan.ts';

test.each([
  ['b.txt', true],
  ['./b.txt', true],
  ['../b.txt', true],
  ['../../b', true],
  ['/w/b', true],
  ['', false],
  ['a/../b', false],
  ['../a/../b', false],
  ['/w/../etc', false],
  ['/..', false],
  ['a\\..\\b', false],
  ['a\0b', false],
])(
  'isUnambiguousTarget checks whether the link target %j is unambiguous: %s',
  (linkTarget, expected) => {
    expect(isUnambiguousTarget(linkTarget)).toBe(expected);
  },
);
