import { describe, expect, test } from 'vitest';
import type {
  PaymentRequirement,
  PaymentRequirements,
} from '../../service/payment-requirements.ts';
import type { WalletFailureCode } from '../wallet-failure.ts';
import { checkRequirement, checkPayment, type ExpectedPayment } from './payment.ts';

const usdcAddress = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const payeeAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const otherAddress = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const payerAddress = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const tokenAddress = '0x0000000000000000000000000000000000000aaa';
const stakingAddress = '0x0000000000000000000000000000000000000bBb';

const requirement: PaymentRequirement = {
  scheme: 'exact',
  network: 'eip155:31337',
  amount: '5000000',
  asset: usdcAddress,
  payTo: payeeAddress,
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
};
const requirements: PaymentRequirements = { version: 2, accepts: [requirement] };
const expectation: ExpectedPayment = {
  chain: {
    id: 31_337,
    name: 'Local',
    rpcUrl: 'http://127.0.0.1:8545',
    currency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    token: tokenAddress,
    staking: stakingAddress,
    usdc: usdcAddress,
    confirmations: 1,
  },
  usdc: {
    address: usdcAddress,
    symbol: 'USDC',
    decimals: 6,
    name: 'USD Coin',
    version: '2',
    balance: 30_000_000n,
    blockTime: 1_700_000_000n,
    blockNumber: 7n,
  },
  payer: payerAddress,
  baseUrl: new URL('https://api.service.test/api/v1'),
  amount: 10_000_000n,
  ceiling: 20_000_000n,
};
const createChangedRequirements = (change: Partial<PaymentRequirement>): PaymentRequirements => ({
  ...requirements,
  accepts: [{ ...requirement, ...change }],
});
const getFailureCode = (run: () => unknown): WalletFailureCode | 'nothing' => {
  try {
    run();
    return 'nothing';
  } catch (error) {
    return (error as { failure: { code: WalletFailureCode } }).failure.code;
  }
};

test('checkPayment accepts requirements that match the expected payment and uses the requested amount', () => {
  expect(checkPayment(requirements, expectation)).toEqual({
    accepted: { ...requirement, amount: '10000000' },
    payTo: payeeAddress,
    payeeStatus: 'new',
    amount: 10_000_000n,
    lifetimeSeconds: 300,
  });
});

test.each<[string, PaymentRequirements]>([
  ['version 1', { ...requirements, version: 1 }],
  ['no payment option', { ...requirements, accepts: [] }],
  ['another scheme', createChangedRequirements({ scheme: 'upto' })],
  ['another chain', createChangedRequirements({ network: 'eip155:1' })],
  ['a non-EVM chain', createChangedRequirements({ network: 'solana:31337' })],
  ['another token', createChangedRequirements({ asset: otherAddress })],
  ['a token that is not an address', createChangedRequirements({ asset: 'USDC' })],
  [
    'two conflicting options',
    { ...requirements, accepts: [requirement, { ...requirement, payTo: otherAddress }] },
  ],
  ['a payee that is not an address', createChangedRequirements({ payTo: 'service.eth' })],
  [
    'a payee with a wrong checksum',
    createChangedRequirements({ payTo: payeeAddress.replace('C8', 'c8') }),
  ],
  ['the zero address as the payee', createChangedRequirements({ payTo: `0x${'0'.repeat(40)}` })],
  ['the USDC token as the payee', createChangedRequirements({ payTo: usdcAddress })],
  ['the staked token as the payee', createChangedRequirements({ payTo: tokenAddress })],
  ['the staking contract as the payee', createChangedRequirements({ payTo: stakingAddress })],
  ['the payer as the payee', createChangedRequirements({ payTo: payerAddress })],
  ['another token name', createChangedRequirements({ extra: { name: 'USDC', version: '2' } })],
  [
    'another token version',
    createChangedRequirements({ extra: { name: 'USD Coin', version: '1' } }),
  ],
  [
    'a numeric token version',
    createChangedRequirements({ extra: { name: 'USD Coin', version: 2 } }),
  ],
  ['no token name', createChangedRequirements({ extra: {} })],
  [
    'an unsupported transfer method',
    createChangedRequirements({ extra: { ...requirement.extra, assetTransferMethod: 'permit2' } }),
  ],
  ['a lifetime above ten minutes', createChangedRequirements({ maxTimeoutSeconds: 601 })],
  ['a lifetime of zero', createChangedRequirements({ maxTimeoutSeconds: 0 })],
  ['a fractional lifetime', createChangedRequirements({ maxTimeoutSeconds: 0.5 })],
  ['a lifetime of NaN', createChangedRequirements({ maxTimeoutSeconds: Number.NaN })],
  ['a negative amount', createChangedRequirements({ amount: '-5' })],
  ['an amount of zero', createChangedRequirements({ amount: '0' })],
  ['an amount with an exponent', createChangedRequirements({ amount: '5e6' })],
  ['a hexadecimal amount', createChangedRequirements({ amount: '0x4c4b40' })],
  [
    'a resource on another host',
    { ...requirements, resource: 'https://evil.test/api/v1/x402/top-up' },
  ],
  [
    'a resource on another port',
    { ...requirements, resource: 'https://api.service.test:8443/api/v1/x402/top-up' },
  ],
  [
    'a resource outside the base path',
    { ...requirements, resource: 'https://api.service.test/api/v10' },
  ],
  [
    'a resource with dot segments',
    { ...requirements, resource: 'https://api.service.test/api/v1/../v2' },
  ],
  ['a plain HTTP resource', { ...requirements, resource: 'http://api.service.test/api/v1' }],
  [
    'a user name in the resource',
    { ...requirements, resource: 'https://a@api.service.test/api/v1' },
  ],
  ['a resource that is not a valid URL', { ...requirements, resource: 'https://' }],
])('checkPayment rejects requirements with %s', (_, invalidRequirements) => {
  expect(getFailureCode(() => checkPayment(invalidRequirements, expectation))).toBe(
    'unsafe-request',
  );
});

test.each<[string, Partial<ExpectedPayment>, WalletFailureCode]>([
  ['below the minimum', { amount: 4_999_999n }, 'invalid-amount'],
  ['of zero', { amount: 0n }, 'invalid-amount'],
  ['below zero', { amount: -5_000_000n }, 'invalid-amount'],
  ['above the ceiling', { amount: 20_000_001n }, 'invalid-amount'],
  ['above the balance', { amount: 30_000_001n, ceiling: 1n << 64n }, 'insufficient-funds'],
])('checkPayment rejects a payment amount %s', (_, change, code) => {
  expect(getFailureCode(() => checkPayment(requirements, { ...expectation, ...change }))).toBe(
    code,
  );
});

describe('the payee', () => {
  test.each([
    ['is missing', undefined, 'new'],
    ['is the same', payeeAddress, 'known'],
    ['is the same in lowercase', payeeAddress.toLowerCase() as `0x${string}`, 'known'],
    ['is different', otherAddress, 'changed'],
  ] as const)(
    'is classified as “$2” if the stored address $0',
    (_case, knownPayee, payeeStatus) => {
      const expectedPayment =
        knownPayee === undefined ? expectation : { ...expectation, knownPayee };
      expect(checkPayment(requirements, expectedPayment).payeeStatus).toBe(payeeStatus);
    },
  );

  test('is returned with a checksum if the service sends a lowercase address', () => {
    const lowercaseRequirements = createChangedRequirements({ payTo: payeeAddress.toLowerCase() });
    expect(checkPayment(lowercaseRequirements, expectation).payTo).toBe(payeeAddress);
  });
});

test.each([
  'https://api.service.test/api/v1',
  'https://api.service.test/api/v1/x402/top-up?a=1',
  '/api/v1/x402/top-up',
])('checkPayment accepts %s as a resource of the service', (resource) => {
  expect(getFailureCode(() => checkPayment({ ...requirements, resource }, expectation))).toBe(
    'nothing',
  );
});

test('checkRequirement ignores payment requirements for other networks, schemes and tokens', () => {
  const solanaRequirement = {
    ...requirement,
    network: 'solana:5eykt4',
    asset: 'EPjF',
    payTo: 'abc',
    extra: {},
  };
  const accepts = [
    solanaRequirement,
    { ...requirement, scheme: 'upto' },
    { ...requirement, asset: otherAddress },
    requirement,
  ];
  expect(checkRequirement({ ...requirements, accepts }, expectation)).toMatchObject({
    requirement,
    minAmount: 5_000_000n,
  });
});

test('checkRequirement names the unusable field of the payment terms', () => {
  expect(() => checkRequirement(createChangedRequirements({ payTo: 'abc' }), expectation)).toThrow(
    expect.objectContaining({
      failure: {
        code: 'unsafe-request',
        detail: 'The field “payTo” of the payment terms cannot be used.',
      },
    }),
  );
});
