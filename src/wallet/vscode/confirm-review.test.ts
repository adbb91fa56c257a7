import { beforeEach, expect, test, vi } from 'vitest';
import type { StakingChain } from '../chain.ts';
import type { Review, SignerKind } from '../signer.ts';
import type { StakingRecord } from '../staking/stake-journal.ts';
import { createFlowReview, createStepReview } from '../staking/vscode/staking-review.ts';
import { createMintReview } from '../mint/vscode/prepare-mint.ts';
import { createTopUpReview } from '../x402/vscode/top-up-review.ts';
import { confirmReview } from './wallet-messages.ts';

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  env: { language: 'en' },
}));
const dialogs = vi.hoisted((): { details: string[]; answers: string[] } => ({
  details: [],
  answers: [],
}));
vi.mock('../../platform/notifications.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  confirm: async ({ detail }: { detail: string }) => {
    dialogs.details.push(detail);
    return dialogs.answers.shift();
  },
}));

const review: Review = {
  purpose: 'Sign?',
  rows: [
    { name: 'Amount', value: '1' },
    { name: 'Function', value: 'stake', isDetail: true },
  ],
  warnings: ['Careful.'],
};

beforeEach(() => {
  dialogs.details.length = 0;
});

const confirmWithAnswers = (kind: SignerKind, ...answers: string[]) => {
  dialogs.answers = answers;
  return confirmReview(review, 'Sign', kind);
};

test('confirmReview shows no dialog for a browser wallet, because the wallet page asks the user', async () => {
  expect(await confirmWithAnswers('browser')).toBe(true);
  expect(dialogs.details).toEqual([]);
});

test.each(['private-key', 'mnemonic', 'keystore'] as const)(
  'confirmReview asks the user once for an account of the kind %s',
  async (kind) => {
    expect(await confirmWithAnswers(kind, 'Sign')).toBe(true);
    expect(dialogs.details).toEqual(['Amount: 1\n\n⚠ Careful.']);
    expect(await confirmWithAnswers(kind)).toBe(false);
  },
);

test('confirmReview explains the request below its question and above its rows', async () => {
  dialogs.answers = ['Sign'];
  await confirmReview({ ...review, explanation: 'It moves no funds.' }, 'Sign', 'private-key');
  expect(dialogs.details).toEqual(['It moves no funds.\n\nAmount: 1\n\n⚠ Careful.']);
});

test('confirmReview shows the detail rows after a click on Details', async () => {
  expect(await confirmWithAnswers('private-key', 'Details', 'Sign')).toBe(true);
  expect(dialogs.details[1]).toBe('Amount: 1\nFunction: stake\n\n⚠ Careful.');
  expect(await confirmWithAnswers('private-key', 'Details')).toBe(false);
});

const listVisibleRows = ({ rows }: Review): readonly string[] =>
  rows.filter(({ isDetail }) => isDetail !== true).map(({ value }) => value);

test('the review of a mint always shows issuer, wallet, key type, limit and expiry', () => {
  const claims = [
    { name: 'iss', value: 'https://issuer.example' },
    { name: 'aud', value: 'web3-api-key' },
  ];
  const token = { expiresAt: 1_000, clockAheadMs: 0, claims } as never;
  const options = { type: 'ADMIN', description: 'CI', consumptionLimit: { usd: 10 } } as const;
  const input = { host: 'api.example', address: '0xWallet', replacesActiveKey: false, now: 0 };
  const mintReview = createMintReview({ ...input, options, token });
  expect(mintReview.purpose).toBe('Sign to get an API key for api.example');
  expect(mintReview.explanation).toMatch(/moves no funds/u);
  expect(listVisibleRows(mintReview)).toEqual([
    '0xWallet',
    'api.example',
    'Admin',
    expect.stringMatching(/never/iu),
    expect.stringContaining('$10'),
    'https://issuer.example',
  ]);
});

test('the review of a transaction always shows amount, recipient, spender and network, with all decimals', () => {
  const chain = {
    id: 31_337,
    name: 'Local Chain',
    token: '0xToken',
    staking: '0xStaking',
    currency: { decimals: 18, symbol: 'ETH' },
  } as unknown as StakingChain;
  const token = { symbol: 'STK', decimals: 18 };
  const amount = 1_123_456_789_012_345_678n;
  const facts = { purpose: 'stake', amount, allowanceBefore: 0n, from: '0xFrom', form: 'stake' };
  const record = facts as unknown as StakingRecord;
  const exactAmount = '1.123456789012345678 STK';
  const network = 'Local Chain (31337)';
  const approvalRows = listVisibleRows(createStepReview('approve', { chain, token, record }));
  expect(approvalRows).toEqual([exactAmount, '0xFrom', network, '0xToken', '0xStaking']);
  const stakeRows = listVisibleRows(createStepReview('stake', { chain, token, record }));
  expect(stakeRows).toEqual([exactAmount, '0xFrom', network, '0xStaking']);
  const flowRows = listVisibleRows(createFlowReview({ chain, token, record }, { plan: {} }));
  expect(flowRows).toEqual(expect.arrayContaining([exactAmount, network, '0xStaking', '0xToken']));
  expect(flowRows.join()).not.toContain('before');
});

test('the review of a payment always shows amount, recipient, payer and network, with all decimals', () => {
  const chain = { id: 31_337, name: 'Local Chain' };
  const usdc = {
    name: 'USD Coin',
    symbol: 'USDC',
    decimals: 6,
    address: '0xUsdc',
    balance: 20_000_000n,
  };
  const payment = {
    amount: 10_123_456n,
    payTo: '0xPayee',
    payeeStatus: 'known',
    lifetimeSeconds: 300,
  };
  const baseUrl = new URL('https://api.example/api/v1');
  const input = { payment, usdc, payer: '0xPayer', chain, baseUrl, willSwitchToWallet: true };
  const paymentReview = createTopUpReview(input as never);
  expect(listVisibleRows(paymentReview)).toEqual([
    '10.123456 USDC',
    '0xPayee',
    '0xPayer',
    'Local Chain (31337)',
  ]);
  expect(paymentReview.warnings[0]).toMatch(/api\.example are then paid by 0xPayer/u);
});
