import { expect, test } from 'vitest';
import { containsWord, findReplacedWord } from './edit-pattern.ts';

test.each([
  ['return getUser(id);', 'return getUserById(id);', 'getUser', 'getUserById'],
  ['total = total + other.total', 'sum = sum + other.sum', 'total', 'sum'],
  ['größe', 'breite', 'größe', 'breite'],
  ['a 😀x b', 'a 😁x b', '😀x', '😁x'],
])('finds one replaced word in %j → %j', (before, after, old, renamed) => {
  expect(findReplacedWord(before, after)).toEqual({ old, new: renamed });
});

test.each([
  ['nothing', 'total = total', 'total = total'],
  ['an empty line', '', 'total'],
  ['two words', 'total = other', 'sum = rest'],
  ['a word in two ways', 'total = total', 'sum = rest'],
  ['something between words', 'a.total', 'a?.total'],
  ['a word with something more', 'f({ total })', 'f({ total: sum })'],
  ['a word at the end', 'total', 'total sum'],
  ['another form of the line', 'total = total', 'sum'],
])('finds none for %s', (_what, before, after) => {
  expect(findReplacedWord(before, after)).toBeUndefined();
});

test.each([
  ['sum', 'sum', true],
  ['a sums + sum;', 'sum', true],
  ['sums + summed', 'sum', false],
  ['', 'sum', false],
])('checks that %j contains %j: %j', (text, word, expected) => {
  expect(containsWord(text, word)).toBe(expected);
});
