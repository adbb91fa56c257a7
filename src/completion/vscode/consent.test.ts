import { expect, test } from 'vitest';
import { Agreement } from './consent.ts';

const here = { baseUrl: 'https://here.test/v1' };
const there = { baseUrl: 'https://there.test/v1' };

class KeptState {
  kept: unknown;

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the signature is the editor's
  get<T>(): T | undefined {
    return this.kept as T | undefined;
  }

  async update(_name: string, value: unknown): Promise<void> {
    this.kept = value;
  }
}

const covered = (agreement: Agreement): boolean[] =>
  [here, there].map((each) => agreement.covers(each));

test.each([[undefined], ['x'], [[]], [{}], [[5, null, {}]], [[{ baseUrl: 5 }]]])(
  '%j covers nothing',
  (kept) => {
    const state = new KeptState();
    state.kept = kept;
    expect(covered(new Agreement(state))).toEqual([false, false]);
  },
);

test('an answer counts for its address, in the next window too', async () => {
  const state = new KeptState();
  await new Agreement(state).add(here);
  expect(covered(new Agreement(state))).toEqual([true, false]);
});

test('a setting that is on from the start, as one from another machine, is no answer', async () => {
  const agreement = new Agreement(new KeptState());
  await agreement.follow(true, here);
  await agreement.follow(true, here);
  expect(covered(agreement)).toEqual([false, false]);
});

test('who turns it on by hand agrees to the address in use alone', async () => {
  const agreement = new Agreement(new KeptState());
  await agreement.follow(false, here);
  await agreement.follow(true, here);
  expect(covered(agreement)).toEqual([true, false]);
});

test('who is not signed in, or agreed to another address, is asked', async () => {
  const agreement = new Agreement(new KeptState());
  await agreement.follow(false, undefined);
  await agreement.follow(true, undefined);
  expect(covered(agreement)).toEqual([false, false]);
  const other = new Agreement(new KeptState());
  await other.follow(false, here);
  await other.add(there);
  await other.follow(true, here);
  expect(covered(other)).toEqual([false, true]);
});

test('turning it off takes all back', async () => {
  const agreement = new Agreement(new KeptState());
  await agreement.follow(true, here);
  await agreement.add(here);
  await agreement.add(there);
  await agreement.follow(false, here);
  expect(covered(agreement)).toEqual([false, false]);
});

test('another setting that changes between the answer and the switch takes nothing back', async () => {
  const agreement = new Agreement(new KeptState());
  await agreement.follow(false, here);
  await agreement.add(here);
  await agreement.follow(false, here);
  await agreement.follow(true, here);
  expect(covered(agreement)).toEqual([true, false]);
});

test('fifty addresses are remembered, the last ones', async () => {
  const state = new KeptState();
  const agreement = new Agreement(state);
  await agreement.add(there);
  await agreement.add(here);
  await agreement.add(there);
  for (let each = 0; each < 49; each += 1) await agreement.add({ baseUrl: String(each) });
  expect(state.kept).toHaveLength(50);
  expect(covered(agreement)).toEqual([false, true]);
});

test('far more than the price agreed to is too dear, until it is agreed to', async () => {
  const agreement = new Agreement(new KeptState());
  await agreement.add({ ...here, price: 0.01 });
  await agreement.add({ ...there, price: 1 });
  expect([0.02, 0.03, undefined].map((price) => agreement.isTooDear(price, here))).toEqual([
    false,
    true,
    false,
  ]);
  expect(agreement.isTooDear(0.03, there)).toBe(false);
  await agreement.add({ ...here, price: 0.03 });
  expect(agreement.isTooDear(0.03, here)).toBe(false);
});

test('the first price that is seen is the one agreed to', async () => {
  const agreement = new Agreement(new KeptState());
  await agreement.sawPrice(0.01, here);
  expect(agreement.covers(here)).toBe(false);
  await agreement.add(here);
  for (const price of [undefined, 0.01, 5]) await agreement.sawPrice(price, here);
  expect([0.02, 0.03].map((price) => agreement.isTooDear(price, here))).toEqual([false, true]);
});
