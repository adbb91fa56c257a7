import { expect, test } from 'vitest';
import { Lazy } from './lazy.ts';

test('creates the value on first use and shares it', async () => {
  let made = 0;
  const lazy = new Lazy(async () => ++made);
  expect(await lazy.getIfCreated()).toBeUndefined();
  expect(made).toBe(0);
  expect(await Promise.all([lazy.get(), lazy.get(), lazy.getIfCreated()])).toEqual([1, 1, 1]);
});

test('rejects all waiting calls and retries after a failure', async () => {
  let tries = 0;
  const lazy = new Lazy(async () => {
    tries += 1;
    if (tries === 1) throw new Error('not yet');
    return tries;
  });
  const asked = [lazy.get(), lazy.get()];
  const existing = lazy.getIfCreated();
  expect(await Promise.allSettled(asked)).toMatchObject([
    { reason: { message: 'not yet' } },
    { reason: { message: 'not yet' } },
  ]);
  expect(await existing).toBeUndefined();
  expect(await lazy.getIfCreated()).toBeUndefined();
  expect(await lazy.get()).toBe(2);
});
