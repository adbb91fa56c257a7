import { expect, test } from 'vitest';
import { maxQueryWords, extractQuestionWords } from './ranking.ts';

test.each([
  ['Where is the retry delay computed?', ['computed', 'retry', 'delay']],
  ['how does parseHeader work', ['parseHeader']],
  ['What calls MAX_RETRIES or max-age?', ['MAX_RETRIES', 'max-age', 'calls']],
  ['#codebase where is #file:app.ts tested', ['tested']],
  ['/explain the cache', ['cache']],
  ['cache Cache CACHE', ['cache']],
  ['Wo wird die Rechnung gedruckt?', ['Rechnung', 'gedruckt']],
  ['the and for', []],
  ['', []],
  ['12345 67', []],
  ['a/b', []],
])(
  'extractQuestionWords, given the question %j, returns the search words %j',
  (question, words) => {
    expect(extractQuestionWords(question)).toEqual(words);
  },
);

test('extractQuestionWords returns a limited number of search words of limited length', () => {
  const question = Array.from({ length: 100 }, (_, index) => `word${index}`).join(' ');
  expect(extractQuestionWords(question)).toHaveLength(maxQueryWords);
  expect(extractQuestionWords('x'.repeat(100_000))).toEqual([]);
});

test('extractQuestionWords returns words without regular expression characters or line breaks', () => {
  for (const word of extractQuestionWords('foo(bar)\nbaz[0]* qu|ux "quoted" $name'))
    expect(word).toMatch(/^[\w$-]+$/u);
});
