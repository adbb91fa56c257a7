import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { FailureCode, ServiceFailure } from '../service/http/failure.ts';
import { FailureBackoff } from './requests.ts';

const failure = (code: FailureCode, more: Partial<ServiceFailure> = {}): ServiceFailure => ({
  code,
  message: code,
  ...more,
});

test('two passing failures in a row are no reason to rest, three are', async () => {
  const clock = new ManualClock();
  const budget = new FailureBackoff(clock);
  budget.failed(failure('server-error'));
  budget.failed(failure('timeout'));
  expect(budget.pause).toBeUndefined();
  budget.failed(failure('offline'));
  expect(budget.pause).toEqual({ until: clock.now() + 30_000, failure: failure('offline') });
  await clock.advance(30_000);
  expect(budget.pause).toBeUndefined();
});

test('each failure after a rest doubles it, up to ten minutes', async () => {
  const clock = new ManualClock();
  const budget = new FailureBackoff(clock);
  const rests: number[] = [];
  for (let count = 0; count < 9; count += 1) {
    budget.failed(failure('offline'));
    const { until } = budget.pause ?? { until: clock.now() };
    rests.push((until - clock.now()) / 1_000);
    await clock.advance(until - clock.now());
  }
  expect(rests).toEqual([0, 0, 30, 60, 120, 240, 480, 600, 600]);
});

test('success begins anew', () => {
  const budget = new FailureBackoff(new ManualClock());
  budget.failed(failure('offline'));
  budget.failed(failure('offline'));
  budget.reset();
  budget.failed(failure('offline'));
  expect(budget.pause).toBeUndefined();
});

test.each<FailureCode>(['unauthorized', 'out-of-funds', 'model-not-found', 'tls', 'not-found'])(
  'what does not pass by itself counts at once: %s',
  (code) => {
    const budget = new FailureBackoff(new ManualClock());
    budget.failed(failure(code));
    expect(budget.pause?.failure.code).toBe(code);
  },
);

test('a time that the service names is kept', () => {
  const clock = new ManualClock();
  const budget = new FailureBackoff(clock);
  budget.failed(failure('rate-limited', { retryAfterMs: 90_000 }));
  expect(budget.pause?.until).toBe(clock.now() + 90_000);
});
