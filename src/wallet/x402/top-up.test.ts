import { createPublicClient, http } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createStakingChain } from '../../../test/service/chain/chain-facts.ts';
import { type RunningChain, startChain } from '../../../test/service/chain/start-chain.ts';
import { timeLimits } from '../../../test/support/time-limits.ts';
import { x402HeaderProfiles } from '../../service/payment-requirements.ts';
import { checkChain, type CheckedChain, createChainClient, tokenAbi } from '../chain-client.ts';
import type { WalletError } from '../wallet-failure.ts';
import { CountingSigner } from './counting-signer.fixture.ts';
import { type PaidServiceMode, PaidService } from './paid-service.fixture.ts';
import {
  checkPendingTopUps,
  type TopUpOutcome,
  type UncreditedTopUp,
  decodeTopUp,
  encodeTopUp,
  type TopUpJournal,
  type TopUpRecord,
} from './signed-top-up.ts';
import { quoteTopUp, topUp, type TopUpRequest, type TopUpPorts } from './top-up.ts';

let runningChain: RunningChain;
let checkedChain: CheckedChain;
let snapshotId: string;
let paidService: PaidService;
let signer: CountingSigner;
let journal: MemoryJournal;
let signal: AbortSignal;

beforeAll(async () => {
  runningChain = await startChain();
  const stakingChain = createStakingChain(runningChain.facts);
  checkedChain = await checkChain(
    createChainClient(stakingChain),
    stakingChain,
    AbortSignal.timeout(timeLimits.unitTest),
  );
});
beforeEach(async () => {
  snapshotId = await runningChain.takeSnapshot();
  paidService = new PaidService(runningChain.facts);
  signer = new CountingSigner(runningChain.facts.accounts[1]!.privateKey);
  journal = new MemoryJournal();
  signal = new AbortController().signal;
});
afterEach(() => runningChain.revertToSnapshot(snapshotId));
afterAll(() => runningChain.stop());

/** Journal in memory that stores records as JSON, as VS Code's state does across a reload. */
class MemoryJournal implements TopUpJournal {
  storedRecords: string[] = [];

  list(): readonly TopUpRecord[] {
    return this.storedRecords.map((text) => decodeTopUp(JSON.parse(text))!);
  }

  async add(record: TopUpRecord): Promise<void> {
    this.storedRecords.push(JSON.stringify(encodeTopUp(record)));
  }

  async remove({ nonce }: TopUpRecord): Promise<void> {
    this.storedRecords = this.storedRecords.filter((text) => !text.includes(nonce));
  }
}

const createPorts = (): TopUpPorts => ({
  service: paidService.context,
  headers: x402HeaderProfiles.v2,
  chain: checkedChain,
  signer,
  journal,
  clock: paidService.clock,
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
});

async function payTopUp(change: Partial<TopUpRequest> = {}): Promise<TopUpOutcome> {
  const quote = await quoteTopUp(createPorts(), signal);
  const confirm = async () => true;
  const request = { quote, amount: 10_000_000n, ceiling: 20_000_000n, confirm, ...change };
  return topUp(createPorts(), request, signal);
}

/** Runs a top-up and advances the manual clock through every polling delay. */
async function payTopUpAndAdvanceClock(change: Partial<TopUpRequest> = {}): Promise<TopUpOutcome> {
  const paymentPromise = payTopUp(change);
  const paymentState = { isPending: true };
  const finishPayment = (): void => {
    paymentState.isPending = false;
  };
  paymentPromise.then(finishPayment, finishPayment);
  while (paymentState.isPending) {
    await new Promise((resolve) => setImmediate(resolve));
    await paidService.clock.advance(paidService.clock.nextTimerMs ?? 0);
  }
  return paymentPromise;
}

async function createUncreditedTopUp(mode: PaidServiceMode): Promise<UncreditedTopUp> {
  paidService.mode = mode;
  return (await payTopUpAndAdvanceClock()) as UncreditedTopUp;
}

/** Advances the chain clock and the manual clock past the expiry. */
async function advancePastExpiry({ validBefore }: TopUpRecord): Promise<void> {
  await runningChain.setNextBlockTime(Number(validBefore) + 1);
  await runningChain.mineBlocks();
  await paidService.clock.advance(Number(validBefore) * 1_000 - paidService.clock.now());
}

const readUsdcBalance = (address: `0x${string}`): Promise<bigint> =>
  createPublicClient({ transport: http(runningChain.rpcUrl), cacheTime: 0 }).readContract({
    address: runningChain.facts.usdc,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [address],
  });

test('topUp settles one payment of the exact amount through the reference x402 packages', async () => {
  const balanceBefore = await readUsdcBalance(signer.address);
  const outcome = await payTopUp();
  expect(outcome).toMatchObject({
    kind: 'credited',
    receipt: { balanceUsd: 12.5 },
    state: { kind: 'paid' },
  });
  if (outcome.kind !== 'credited' || outcome.state?.kind !== 'paid') throw new Error('not paid');
  expect(outcome.state.hash).toBe(outcome.receipt.hash);
  expect(balanceBefore - (await readUsdcBalance(signer.address))).toBe(10_000_000n);
  expect(await readUsdcBalance(runningChain.facts.payTo)).toBe(10_000_000n);
  expect(signer.signedPayments).toHaveLength(1);
  expect(signer.signedMessages).toEqual([]);
  expect(paidService.paidRequests).toHaveLength(1);
  expect(journal.storedRecords).toEqual([]);
});

test('topUp reports a credited payment even if the journal can’t remove its record', async () => {
  journal.remove = () => Promise.reject(new Error('disk full'));
  expect(await payTopUp()).toMatchObject({ kind: 'credited', state: { kind: 'paid' } });
});

test('topUp sends no payment that the journal can’t store', async () => {
  journal.add = () => Promise.reject(new Error('disk full'));
  await expect(payTopUp()).rejects.toThrow('disk full');
  expect(paidService.paidRequests).toEqual([]);
});

test('topUp signs, sends and stores nothing if the user declines the payment', async () => {
  const proposals: unknown[] = [];
  const outcome = await payTopUp({
    confirm: async (proposal) => {
      proposals.push(proposal.payment.payTo, proposal.payment.amount, proposal.usdc.balance);
      expect(signer.signedPayments).toEqual([]);
      return false;
    },
  });
  expect(outcome).toEqual({ kind: 'declined' });
  expect(proposals).toEqual([runningChain.facts.payTo, 10_000_000n, 1_000_000_000n]);
  expect([signer.signedPayments, journal.storedRecords, paidService.paidRequests]).toEqual([
    [],
    [],
    [],
  ]);
});

test.each([5, 8, 18])(
  'quoteTopUp rejects a chain whose node reports %i decimals for USDC',
  async (decimals) => {
    const wrongDecimals = { ...checkedChain, usdc: { ...checkedChain.usdc!, decimals } };
    await expect(
      quoteTopUp({ ...createPorts(), chain: wrongDecimals }, signal),
    ).rejects.toMatchObject({
      failure: { code: 'not-a-contract' },
    });
    expect(paidService.requests).toEqual([]);
  },
);

test('topUp sends neither the API key nor a sign-in with a payment', async () => {
  await payTopUp();
  for (const { headers } of paidService.requests) {
    expect(JSON.stringify(headers)).not.toMatch(/canary|bearer|sign-in/i);
  }
});

const createRequirementOverride = (change: object): PaidService['requirementsOverride'] => ({
  accepts: [{ ...paidService.requirement, ...change }],
});
describe('a payment that a hostile service requests', () => {
  const otherAddress = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
  test.each<[string, () => PaidService['requirementsOverride']]>([
    ['for another chain', () => createRequirementOverride({ network: 'eip155:1' })],
    ['for another token', () => createRequirementOverride({ asset: runningChain.facts.token })],
    [
      'for another token name',
      () => createRequirementOverride({ extra: { name: 'Token', version: '2' } }),
    ],
    [
      'for another token version',
      () => createRequirementOverride({ extra: { name: 'USD Coin', version: '1' } }),
    ],
    ['for another scheme', () => createRequirementOverride({ scheme: 'upto' })],
    ['for an excessive lifetime', () => createRequirementOverride({ maxTimeoutSeconds: 86_400 })],
    [
      'for a payee that is a token contract',
      () => createRequirementOverride({ payTo: runningChain.facts.usdc }),
    ],
    [
      'for two different payees',
      () => ({
        accepts: [paidService.requirement, { ...paidService.requirement, payTo: otherAddress }],
      }),
    ],
    ['for protocol version 1', () => ({ x402Version: 1 })],
    ['for a resource on another host', () => ({ resource: { url: 'https://evil.test/' } })],
    [
      'for a minimum above the spending limit',
      () => createRequirementOverride({ amount: '100000000' }),
    ],
  ])('%s is not signed', async (_, createOverride) => {
    paidService.requirementsOverride = createOverride();
    const error: unknown = await payTopUp().catch((reason: unknown) => reason);
    expect((error as WalletError).failure.code).toMatch(/^(unsafe-request|invalid-amount)$/);
    expect([signer.signedPayments, journal.storedRecords, paidService.paidRequests]).toEqual([
      [],
      [],
      [],
    ]);
  });

  test('is not signed if the chain’s clock is an hour ahead', async () => {
    await runningChain.setNextBlockTime(Math.floor(Date.now() / 1_000) + 3_600);
    await runningChain.mineBlocks();
    await expect(payTopUp()).rejects.toMatchObject({ failure: { code: 'unsafe-request' } });
    expect(signer.signedPayments).toEqual([]);
  });
});

test('topUp limits the payment to the lifetime that the service requested', async () => {
  await payTopUp();
  const { validBefore, validAfter, value } = signer.signedPayments[0]!.message;
  const seconds = Number(validBefore) - paidService.clock.now() / 1_000;
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(301);
  expect([validAfter, value]).toEqual([0n, 10_000_000n]);
});

test('topUp finds a settled payment on the chain after a 504 response', async () => {
  const outcome = await createUncreditedTopUp('settles-then-504');
  expect(outcome.kind).toBe('paid');
  expect(outcome.hash).toMatch(/^0x[0-9a-f]{64}$/);
  expect(signer.signedPayments).toHaveLength(1);
  expect(journal.storedRecords).toEqual([]);
});

test('topUp finds a settled payment on the chain if the user cancels before the response', async () => {
  paidService.mode = 'settles-silently';
  const abortController = new AbortController();
  signal = abortController.signal;
  const paymentPromise = payTopUp();
  await expect
    .poll(() => readUsdcBalance(runningChain.facts.payTo), { interval: 20 })
    .toBe(10_000_000n);
  abortController.abort();
  expect(await paymentPromise).toMatchObject({ kind: 'paid' });
});

test('topUp resends a payment whose outcome is unknown with the same signature, so that only one payment is made', async () => {
  const outcome = await createUncreditedTopUp('answers-504');
  expect(outcome.kind).toBe('unknown');
  expect(journal.storedRecords).toHaveLength(1);
  paidService.mode = 'settles';
  expect(await outcome.resend(signal)).toMatchObject({ kind: 'credited' });
  expect(signer.signedPayments).toHaveLength(1);
  const [firstSignature, secondSignature] = paidService.paidRequests.map(
    ({ headers }) => headers['PAYMENT-SIGNATURE'],
  );
  expect(secondSignature).toBe(firstSignature);
  expect(await readUsdcBalance(runningChain.facts.payTo)).toBe(10_000_000n);
  expect(journal.storedRecords).toEqual([]);
});

test('topUp reports a resent payment as paid if the first attempt settled the payment', async () => {
  const outcome = await createUncreditedTopUp('settles-then-504');
  paidService.mode = 'settles';
  const secondOutcome = (await outcome.resend(signal)) as UncreditedTopUp;
  expect(secondOutcome).toMatchObject({ kind: 'paid', refusal: 'payment' });
  expect(await readUsdcBalance(runningChain.facts.payTo)).toBe(10_000_000n);
});

test('topUp reports an expired payment as void, and does not resend the payment', async () => {
  const outcome = await createUncreditedTopUp('answers-504');
  await advancePastExpiry(outcome.record);
  expect(await outcome.resend(signal)).toMatchObject({ kind: 'void' });
  expect(paidService.paidRequests).toHaveLength(1);
  expect(journal.storedRecords).toEqual([]);
});

test('topUp reports a rejected payment and keeps its journal record', async () => {
  const outcome = await createUncreditedTopUp('refuses');
  expect(outcome).toMatchObject({ kind: 'refused', refusal: 'payment' });
  expect(journal.storedRecords).toHaveLength(1);
});

test('topUp reports a payment as open if the service reports a credit without a transfer on the chain', async () => {
  paidService.mode = 'lies';
  expect(await payTopUpAndAdvanceClock()).toMatchObject({
    kind: 'credited',
    state: { kind: 'open' },
  });
  expect(await readUsdcBalance(runningChain.facts.payTo)).toBe(0n);
  expect(journal.storedRecords).toHaveLength(1);
});

describe('a pending top-up after a reload', () => {
  const lookUpTopUps = (client = checkedChain.client) =>
    checkPendingTopUps(
      { ...checkedChain, client },
      {
        journal,
        clock: paidService.clock,
        signal: AbortSignal.timeout(timeLimits.unitTest),
      },
    );

  test('is reported as open before the settlement and as paid after the settlement', async () => {
    const { record, resend } = await createUncreditedTopUp('answers-504');
    expect(await lookUpTopUps()).toEqual([{ record, state: { kind: 'open' } }]);
    paidService.mode = 'settles-silently';
    const abortController = new AbortController();
    const resendPromise = resend(abortController.signal);
    await expect
      .poll(() => readUsdcBalance(runningChain.facts.payTo), { interval: 20 })
      .toBe(10_000_000n);
    expect(await lookUpTopUps()).toMatchObject([{ state: { kind: 'paid' } }]);
    expect(await lookUpTopUps()).toEqual([]);
    abortController.abort();
    await resendPromise;
  });

  test('is reported as void after its expiry', async () => {
    const { record } = await createUncreditedTopUp('answers-504');
    await advancePastExpiry(record);
    expect(await lookUpTopUps()).toEqual([{ record, state: { kind: 'void' } }]);
  });

  test('is reported as paid after its expiry even if a lagging node returns an earlier state', async () => {
    const { record, resend } = await createUncreditedTopUp('answers-504');
    paidService.mode = 'settles-silently';
    const abortController = new AbortController();
    const resendPromise = resend(abortController.signal);
    await expect
      .poll(() => readUsdcBalance(runningChain.facts.payTo), { interval: 20 })
      .toBe(10_000_000n);
    abortController.abort();
    await resendPromise;
    await journal.add(record);
    await advancePastExpiry(record);
    const { client } = checkedChain;
    const readContract = async (request: Parameters<typeof client.readContract>[0]) =>
      request.functionName === 'authorizationState' && request.blockNumber === undefined
        ? false
        : client.readContract(request);
    const laggingClient = Object.assign(Object.create(client) as typeof client, { readContract });
    expect(await lookUpTopUps(laggingClient)).toMatchObject([{ state: { kind: 'paid' } }]);
  });

  test('is reported as open if the node’s clock has passed its expiry, but the local clock has not', async () => {
    const { record } = await createUncreditedTopUp('answers-504');
    await runningChain.setNextBlockTime(Number(record.validBefore) + 1);
    await runningChain.mineBlocks();
    expect(await lookUpTopUps()).toEqual([{ record, state: { kind: 'open' } }]);
    expect(journal.storedRecords).toHaveLength(1);
  });

  test('has no payment signature in the journal', async () => {
    await createUncreditedTopUp('answers-504');
    const header = paidService.paidRequests[0]!.headers['PAYMENT-SIGNATURE']!;
    const { signature } = (JSON.parse(atob(header)) as { payload: { signature: string } }).payload;
    expect(journal.storedRecords.join()).not.toContain(signature.slice(2, 40));
    expect(journal.storedRecords.join()).not.toContain(header.slice(0, 40));
  });
});
