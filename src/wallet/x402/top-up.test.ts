import { createPublicClient, http } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chainFrom } from '../../../test/service/chain/chain-facts.ts';
import { type RunningChain, startChain } from '../../../test/service/chain/start-chain.ts';
import { timeLimits } from '../../../test/support/time-limits.ts';
import { x402HeaderProfiles } from '../../service/payment-requirements.ts';
import { checkChain, type CheckedChain, createChainClient, tokenAbi } from '../chain-client.ts';
import type { WalletError } from '../wallet-failure.ts';
import { CountingSigner } from './counting-signer.fixture.ts';
import { type PaidServiceMode, PaidService } from './paid-service.fixture.ts';
import { checkPendingTopUps, type TopUpOutcome, type UncreditedTopUp } from './signed-top-up.ts';
import { decodeTopUp, encodeTopUp, type TopUpJournal, type TopUpRecord } from './top-up-record.ts';
import { quoteTopUp, topUp, type TopUpRequest, type TopUpPorts } from './top-up.ts';

let chain: RunningChain;
let checked: CheckedChain;
let snapshot: string;
let service: PaidService;
let signer: CountingSigner;
let journal: MemoryJournal;
let signal: AbortSignal;

beforeAll(async () => {
  chain = await startChain();
  const facts = chainFrom(chain.facts);
  checked = await checkChain(
    createChainClient(facts),
    facts,
    AbortSignal.timeout(timeLimits.unitTest),
  );
});
beforeEach(async () => {
  snapshot = await chain.snapshot();
  service = new PaidService(chain.facts);
  signer = new CountingSigner(chain.facts.accounts[1]!.privateKey);
  journal = new MemoryJournal();
  signal = new AbortController().signal;
});
afterEach(() => chain.revert(snapshot));
afterAll(() => chain.stop());

/** As the editor's storage: JSON, and what a reload finds. */
class MemoryJournal implements TopUpJournal {
  stored: string[] = [];

  list(): readonly TopUpRecord[] {
    return this.stored.map((text) => decodeTopUp(JSON.parse(text))!);
  }

  async add(record: TopUpRecord): Promise<void> {
    this.stored.push(JSON.stringify(encodeTopUp(record)));
  }

  async remove({ nonce }: TopUpRecord): Promise<void> {
    this.stored = this.stored.filter((text) => !text.includes(nonce));
  }
}

const ports = (): TopUpPorts => ({
  service: service.context,
  headers: x402HeaderProfiles.v2,
  chain: checked,
  signer,
  journal,
  clock: service.clock,
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
});

async function pay(change: Partial<TopUpRequest> = {}): Promise<TopUpOutcome> {
  const quote = await quoteTopUp(ports(), signal);
  const confirm = async () => true;
  const order = { quote, amount: 10_000_000n, ceiling: 20_000_000n, confirm, ...change };
  return topUp(ports(), order, signal);
}

/** With the seconds between looks at the chain running by themselves. */
async function payInTime(change: Partial<TopUpRequest> = {}): Promise<TopUpOutcome> {
  const paying = pay(change);
  const running = { is: true };
  const end = (): void => {
    running.is = false;
  };
  paying.then(end, end);
  while (running.is) {
    await new Promise((resolve) => setImmediate(resolve));
    await service.clock.advance(service.clock.nextMs ?? 0);
  }
  return paying;
}

async function uncredited(behaviour: PaidServiceMode): Promise<UncreditedTopUp> {
  service.behaviour = behaviour;
  return (await payInTime()) as UncreditedTopUp;
}

/** Both clocks are past it. */
async function endOf({ validBefore }: TopUpRecord): Promise<void> {
  await chain.setNextBlockTime(Number(validBefore) + 1);
  await chain.mine();
  await service.clock.advance(Number(validBefore) * 1_000 - service.clock.now());
}

const usdcOf = (address: `0x${string}`): Promise<bigint> =>
  createPublicClient({ transport: http(chain.rpcUrl), cacheTime: 0 }).readContract({
    address: chain.facts.usdc,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [address],
  });

test('is verified and settled by the protocol’s own code, for exactly the amount, once', async () => {
  const before = await usdcOf(signer.address);
  const outcome = await pay();
  expect(outcome).toMatchObject({
    kind: 'credited',
    receipt: { creditedUsd: 10, balanceUsd: 12.5, paymentId: 'p-1' },
    state: { kind: 'paid' },
  });
  if (outcome.kind !== 'credited' || outcome.state?.kind !== 'paid') throw new Error('not paid');
  expect(outcome.state.hash).toBe(outcome.receipt.hash);
  expect(before - (await usdcOf(signer.address))).toBe(10_000_000n);
  expect(await usdcOf(chain.facts.payTo)).toBe(10_000_000n);
  expect(signer.payments).toHaveLength(1);
  expect(signer.messages).toEqual([]);
  expect(service.payments).toHaveLength(1);
  expect(journal.stored).toEqual([]);
});

test('that was credited is told as that, also when the journal cannot forget it', async () => {
  journal.remove = () => Promise.reject(new Error('disk full'));
  expect(await pay()).toMatchObject({ kind: 'credited', state: { kind: 'paid' } });
});

test('that the journal cannot keep is not sent', async () => {
  journal.add = () => Promise.reject(new Error('disk full'));
  await expect(pay()).rejects.toThrow('disk full');
  expect(service.payments).toEqual([]);
});

test('is shown before it is signed, and a no leaves nothing behind', async () => {
  const seen: unknown[] = [];
  const outcome = await pay({
    confirm: async (proposal) => {
      seen.push(proposal.payment.payTo, proposal.payment.amount, proposal.usdc.balance);
      expect(signer.payments).toEqual([]);
      return false;
    },
  });
  expect(outcome).toEqual({ kind: 'declined' });
  expect(seen).toEqual([chain.facts.payTo, 10_000_000n, 1_000_000_000n]);
  expect([signer.payments, journal.stored, service.payments]).toEqual([[], [], []]);
});

test.each([5, 8, 18])(
  'is not begun when the node says that the token has %i decimals: each amount would be another',
  async (decimals) => {
    const lying = { ...checked, usdc: { ...checked.usdc!, decimals } };
    await expect(quoteTopUp({ ...ports(), chain: lying }, signal)).rejects.toMatchObject({
      failure: { code: 'not-a-contract' },
    });
    expect(service.requests).toEqual([]);
  },
);

test('sends neither the key nor a sign-in along with a payment', async () => {
  await pay();
  for (const { headers } of service.requests) {
    expect(JSON.stringify(headers)).not.toMatch(/canary|bearer|sign-in/i);
  }
});

const hostile = (change: object): PaidService['offer'] => ({
  accepts: [{ ...service.way, ...change }],
});
describe('a service that lies gets no signature', () => {
  const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
  test.each<[string, () => PaidService['offer']]>([
    ['about the chain', () => hostile({ network: 'eip155:1' })],
    ['about the token', () => hostile({ asset: chain.facts.token })],
    ['about its name', () => hostile({ extra: { name: 'Token', version: '2' } })],
    ['about its version', () => hostile({ extra: { name: 'USD Coin', version: '1' } })],
    ['about the scheme', () => hostile({ scheme: 'upto' })],
    ['about the time', () => hostile({ maxTimeoutSeconds: 86_400 })],
    ['about the payee', () => hostile({ payTo: chain.facts.usdc })],
    ['with two payees', () => ({ accepts: [service.way, { ...service.way, payTo: other }] })],
    ['about the version', () => ({ x402Version: 1 })],
    ['about the resource', () => ({ resource: { url: 'https://evil.test/' } })],
    ['with a least amount above all', () => hostile({ amount: '100000000' })],
  ])('%s', async (_, lie) => {
    service.offer = lie();
    const error: unknown = await pay().catch((thrown: unknown) => thrown);
    expect((error as WalletError).failure.code).toMatch(/^(unsafe-request|invalid-amount)$/);
    expect([signer.payments, journal.stored, service.payments]).toEqual([[], [], []]);
  });

  test('with a clock of the chain that is far ahead', async () => {
    await chain.setNextBlockTime(Math.floor(Date.now() / 1_000) + 3_600);
    await chain.mine();
    await expect(pay()).rejects.toMatchObject({ failure: { code: 'unsafe-request' } });
    expect(signer.payments).toEqual([]);
  });
});

test('ends within the time that the service asked for', async () => {
  await pay();
  const { validBefore, validAfter, value } = signer.payments[0]!.message;
  const seconds = Number(validBefore) - service.clock.now() / 1_000;
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(301);
  expect([validAfter, value]).toEqual([0n, 10_000_000n]);
});

test('that was settled, though the reply was 504, is found on the chain', async () => {
  const outcome = await uncredited('settles-then-504');
  expect(outcome.kind).toBe('paid');
  expect(outcome.hash).toMatch(/^0x[0-9a-f]{64}$/);
  expect(signer.payments).toHaveLength(1);
  expect(journal.stored).toEqual([]);
});

test('that was settled, though the person did not wait for the reply, is found too', async () => {
  service.behaviour = 'settles-silently';
  const stop = new AbortController();
  signal = stop.signal;
  const paying = pay();
  await expect.poll(() => usdcOf(chain.facts.payTo), { interval: 20 }).toBe(10_000_000n);
  stop.abort();
  expect(await paying).toMatchObject({ kind: 'paid' });
});

test('of which nothing is known can be sent again, with the same signature, and is paid once', async () => {
  const outcome = await uncredited('answers-504');
  expect(outcome.kind).toBe('unknown');
  expect(journal.stored).toHaveLength(1);
  service.behaviour = 'settles';
  expect(await outcome.resend(signal)).toMatchObject({ kind: 'credited' });
  expect(signer.payments).toHaveLength(1);
  const [first, second] = service.payments.map(({ headers }) => headers['PAYMENT-SIGNATURE']);
  expect(second).toBe(first);
  expect(await usdcOf(chain.facts.payTo)).toBe(10_000_000n);
  expect(journal.stored).toEqual([]);
});

test('that was settled already is not settled again when it is sent again', async () => {
  const outcome = await uncredited('settles-then-504');
  service.behaviour = 'settles';
  const again = (await outcome.resend(signal)) as UncreditedTopUp;
  expect(again).toMatchObject({ kind: 'paid', refusal: 'payment' });
  expect(await usdcOf(chain.facts.payTo)).toBe(10_000_000n);
});

test('that has ended is not sent again, and counts as not paid', async () => {
  const outcome = await uncredited('answers-504');
  await endOf(outcome.record);
  expect(await outcome.resend(signal)).toMatchObject({ kind: 'void' });
  expect(service.payments).toHaveLength(1);
  expect(journal.stored).toEqual([]);
});

test('that was refused is told so, and watched until its end', async () => {
  const outcome = await uncredited('refuses');
  expect(outcome).toMatchObject({ kind: 'refused', refusal: 'payment' });
  expect(journal.stored).toHaveLength(1);
});

test('that the service only says to have credited is not on the chain', async () => {
  service.behaviour = 'lies';
  expect(await payInTime()).toMatchObject({ kind: 'credited', state: { kind: 'open' } });
  expect(await usdcOf(chain.facts.payTo)).toBe(0n);
  expect(journal.stored).toHaveLength(1);
});

describe('after a reload', () => {
  const lookUp = () =>
    checkPendingTopUps(checked, {
      journal,
      clock: service.clock,
      signal: AbortSignal.timeout(timeLimits.unitTest),
    });

  test('what was open is still told, then how it ended, once', async () => {
    const { record, resend } = await uncredited('answers-504');
    expect(await lookUp()).toEqual([{ record, state: { kind: 'open' } }]);
    service.behaviour = 'settles-silently';
    const stop = new AbortController();
    const sending = resend(stop.signal);
    await expect.poll(() => usdcOf(chain.facts.payTo), { interval: 20 }).toBe(10_000_000n);
    expect(await lookUp()).toMatchObject([{ state: { kind: 'paid' } }]);
    expect(await lookUp()).toEqual([]);
    stop.abort();
    await sending;
  });

  test('what has ended is void', async () => {
    const { record } = await uncredited('answers-504');
    await endOf(record);
    expect(await lookUp()).toEqual([{ record, state: { kind: 'void' } }]);
  });

  test('what has ended by the time of the chain alone is open: the node may be lying', async () => {
    const { record } = await uncredited('answers-504');
    await chain.setNextBlockTime(Number(record.validBefore) + 1);
    await chain.mine();
    expect(await lookUp()).toEqual([{ record, state: { kind: 'open' } }]);
    expect(journal.stored).toHaveLength(1);
  });

  test('nothing that is kept can be paid with', async () => {
    await uncredited('answers-504');
    const header = service.payments[0]!.headers['PAYMENT-SIGNATURE']!;
    const { signature } = (JSON.parse(atob(header)) as { payload: { signature: string } }).payload;
    expect(journal.stored.join()).not.toContain(signature.slice(2, 40));
    expect(journal.stored.join()).not.toContain(header.slice(0, 40));
  });
});
