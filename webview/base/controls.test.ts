import { expect, test } from 'vitest';
import { getFirstSentence } from './controls.ts';

test.each([
  ['', ''],
  ['One', 'One'],
  [' It reads the file once. Then it stops.', 'It reads the file once.'],
  ['Version 1.2 is out! Get it.', 'Version 1.2 is out!'],
  ['最初の文。次の文。', '最初の文。'],
])('getFirstSentence extracts from %j the first sentence %j', (text, sentence) =>
  expect(getFirstSentence(text)).toBe(sentence),
);

test('getFirstSentence truncates a long text that has no sentence end', () => {
  const sentence = getFirstSentence('word '.repeat(10_000));
  expect(sentence).toHaveLength(150);
  expect(sentence).toMatch(/^word .*…$/u);
});
