import { expect, test } from 'vitest';
import { formatUsageCsv } from './usage.ts';

const usageRecord = {
  day: '2026-11-20',
  feature: 'chat',
  model: 'm',
  spentAmount: 1_500_000n,
  promptTokens: 10,
  cachedTokens: 8,
  completionTokens: 1,
};

test('formatUsageCsv writes a header and one CSV line per request', () => {
  expect(formatUsageCsv([usageRecord])).toBe(
    'day,feature,model,prompt_tokens,completion_tokens,usd,cached_tokens\r\n2026-11-20,chat,m,10,1,0.0015,8\r\n',
  );
});

test.each([
  ['=HYPERLINK("https://evil.example")', '_HYPERLINK__https://evil.example__'],
  ['a;=1+1', 'a__1_1'],
  ['+1', '_1'],
  ['-1', '_1'],
  [' =1', '__1'],
  ['@cmd', '_cmd'],
  ['a,b', 'a_b'],
  ['a\r\nb\tc', 'a__b_c'],
  ['größe|x', 'gr__e_x'],
  ['vendor/model-1.5:free', 'vendor/model-1.5:free'],
])(
  'formatUsageCsv replaces separators and formula characters of the model name %j with underscores',
  (model, cell) => {
    expect(formatUsageCsv([{ ...usageRecord, model }])).toContain(`,chat,${cell},10,`);
  },
);
