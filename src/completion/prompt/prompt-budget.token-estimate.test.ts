import { expect, test } from 'vitest';
import { estimateCharactersPerToken, estimateTokens } from './prompt-budget.ts';

test.each([
  ['', 0],
  ['a', 1],
  ['x'.repeat(3_200), 1_000],
  ['漢'.repeat(1_200), 1_000],
  ['x漢'.repeat(600), 688],
])(
  'estimateTokens estimates the token count of a text from its length and script (case %#)',
  (text, tokens) => expect(estimateTokens(text)).toBe(tokens),
);

test('estimateCharactersPerToken estimates a huge text from a sample', () => {
  expect(
    estimateCharactersPerToken(`${'x'.repeat(5_000_000)}${'漢'.repeat(5_000_000)}`),
  ).toBeCloseTo(1.745, 1);
});
