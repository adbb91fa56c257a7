import { describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { encodeStoredKey } from '../key-state.ts';
import { formatBalanceDetail, formatBalance } from './account-view.ts';
import type { Account } from './account.ts';
import {
  createStatusBar,
  formatBalanceLink,
  type ModelStatus,
  listStatusLinks,
  type SuggestionStatus,
} from './status-bar.ts';

const statusBarItem = vi.hoisted(() => ({
  text: '',
  tooltip: undefined as { readonly value: string } | undefined,
  show() {},
  dispose() {},
}));

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  env: { language: 'en' },
  StatusBarAlignment: { Right: 2 },
  ThemeColor: Object,
  MarkdownString: class {
    value = '';
    appendMarkdown(text: string): void {
      this.value += text;
    }
  },
  window: { createStatusBarItem: () => statusBarItem },
}));

const listLinks = (status: string, listFailure?: string): readonly string[] =>
  listStatusLinks({
    account: { view: { status } } as unknown as Account,
    models: { getFailure: () => listFailure } as ModelStatus,
    suggestions: {} as SuggestionStatus,
  }).map(({ command }) => command);

test('listStatusLinks returns links to the models, the usage and the inline suggestions if the connection works', () =>
  expect(listLinks('signed-in')).toEqual([
    'inferenceService.selectModel',
    'inferenceService.showUsage',
    'inferenceService.completion.showMenu',
  ]));

test.each([
  ['the user is signed out', 'signed-out', undefined],
  ['the account needs attention', 'needs-attention', undefined],
  ['the service has no models', 'signed-in', 'No models'],
] as const)(
  'listStatusLinks returns three links that help to connect if %s',
  (_, status, failure) =>
    expect(listLinks(status, failure)).toEqual([
      'inferenceService.focusChat',
      'inferenceService.testConnection',
      'inferenceService.showLog',
    ]),
);

test('the status bar shows no text for an unknown balance', () => {
  expect([formatBalance({}), formatBalanceDetail({})]).toEqual(['', '']);
});

test.each([
  ['a USD balance', { usd: 3.2 }, '$3.20', '$3.20'],
  ['a USD balance with zero DIEM', { usd: 3.2, diem: 0 }, '$3.20', '$3.20'],
  ['the sum of USD and DIEM', { usd: 3.2, diem: 1.5 }, '$4.70', '$4.70 (1.50 DIEM)'],
  ['a DIEM balance', { diem: 1.5 }, '$1.50', '$1.50 (1.50 DIEM)'],
])('the status bar shows %s in dollars, and DIEM only in the tooltip', (_, balance, text, detail) =>
  expect([formatBalance(balance), formatBalanceDetail(balance)]).toEqual([text, detail]),
);

test.each([
  [
    'with a link to the funding view if the account has a key',
    'usable',
    '[\\$3\\.20](command:inferenceService.showFunding)',
  ],
  [
    'with a link to the funding view if the account has a wallet',
    'wallet',
    '[\\$3\\.20](command:inferenceService.showFunding)',
  ],
  ['without a link if the service requires no key', 'keyless', '\\$3\\.20'],
] as const)('the hover of the status bar item shows the balance %s', (_, kind, value) => {
  const account = { key: { kind }, balance: { usd: 3.2 } } as Pick<Account, 'key' | 'balance'>;
  expect(formatBalanceLink(account)).toBe(value);
});

test('the hover of the status bar item shows why inline suggestions are paused', () => {
  const onDidChange = () => ({ dispose() {} });
  const account = { view: { status: 'signed-in' }, key: {}, balance: {}, onDidChange };
  const models = {
    onDidChange,
    getName: () => 'Maple',
    getFailure() {},
    isPrivateOnly: () => false,
  };
  const suggestions = {
    onDidChange,
    getIcon: () => 'warning',
    getState: () => 'paused. Not accepted',
    getCommand() {},
  };
  const dependencies = { account, service: { clock: new ManualClock() } };
  const statusBar = createStatusBar(dependencies as never, { models, suggestions } as never);
  statusBar.dispose();
  expect(statusBarItem.text).toMatch(/^\$\(warning\)/);
  expect(statusBarItem.tooltip?.value).toContain('paused\\. Not accepted');
});

describe('the expiry of a key', () => {
  const dayMs = 86_400_000;

  function openStatusBar(days: number) {
    const clock = new ManualClock(Date.parse('2026-11-21T12:00:00.000Z'));
    const key = 'api-key-0000123456';
    const storedKey = encodeStoredKey({
      type: 'INFERENCE',
      last6: '123456',
      origin: 'https://service.example',
      expiresAt: new Date(clock.now() + days * dayMs).toISOString(),
    });
    const account = {
      view: { status: 'signed-in', message: null },
      key: { kind: 'usable', source: 'profile', key },
      profileId: 'default',
      balance: {},
      state: { get: () => storedKey },
      onDidChange: () => ({ dispose() {} }),
    };
    const onDidChange = () => ({ dispose() {} });
    const models = {
      onDidChange,
      getName: () => 'Maple',
      getFailure() {},
      isPrivateOnly: () => false,
    };
    const suggestions = { onDidChange, getIcon() {}, getState() {}, getCommand() {} };
    const statusBar = createStatusBar(
      { account, service: { clock } } as never,
      { models, suggestions } as never,
    );
    const readState = () => ({
      isWarning: statusBarItem.text.startsWith('$(warning)'),
      isExpiryShown: statusBarItem.tooltip?.value.includes('expires on') === true,
      hasRotate: statusBarItem.tooltip?.value.includes('[Rotate API Key]') === true,
      linkCount: statusBarItem.tooltip?.value.split('](command:').length,
    });
    return { clock, statusBar, readState };
  }

  test('is shown in the hover from 14 days before the date, and as a warning from 3 days before the date', async () => {
    const { clock, statusBar, readState } = openStatusBar(15);
    const states = [readState()];
    for (let day = 0; day < 13; day++) {
      await clock.advance(dayMs);
      states.push(readState());
    }
    statusBar.dispose();
    const earlyState = { isWarning: false, isExpiryShown: true, hasRotate: true, linkCount: 5 };
    expect(states[0]).toEqual({ ...earlyState, isExpiryShown: false, hasRotate: false });
    expect(states.slice(1, 12)).toEqual(Array.from({ length: 11 }, () => earlyState));
    expect(states.slice(12)).toEqual([
      { ...earlyState, isWarning: true },
      { ...earlyState, isWarning: true },
    ]);
  });

  test('no longer updates the status bar item after the item was disposed', async () => {
    const { clock, statusBar, readState } = openStatusBar(15);
    statusBar.dispose();
    await clock.advance(2 * dayMs);
    expect(readState().isExpiryShown).toBe(false);
  });
});
