import { expect, test } from 'vitest';
import { containsWord, findReplacedWord } from './edit-pattern.ts';

test.each([
  ['return getUser(id);', 'return getUserById(id);', 'getUser', 'getUserById'],
  ['total = total + other.total', 'sum = sum + other.sum', 'total', 'sum'],
  ['größe', 'breite', 'größe', 'breite'],
  ['a 😀x b', 'a 😁x b', '😀x', '😁x'],
])('finds the replaced word in %j → %j', (before, after, old, renamed) => {
  expect(findReplacedWord(before, after)).toEqual({ old, new: renamed });
});

test.each([
  ['no change', 'total = total', 'total = total'],
  ['an empty line', '', 'total'],
  ['two words', 'total = other', 'sum = rest'],
  ['two different replacements of a word', 'total = total', 'sum = rest'],
  ['text between words', 'a.total', 'a?.total'],
  ['a word and additional text', 'f({ total })', 'f({ total: sum })'],
  ['an appended word', 'total', 'total sum'],
  ['another form of the line', 'total = total', 'sum'],
])('finds no replaced word for %s', (_what, before, after) => {
  expect(findReplacedWord(before, after)).toBeUndefined();
});

test.each([
  ['sum', 'sum', true],
  ['a sums + sum;', 'sum', true],
  ['sums + summed', 'sum', false],
  ['', 'sum', false],
])('checks whether %j contains the word %j: %j', (text, word, expected) => {
  expect(containsWord(text, word)).toBe(expected);
});
