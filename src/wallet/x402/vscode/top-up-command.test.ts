import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Host } from '../../../host.ts';
import { runTopUpCommand } from './top-up-command.ts';

const address = `0x${'1'.repeat(40)}`;
const origin = 'https://service.example';

const fakeHost = vi.hoisted(() => ({
  messages: [] as string[],
  savedAccounts: [] as object[],
  /** Callback that runs after the user's confirmation and before the service credits the payment. */
  runWhilePaying: (): void => {},
  start: async (): Promise<void> => {},
}));

const recordMessage = vi.hoisted(() => async (text: string) => void fakeHost.messages.push(text));
vi.mock('vscode', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  ProgressLocation: { Notification: 15 },
  window: {
    showInformationMessage: recordMessage,
    showWarningMessage: recordMessage,
    showErrorMessage: recordMessage,
    showInputBox: async () => '10',
    withProgress: (_options: object, run: (...args: object[]) => unknown) =>
      run({ report() {} }, { onCancellationRequested() {} }),
  },
}));
vi.mock('../../../platform/window-lock.ts', () => ({
  acquireWindowLock: async () => ({
    lossSignal: new AbortController().signal,
    [Symbol.dispose]() {},
  }),
}));
vi.mock('../../../account/vscode/payment-choice.ts', () => ({
  savePayingAccount: async (_state: object, account: object) =>
    void fakeHost.savedAccounts.push(account),
  startPayingPerRequest: () => fakeHost.start(),
}));
vi.mock('../../vscode/chain-form.ts', () => ({ ensureChain: async () => ({ id: 1 }) }));
vi.mock('../../vscode/local-accounts.ts', () => ({
  connectLocalAccount: () => ({ signer: { address, kind: 'keystore' } }),
}));
vi.mock('../../vscode/profile-chain.ts', () => ({ getCheckedChain: async () => ({}) }));
vi.mock('./pay-per-request.ts', () => ({}));
vi.mock('./paying-sign-in.ts', () => ({
  readStoredAccounts: () => [{ address }],
  readTopUpCeiling: () => 20_000_000n,
  readX402Headers: () => ({}),
}));
vi.mock('./payments-view.ts', () => ({}));
vi.mock('./payment-messages.ts', () => ({
  formatCreditedPayment: () => 'Credited.',
  showPaymentFailure: (error: unknown) => {
    throw error;
  },
}));
vi.mock('./top-up-review.ts', () => ({ confirmTopUp: async () => true }));
vi.mock('./top-up-store.ts', () => ({
  hasOpenTopUp: async () => false,
  TopUpStore: class {
    getPayee() {}
  },
}));
vi.mock('../top-up.ts', () => ({
  quoteTopUp: async () => ({
    baseUrl: new URL(`${origin}/api/v1`),
    usdc: { address, decimals: 6, symbol: 'USDC', balance: 50_000_000n },
    minAmount: 5_000_000n,
  }),
  topUp: async (_ports: object, { confirm }: { confirm: (proposal: object) => unknown }) => {
    await confirm({});
    fakeHost.runWhilePaying();
    return { kind: 'credited', receipt: { balanceUsd: 10 }, state: { kind: 'paid', hash: '0x1' } };
  },
}));

beforeEach(() => {
  const defaults = { messages: [], savedAccounts: [], runWhilePaying() {}, start: async () => {} };
  Object.assign(fakeHost, defaults);
});

function createHost() {
  const account = {
    profileId: 'default',
    profile: { baseUrl: `${origin}/api/v1` },
    key: { kind: 'usable' },
    reloadKey: async () => {},
    reportOutcome: vi.fn<() => void>(),
  };
  const loggedErrors: unknown[] = [];
  const log = { error: (_text: string, error: unknown) => loggedErrors.push(error) };
  const context = { globalStorageUri: { fsPath: '/storage' }, globalState: {} };
  return { host: { account, context, log } as unknown as Host, account, loggedErrors };
}

describe('runTopUpCommand', () => {
  test('switches the connection that returned the quote to pay-per-request after the payment is credited', async () => {
    await runTopUpCommand(createHost().host);
    await vi.waitFor(() => expect(fakeHost.messages).toHaveLength(2));
    expect(fakeHost.messages).toEqual(['Credited.', `Requests are paid by ${address} now.`]);
    expect(fakeHost.savedAccounts).toEqual([{ address, origin }]);
  });

  test.each([
    ['another profile', { profileId: 'other' }],
    ['another address', { profile: { baseUrl: 'https://other.example/v1' } }],
  ])(
    'does not switch to pay-per-request if %s is active when the payment is credited',
    async (_name, change) => {
      const { host, account } = createHost();
      fakeHost.runWhilePaying = () =>
        void Object.assign(account, change, { key: { kind: 'wallet' } });
      await runTopUpCommand(host);
      await vi.waitFor(() => expect(fakeHost.messages).toHaveLength(2));
      expect(fakeHost.messages).toEqual([
        'Credited.',
        `Requests are not paid by ${address}, because another connection is active now.`,
      ]);
      expect(fakeHost.savedAccounts).toEqual([]);
      expect(account.reportOutcome).not.toHaveBeenCalled();
    },
  );

  test('reports the credited payment, and then the failed switch to pay-per-request', async () => {
    const { host, loggedErrors } = createHost();
    const failure = new Error('read-only settings');
    fakeHost.start = () => Promise.reject(failure);
    await runTopUpCommand(host);
    await vi.waitFor(() => expect(fakeHost.messages).toHaveLength(2));
    expect(fakeHost.messages).toEqual(['Credited.', 'That did not work. See the log for details.']);
    expect(loggedErrors).toEqual([failure]);
  });
});
