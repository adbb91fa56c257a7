import { expect, test } from 'vitest';
import { containsWord, findReplacedWord } from './edit-pattern.ts';

test.each([
  ['return getUser(id);', 'return getUserById(id);', 'getUser', 'getUserById'],
  ['total = total + other.total', 'sum = sum + other.sum', 'total', 'sum'],
  ['größe', 'breite', 'größe', 'breite'],
  ['a 😀x b', 'a 😁x b', '😀x', '😁x'],
])(
  'findReplacedWord finds the replaced word if %j becomes %j',
  (before, after, oldWord, newWord) => {
    expect(findReplacedWord(before, after)).toEqual({ oldText: oldWord, newText: newWord });
  },
);

test.each([
  ['equal lines', 'total = total', 'total = total'],
  ['an empty line', '', 'total'],
  ['two replaced words', 'total = other', 'sum = rest'],
  ['two different replacements of a word', 'total = total', 'sum = rest'],
  ['text inserted between words', 'a.total', 'a?.total'],
  ['text added after a word', 'f({ total })', 'f({ total: sum })'],
  ['an appended word', 'total', 'total sum'],
  ['a line with another structure', 'total = total', 'sum'],
])('findReplacedWord returns undefined for %s', (_description, before, after) => {
  expect(findReplacedWord(before, after)).toBeUndefined();
});

test.each([
  ['sum', 'sum', true],
  ['a sums + sum;', 'sum', true],
  ['sums + summed', 'sum', false],
  ['', 'sum', false],
])('containsWord for the text %j and the word %j returns %j', (text, word, expected) => {
  expect(containsWord(text, word)).toBe(expected);
});
