import { expect, test } from 'vitest';
import { formatBalanceDetail, formatBalances } from './account-view.ts';
import type { Account } from './account.ts';
import {
  formatBalanceLink,
  type ModelStatus,
  listStatusLinks,
  type SuggestionStatus,
} from './status-bar.ts';

const listLinks = (status: string, listFailure?: string): readonly string[] =>
  listStatusLinks({
    account: { view: { status } } as unknown as Account,
    models: { failure: () => listFailure } as ModelStatus,
    suggestions: {} as SuggestionStatus,
  }).map(({ command }) => command);

test('listStatusLinks shows three actions for a working connection', () =>
  expect(listLinks('signed-in')).toEqual([
    'inferenceService.selectModel',
    'inferenceService.showUsage',
    'inferenceService.completion.showMenu',
  ]));

test.each([
  ['signed-out', undefined],
  ['needs-attention', undefined],
  ['signed-in', 'No models'],
] as const)(
  'listStatusLinks shows three actions that help to connect (%s, %s)',
  (status, failure) =>
    expect(listLinks(status, failure)).toEqual([
      'inferenceService.focusChat',
      'inferenceService.testConnection',
      'inferenceService.showLog',
    ]),
);

test.each([
  [{}, '', ''],
  [{ usd: 3.2 }, '$3.20', '$3.20'],
  [{ usd: 3.2, diem: 0 }, '$3.20', '$3.20'],
  [{ usd: 3.2, diem: 1.5 }, '$4.70', '$4.70 (1.50 DIEM)'],
  [{ diem: 1.5 }, '$1.50', '$1.50 (1.50 DIEM)'],
])(
  'the status bar shows the balance %j in dollars, and DIEM only in the tooltip',
  (balance, text, detail) =>
    expect([formatBalances(balance), formatBalanceDetail(balance)]).toEqual([text, detail]),
);

test.each([
  ['usable', '[\\$3\\.20](command:inferenceService.showFunding)'],
  ['wallet', '[\\$3\\.20](command:inferenceService.showFunding)'],
  ['keyless', '\\$3\\.20'],
] as const)(
  'the hover links the balance to the funding view only if requests are paid for (%s)',
  (kind, value) => {
    const account = { key: { kind }, balance: { usd: 3.2 } } as Pick<Account, 'key' | 'balance'>;
    expect(formatBalanceLink(account)).toBe(value);
  },
);
