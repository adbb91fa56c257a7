import { expect, test } from 'vitest';
import { usageCsv } from './usage-csv.ts';

const record = {
  day: '2026-11-20',
  feature: 'chat',
  model: 'm',
  spent: 1_500_000n,
  promptTokens: 10,
  completionTokens: 1,
};

test('a line for each request', () => {
  expect(usageCsv([record])).toBe(
    'day,feature,model,prompt_tokens,completion_tokens,usd\r\n2026-11-20,chat,m,10,1,0.0015\r\n',
  );
});

test.each([
  ['=HYPERLINK("https://evil.example")', '"\'=HYPERLINK(""https://evil.example"")"'],
  ['+1', "'+1"],
  ['@cmd', "'@cmd"],
  ['a,b', '"a,b"'],
  ['a\r\nb', '"a\r\nb"'],
])('the name %j stays in its cell and is no formula', (model, cell) => {
  expect(usageCsv([{ ...record, model }])).toContain(`,chat,${cell},10,`);
});
