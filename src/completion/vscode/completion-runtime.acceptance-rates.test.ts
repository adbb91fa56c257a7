import { expect, test } from 'vitest';
import { initialRates } from '../acceptance.ts';
import { readAcceptanceRates, writeAcceptanceRates } from './completion-runtime.ts';

function createMemento(storedValue?: unknown): {
  get: () => unknown;
  update: (_: string, value: unknown) => Promise<void>;
} {
  let value = storedValue;
  return {
    get: () => value,
    update: async (_, newValue) => {
      value = newValue;
    },
  };
}

test('readAcceptanceRates returns the stored rates', async () => {
  const state = createMemento();
  const rates = { 'line-start': 0.5, 'word-start': 0, word: 1 };
  await writeAcceptanceRates(state, rates);
  expect(readAcceptanceRates(state)).toEqual(rates);
});

test.each([
  undefined,
  null,
  'none',
  [],
  {},
  { 'line-start': -1, 'word-start': '0.2', word: Number.NaN },
])('readAcceptanceRates returns the initial rates for the invalid stored value %j', (storedValue) =>
  expect(readAcceptanceRates(createMemento(storedValue))).toEqual(initialRates),
);

test('writeAcceptanceRates ignores a storage failure', async () => {
  const update = (): Promise<void> => Promise.reject(new Error('full'));
  await expect(writeAcceptanceRates({ update }, initialRates)).resolves.toBeUndefined();
});
