import { expect, test } from 'vitest';
import { CompletionConsent } from './consent.ts';

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

const covered = (agreement: CompletionConsent): boolean[] =>
  [here, there].map((each) => agreement.covers(each));

test.each([[undefined], ['x'], [[]], [{}], [[5, null, {}]], [[{ baseUrl: 5 }]]])(
  '%j covers nothing',
  (kept) => {
    const state = new KeptState();
    state.kept = kept;
    expect(covered(new CompletionConsent(state))).toEqual([false, false]);
  },
);

test('stores consent for its service', async () => {
  const state = new KeptState();
  await new CompletionConsent(state).add(here);
  expect(covered(new CompletionConsent(state))).toEqual([true, false]);
});

test('does not treat a synced setting as consent', async () => {
  const agreement = new CompletionConsent(new KeptState());
  await agreement.followSetting(true, here);
  await agreement.followSetting(true, here);
  expect(covered(agreement)).toEqual([false, false]);
});

test('treats turning the setting on as consent to the current service only', async () => {
  const agreement = new CompletionConsent(new KeptState());
  await agreement.followSetting(false, here);
  await agreement.followSetting(true, here);
  expect(covered(agreement)).toEqual([true, false]);
});

test('requires consent when signed out or for another service', async () => {
  const agreement = new CompletionConsent(new KeptState());
  await agreement.followSetting(false, undefined);
  await agreement.followSetting(true, undefined);
  expect(covered(agreement)).toEqual([false, false]);
  const other = new CompletionConsent(new KeptState());
  await other.followSetting(false, here);
  await other.add(there);
  await other.followSetting(true, here);
  expect(covered(other)).toEqual([false, true]);
});

test('revokes all consent when turned off', async () => {
  const agreement = new CompletionConsent(new KeptState());
  await agreement.followSetting(true, here);
  await agreement.add(here);
  await agreement.add(there);
  await agreement.followSetting(false, here);
  expect(covered(agreement)).toEqual([false, false]);
});

test('keeps consent when another setting changes first', async () => {
  const agreement = new CompletionConsent(new KeptState());
  await agreement.followSetting(false, here);
  await agreement.add(here);
  await agreement.followSetting(false, here);
  await agreement.followSetting(true, here);
  expect(covered(agreement)).toEqual([true, false]);
});

test('keeps the last fifty services', async () => {
  const state = new KeptState();
  const agreement = new CompletionConsent(state);
  await agreement.add(there);
  await agreement.add(here);
  await agreement.add(there);
  for (let each = 0; each < 49; each += 1) await agreement.add({ baseUrl: String(each) });
  expect(state.kept).toHaveLength(50);
  expect(covered(agreement)).toEqual([false, true]);
});

test('is too expensive above twice the consented price, until consent is renewed', async () => {
  const agreement = new CompletionConsent(new KeptState());
  await agreement.add({ ...here, price: 0.01 });
  await agreement.add({ ...there, price: 1 });
  expect([0.02, 0.03, undefined].map((price) => agreement.isTooExpensive(price, here))).toEqual([
    false,
    true,
    false,
  ]);
  expect(agreement.isTooExpensive(0.03, there)).toBe(false);
  await agreement.add({ ...here, price: 0.03 });
  expect(agreement.isTooExpensive(0.03, here)).toBe(false);
});

test('records the first known price', async () => {
  const agreement = new CompletionConsent(new KeptState());
  await agreement.recordPrice(0.01, here);
  expect(agreement.covers(here)).toBe(false);
  await agreement.add(here);
  for (const price of [undefined, 0.01, 5]) await agreement.recordPrice(price, here);
  expect([0.02, 0.03].map((price) => agreement.isTooExpensive(price, here))).toEqual([false, true]);
});
