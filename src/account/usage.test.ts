import { expect, test } from 'vitest';
import { encodeEntry } from './spending-day.ts';
import { parseUsage } from './usage.ts';

test('parseUsage parses the model, feature, tokens and cost of an encoded request', () => {
  const requestUsage = {
    feature: 'chat',
    model: 'm',
    promptTokens: 12,
    cachedTokens: 8,
    completionTokens: 3,
  } as const;
  const lines = encodeEntry({ kind: 'spent', amount: 2_000_000n, usage: requestUsage });
  expect(parseUsage('2026-11-20', lines)).toEqual([
    { day: '2026-11-20', spentAmount: 2_000_000n, ...requestUsage },
  ]);
});

test('parseUsage parses only the amount of a line written by an older version', () => {
  expect(parseUsage('2026-11-20', '{"usd":"0.5"}')).toEqual([
    {
      day: '2026-11-20',
      feature: '',
      model: '',
      spentAmount: 500_000_000n,
      promptTokens: 0,
      cachedTokens: 0,
      completionTokens: 0,
    },
  ]);
});

test.each(['', 'x', '{"told":"daily"}', '{"usd":-1}', '[1]', '{"usd":"1e9"}'])(
  'parseUsage skips the invalid usage line %j',
  (line) => expect(parseUsage('2026-11-20', line)).toEqual([]),
);

test('parseUsage replaces invalid names with empty texts and invalid token counts with zero', () => {
  const line = '{"usd":"1","feature":5,"model":{},"promptTokens":-3,"completionTokens":1.5}';
  expect(parseUsage('2026-11-20', line)).toMatchObject([
    { feature: '', model: '', promptTokens: 0, completionTokens: 0 },
  ]);
});
