import { expect, test } from 'vitest';
import { Lazy } from './lazy.ts';

test('Lazy creates the value on first use and returns it to all callers', async () => {
  let createdCount = 0;
  const lazy = new Lazy(async () => ++createdCount);
  expect(await lazy.getIfCreated()).toBeUndefined();
  expect(createdCount).toBe(0);
  expect(await Promise.all([lazy.get(), lazy.get(), lazy.getIfCreated()])).toEqual([1, 1, 1]);
});

test('Lazy rejects all waiting calls if the creation fails, and creates the value again on the next call', async () => {
  let attemptCount = 0;
  const lazy = new Lazy(async () => {
    attemptCount += 1;
    if (attemptCount === 1) throw new Error('not yet');
    return attemptCount;
  });
  const valuePromises = [lazy.get(), lazy.get()];
  const existingPromise = lazy.getIfCreated();
  expect(await Promise.allSettled(valuePromises)).toMatchObject([
    { reason: { message: 'not yet' } },
    { reason: { message: 'not yet' } },
  ]);
  expect(await existingPromise).toBeUndefined();
  expect(await lazy.getIfCreated()).toBeUndefined();
  expect(await lazy.get()).toBe(2);
});
