import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { CircuitBreaker } from './circuit-breaker.ts';

test('stops at 15 failures in 30 s, until the oldest has passed', async () => {
  const clock = new ManualClock();
  const breaker = new CircuitBreaker(clock);
  for (let failure = 0; failure < 15; failure++) {
    expect(breaker.waitMs()).toBe(0);
    breaker.begin()(true);
    await clock.advance(1_000);
  }
  expect(breaker.waitMs()).toBe(15_000);
  await clock.advance(14_999);
  expect(breaker.waitMs()).toBe(1);
  await clock.advance(1);
  expect(breaker.waitMs()).toBe(0);
});

test('never minds successes', () => {
  const breaker = new CircuitBreaker(new ManualClock());
  for (let request = 0; request < 100; request++) breaker.begin()(false);
  expect(breaker.waitMs()).toBe(0);
});

test('once something failed, requests under way count too', () => {
  const breaker = new CircuitBreaker(new ManualClock());
  const settle = Array.from({ length: 15 }, () => breaker.begin());
  expect(breaker.waitMs()).toBe(0);
  settle[0]?.(true);
  expect(breaker.waitMs()).toBeGreaterThan(0);
  settle[1]?.(false);
  expect(breaker.waitMs()).toBe(0);
});
