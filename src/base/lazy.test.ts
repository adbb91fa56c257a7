import { expect, test } from 'vitest';
import { Lazy } from './lazy.ts';

test('is made once, on first use', async () => {
  let made = 0;
  const lazy = new Lazy(async () => ++made);
  expect(await lazy.existing()).toBeUndefined();
  expect(made).toBe(0);
  expect(await Promise.all([lazy.get(), lazy.get(), lazy.existing()])).toEqual([1, 1, 1]);
});

test('a failure reaches all who asked, and is not kept', async () => {
  let tries = 0;
  const lazy = new Lazy(async () => {
    tries += 1;
    if (tries === 1) throw new Error('not yet');
    return tries;
  });
  const asked = [lazy.get(), lazy.get()];
  const existing = lazy.existing();
  expect(await Promise.allSettled(asked)).toMatchObject([
    { reason: { message: 'not yet' } },
    { reason: { message: 'not yet' } },
  ]);
  expect(await existing).toBeUndefined();
  expect(await lazy.existing()).toBeUndefined();
  expect(await lazy.get()).toBe(2);
});
