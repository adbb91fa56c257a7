import { beforeEach, expect, test, vi } from 'vitest';
import type { Chain } from '../../chain.ts';
import type { Host } from '../../../host.ts';
import { hasOpenTopUp } from './top-up-store.ts';

const shownMessages = vi.hoisted((): string[] => []);

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  window: { showWarningMessage: async (text: string) => void shownMessages.push(text) },
}));

beforeEach(() => void shownMessages.splice(0));

const createHost = (values: Readonly<Record<string, unknown>>): Host => {
  const globalState = { keys: () => Object.keys(values), get: (name: string) => values[name] };
  return { context: { globalState } } as unknown as Host;
};

test.each([
  ['from a newer version', { version: 2, nonce: '0x1' }],
  ['with an unreadable record', 'broken'],
])(
  'hasOpenTopUp counts a payment %s as open and shows a request to update the extension',
  async (_name, value) => {
    const values = { 'wallet.topUp.0x1': value };
    expect(await hasOpenTopUp(createHost(values), {} as Chain)).toBe(true);
    expect(shownMessages).toEqual([
      'Created by a newer version of Inference Service. Update the extension to open it.',
    ]);
  },
);

test('hasOpenTopUp reports no open payment if none is stored', async () => {
  const values = { 'wallet.payee.https://a.example 1 0x1': '0x1' };
  expect(await hasOpenTopUp(createHost(values), {} as Chain)).toBe(false);
  expect(shownMessages).toEqual([]);
});
