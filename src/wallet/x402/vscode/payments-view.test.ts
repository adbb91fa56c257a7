import { expect, test, vi } from 'vitest';
import { startStrictDeployment } from '../../../../test/support/deployment-context.ts';
import { createScriptedService } from '../../../../test/support/scripted-transport.ts';
import type { Host } from '../../../host.ts';
import { getSetting, setChoiceState } from '../../../platform/settings.ts';
import type { ServiceContext } from '../../../service/http/client.ts';
import { readTopUpCeiling } from './paying-sign-in.ts';
import { showPayments } from './payments-view.ts';

interface MenuItem {
  readonly label: string;
  readonly detail?: string;
  readonly run?: () => unknown;
}

const fakeView = vi.hoisted(() => ({
  items: [] as readonly MenuItem[],
  hide: () => {},
  service: undefined as unknown,
  input: undefined as string | undefined,
}));

vi.mock('vscode', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  workspace: { getConfiguration: () => ({ inspect: () => ({}) }) },
  window: {
    showInputBox: async ({ validateInput }: { validateInput: (text: string) => unknown }) =>
      validateInput(fakeView.input ?? '') === undefined ? fakeView.input : undefined,
    createQuickPick: () => ({
      set items(items: readonly MenuItem[]) {
        fakeView.items = items;
      },
      onDidTriggerButton() {},
      onDidAccept() {},
      onDidHide: (run: () => void) => (fakeView.hide = run),
      show() {},
      dispose() {},
    }),
  },
}));
vi.mock('../../../account/vscode/payment-choice.ts', () => ({ paysPerRequest: () => false }));
vi.mock('../../../platform/window.ts', () => ({ createRefreshButton: () => ({}) }));
vi.mock('../../vscode/connect-wallet.ts', () => ({
  connectLocalWallet: async () => ({ signer: { address: `0x${'1'.repeat(40)}` } }),
}));
vi.mock('./sign-in-chain.ts', () => ({ getSignInChain: async () => ({}) }));
vi.mock('./paying-sign-in.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  withWalletSignIn: () => fakeView.service,
}));

/**
 * Opens the payments view and waits for the first reply. Returns the items of the view, and the request outcomes that
 * the view recorded in the account.
 */
async function showPaymentsView(service: ServiceContext, kind: 'wallet' | 'usable') {
  fakeView.items = [];
  fakeView.service = service;
  const reportedOutcomes: object[] = [];
  const account = {
    profile: { baseUrl: 'https://service.example/api/v1' },
    key: { kind },
    reportOutcome: (outcome: object) => void reportedOutcomes.push(outcome),
  };
  const host = { account, context: {}, log: { error() {} } } as unknown as Host;
  const viewPromise = showPayments(host);
  await vi.waitFor(() => expect(fakeView.items).not.toEqual([]));
  fakeView.hide();
  await viewPromise;
  return { items: fakeView.items, outcomes: reportedOutcomes };
}

test('showPayments shows the message and actions of a failed load, and records the failure in the account', async () => {
  await using server = await startStrictDeployment({ shape: 'full' });
  const { items, outcomes } = await showPaymentsView(server.context, 'wallet');
  expect(server.listRequests('').map(({ status }) => status)).toEqual([404]);
  expect(items[0]?.detail).toContain('The service has nothing at this address.');
  expect(items.map(({ label }) => label)).toEqual(
    expect.arrayContaining(['$(chevron-right) Retry']),
  );
  expect(outcomes).toEqual([expect.objectContaining({ code: 'not-found' })]);
});

test.each([
  [429, 'rate-limited', ['Retry']],
  [402, 'wallet-out-of-funds', ['Show Funding']],
])(
  'after a failure with status %i and code %s, showPayments offers the actions %j',
  async (status, code, labels) => {
    const errorBody = { error: 'Payment required', code: 'PAYMENT_REQUIRED' };
    const body = status === 402 ? [JSON.stringify(errorBody)] : [];
    const reply = { status, headers: { 'retry-after': '90' }, body };
    const { items, outcomes } = await showPaymentsView(
      createScriptedService(reply).context,
      'wallet',
    );
    expect(outcomes).toEqual([expect.objectContaining({ code })]);
    const shownLabels = items.map(({ label }) => label.replace('$(chevron-right) ', ''));
    expect(shownLabels).toEqual(expect.arrayContaining(labels));
  },
);

test('showPayments does not report a failed balance request of a wallet as a failure of the API key', async () => {
  const error = { error: 'Payment required', code: 'PAYMENT_REQUIRED' };
  const showRefusedRequest = (kind: 'usable' | 'wallet') =>
    showPaymentsView(
      createScriptedService({ status: 402, body: [JSON.stringify(error)] }).context,
      kind,
    );
  expect((await showRefusedRequest('usable')).outcomes).toEqual([]);
  expect((await showRefusedRequest('wallet')).outcomes).toHaveLength(1);
});

test.each([
  ['becomes', '35', 35],
  ['becomes', '0.5', 0.5],
  ['remains', '', 20],
  ['remains', '-1', 20],
  ['remains', '10001', 20],
  ['remains', 'much', 20],
])(
  'the maximum of one top-up $0 $2 after the input "$1" in the list of payments',
  async (_change, input, expected) => {
    const storedValues = new Map<string, unknown>();
    setChoiceState({
      get: (key: string) => storedValues.get(key),
      update: async (key: string, value: unknown) => void storedValues.set(key, value),
    } as never);
    fakeView.input = input;
    const error = { error: 'Payment required', code: 'PAYMENT_REQUIRED' };
    const reply = { status: 402, body: [JSON.stringify(error)] };
    const { context } = createScriptedService(reply);
    const { items } = await showPaymentsView(context, 'wallet');
    await items.find(({ label }) => label.includes('Maximum of one top-up'))?.run?.();
    expect(getSetting('inferenceService.wallet.topUpCeiling')).toBe(expected);
    expect(readTopUpCeiling()).toBe(BigInt(expected * 1_000_000));
  },
);
