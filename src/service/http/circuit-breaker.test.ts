import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { CircuitBreaker } from './circuit-breaker.ts';

const { signal } = new AbortController();

test('CircuitBreaker rejects requests after 15 failures in 30 s until the oldest failure is 30 s old', async () => {
  const clock = new ManualClock();
  const breaker = new CircuitBreaker(clock);
  for (let failureCount = 0; failureCount < 15; failureCount++) {
    (await breaker.waitForTurn(signal))(true);
    await clock.advance(1_000);
  }
  const createPausedFailure = (retryAfterMs: number): object => ({
    failure: { code: 'paused', retryAfterMs },
  });
  await expect(breaker.waitForTurn(signal)).rejects.toMatchObject(createPausedFailure(15_000));
  await clock.advance(14_999);
  await expect(breaker.waitForTurn(signal)).rejects.toMatchObject(createPausedFailure(1));
  await clock.advance(1);
  await breaker.waitForTurn(signal);
});

test('CircuitBreaker allows any number of successful requests', async () => {
  const breaker = new CircuitBreaker(new ManualClock());
  for (let requestCount = 0; requestCount < 100; requestCount++)
    (await breaker.waitForTurn(signal))(false);
});

test('CircuitBreaker delays a request while failures of pending requests could reach the limit', async () => {
  const clock = new ManualClock();
  const breaker = new CircuitBreaker(clock);
  const settleFunctions = await Promise.all(
    Array.from({ length: 15 }, () => breaker.waitForTurn(signal)),
  );
  let startedCount = 0;
  const callPromises = [1, 2].map(() => breaker.waitForTurn(signal).then(() => startedCount++));
  await clock.advance(10_000);
  expect(startedCount).toBe(0);
  settleFunctions[0]?.(true);
  await clock.advance(0);
  expect(startedCount).toBe(0);
  settleFunctions[1]?.(false);
  await clock.advance(0);
  expect(startedCount).toBe(1);
  settleFunctions[2]?.(false);
  await Promise.all(callPromises);
  expect(clock.pendingTimerCount).toBe(0);
});

test('CircuitBreaker allows a delayed request when an old failure expires, even if no pending request completes', async () => {
  const clock = new ManualClock();
  const breaker = new CircuitBreaker(clock);
  const settleFunctions = await Promise.all(
    Array.from({ length: 15 }, () => breaker.waitForTurn(signal)),
  );
  settleFunctions[0]?.(true);
  const turnPromise = breaker.waitForTurn(signal);
  await clock.advance(30_000);
  await turnPromise;
});

test('CircuitBreaker rejects a delayed request on abort', async () => {
  const clock = new ManualClock();
  const breaker = new CircuitBreaker(clock);
  for (let requestCount = 0; requestCount < 15; requestCount++) await breaker.waitForTurn(signal);
  const abortController = new AbortController();
  const turnPromise = breaker.waitForTurn(abortController.signal);
  abortController.abort();
  await expect(turnPromise).rejects.toMatchObject({ failure: { code: 'stopped' } });
  expect(clock.pendingTimerCount).toBe(0);
});
