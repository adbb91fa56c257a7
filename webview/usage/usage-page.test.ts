// @vitest-environment happy-dom
import { render } from 'lit';
import { expect, test } from 'vitest';
import type { UsageView } from '../../src/account/usage-protocol.ts';
import { initialUsageState } from './usage-table.ts';
import { renderUsagePage } from './usage-page.ts';

const sumView = {
  requests: 2,
  promptTokens: 12_000,
  cachedTokens: 9_000,
  completionTokens: 800,
  usd: 1,
};
const uncachedTotal = { ...sumView, cachedTokens: 0 };

/** Renders the page with the usage of one model, and returns the text of the page. */
function renderPageText(total: typeof sumView, change: Partial<UsageView> = {}): string {
  const usage: UsageView = {
    days: 7,
    total,
    byDay: [],
    byModel: [{ model: 'Breeze', ...total }],
    byFeature: [],
    byConversation: [],
    budgets: [],
    ...change,
  };
  const page = document.createElement('div');
  const actions = { post: () => {}, showTable: () => {}, setPeriod: () => {} };
  render(renderUsagePage({ ...initialUsageState, usage }, actions), page);
  return page.textContent.replaceAll(/\s+/gu, ' ');
}

test('renderUsagePage shows the cached tokens and the cache hit rate in total and by model', () => {
  const text = renderPageText(sumView);
  expect(text).toContain('12k → 800 tokens · 75% cached');
  expect(text).toContain('From cache');
  expect(text).toContain('9k (75%)');
});

test('renderUsagePage shows no cached tokens if the service reported none', () => {
  expect(renderPageText(uncachedTotal)).not.toMatch(/cache/iu);
});

test('renderUsagePage shows sums as minimums if the spending record is damaged', () => {
  const budget = { period: 'daily', usd: 1, limitUsd: 5, isIncomplete: true } as const;
  const text = renderPageText(sumView, { isIncomplete: true, budgets: [budget] });
  expect(text).toContain('at least $1');
  expect(text).toContain('at least $1 of $5 today');
  expect(text).toContain('Some recorded spending can’t be read, so all sums are minimums.');
  expect(renderPageText(sumView)).not.toMatch(/at least|minimum/u);
});

test('renderUsagePage does not show the text “Nothing was spent” if the spending record is damaged', () => {
  const emptyTotal = { ...uncachedTotal, requests: 0, usd: 0 };
  const text = renderPageText(emptyTotal, { isIncomplete: true, byModel: [] });
  expect(text).toContain('at least $0');
  expect(text).not.toContain('Nothing was spent');
});

test('renderUsagePage shows no amount for a model whose prices are unknown', () => {
  const total = { ...uncachedTotal, usd: 0.5, isIncomplete: true as const };
  const byModel = [
    { model: 'Painter', ...total },
    { model: 'Sketcher', ...total, usd: 0 },
  ];
  const text = renderPageText(total, { byModel });
  expect(text).toContain('at least $0.50 2 requests');
  expect(text).toContain('Some prices are unknown, so sums that contain them are minimums.');
  expect(text).toMatch(/Painter .* at least \$0\.500? Sketcher .* unknown/u);
  expect(text).not.toContain('can’t be read');
});
