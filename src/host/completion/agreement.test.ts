import { expect, test } from 'vitest';
import { Agreement } from './agreement.ts';

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

test.each([[undefined], ['x'], [[]], [{}], [[5, null]]])('%j covers nothing', (kept) => {
  const state = new KeptState();
  state.kept = kept;
  expect(covered(new Agreement(state))).toEqual([false, false]);
});

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
