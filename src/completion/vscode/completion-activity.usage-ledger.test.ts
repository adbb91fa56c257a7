import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { UsageLedger, type UsageState } from './completion-activity.ts';

const noUsage = { requests: 0, usd: 0, diem: 0, isEstimate: false };
const paidExchange = { cost: { usd: 0.25 }, isCostEstimate: false };
const dayMs = 24 * 3_600_000;

class MemoryState implements UsageState {
  storedValue: unknown;
  writeCount = 0;

  get(): unknown {
    return this.storedValue;
  }

  async update(_: string, value: unknown): Promise<void> {
    this.writeCount += 1;
    this.storedValue = value;
  }
}

test('UsageLedger counts requests immediately, and writes the usage of many requests in one update', async () => {
  const [state, clock] = [new MemoryState(), new ManualClock()];
  const ledger = new UsageLedger(state, clock);
  for (let index = 0; index < 100; index++) ledger.add(paidExchange);
  expect(ledger.session).toEqual({ requests: 100, usd: 25, diem: 0, isEstimate: false });
  expect(ledger.today).toEqual(ledger.session);
  expect(state.writeCount).toBe(0);
  await clock.advance(5_000);
  expect(state.writeCount).toBe(1);
  expect(ledger.today.requests).toBe(100);
});

test('UsageLedger reports the usage of all windows for the day, and of one window for the session', async () => {
  const [state, clock] = [new MemoryState(), new ManualClock()];
  const ledgers = [new UsageLedger(state, clock), new UsageLedger(state, clock)];
  for (const ledger of ledgers) ledger.add({ cost: { diem: 2 }, isCostEstimate: true });
  for (const ledger of ledgers) await ledger.flush();
  for (const ledger of ledgers) {
    expect(ledger.today).toEqual({ requests: 2, usd: 0, diem: 4, isEstimate: true });
    expect(ledger.session.requests).toBe(1);
  }
});

test('UsageLedger starts at zero on a new day', async () => {
  const [state, clock] = [new MemoryState(), new ManualClock()];
  const ledger = new UsageLedger(state, clock);
  ledger.add(paidExchange);
  await ledger.flush();
  await clock.advance(dayMs);
  expect(ledger.today).toEqual(noUsage);
  ledger.add({ isCostEstimate: false });
  expect(ledger.today).toEqual({ ...noUsage, requests: 1 });
  expect(ledger.session.requests).toBe(2);
});

test.each([-5, 1e308, 1_000, Number.NaN, Number.POSITIVE_INFINITY])(
  'UsageLedger ignores the implausible cost %d and marks the usage as an estimate',
  (cost) => {
    const ledger = new UsageLedger(new MemoryState(), new ManualClock());
    ledger.add({ cost: { usd: cost, diem: 0.5 }, isCostEstimate: false });
    ledger.add({ cost: { usd: 0.25, diem: cost }, isCostEstimate: false });
    expect(ledger.session).toEqual({ requests: 2, usd: 0.25, diem: 0.5, isEstimate: true });
  },
);

test.each([[undefined], ['x'], [{ day: 5 }], [{ requests: 'many', usd: -1, diem: Number.NaN }]])(
  'UsageLedger treats the invalid stored value %j as no usage',
  (fields) => {
    const [state, clock] = [new MemoryState(), new ManualClock()];
    const ledger = new UsageLedger(state, clock);
    ledger.add(paidExchange);
    void ledger.flush();
    const { day } = state.storedValue as { day: string };
    expect(day).toMatch(/^\d{4}-\d\d-\d\d$/u);
    state.storedValue = typeof fields === 'string' ? fields : { day, ...fields };
    expect(ledger.today).toEqual(noUsage);
  },
);

test('UsageLedger continues to count if the storage fails', async () => {
  const clock = new ManualClock();
  const failingState: UsageState = {
    get: () => undefined,
    update: () => Promise.reject(new Error()),
  };
  const ledger = new UsageLedger(failingState, clock);
  ledger.add(paidExchange);
  await expect(ledger.flush()).resolves.toBeUndefined();
  expect(ledger.session.requests).toBe(1);
});
