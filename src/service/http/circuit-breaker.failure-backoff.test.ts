import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import type { FailureCode, ServiceFailure } from './failure.ts';
import { FailureBackoff } from './circuit-breaker.ts';

const createFailure = (
  code: FailureCode,
  overrides: Partial<ServiceFailure> = {},
): ServiceFailure => ({
  code,
  message: code,
  ...overrides,
});

test('FailureBackoff pauses requests after three consecutive transient failures', async () => {
  const clock = new ManualClock();
  const backoff = new FailureBackoff(clock);
  backoff.recordFailure(createFailure('server-error'));
  backoff.recordFailure(createFailure('timeout'));
  expect(backoff.pause).toBeUndefined();
  backoff.recordFailure(createFailure('offline'));
  expect(backoff.pause).toEqual({ until: clock.now() + 30_000, failure: createFailure('offline') });
  await clock.advance(30_000);
  expect(backoff.pause).toBeUndefined();
});

test('FailureBackoff doubles the pause after each further failure, up to ten minutes', async () => {
  const clock = new ManualClock();
  const backoff = new FailureBackoff(clock);
  const pauses: number[] = [];
  for (let count = 0; count < 9; count += 1) {
    backoff.recordFailure(createFailure('offline'));
    const { until } = backoff.pause ?? { until: clock.now() };
    pauses.push((until - clock.now()) / 1_000);
    await clock.advance(until - clock.now());
  }
  expect(pauses).toEqual([0, 0, 30, 60, 120, 240, 480, 600, 600]);
});

test('FailureBackoff resets the number of failures after a success', () => {
  const backoff = new FailureBackoff(new ManualClock());
  backoff.recordFailure(createFailure('offline'));
  backoff.recordFailure(createFailure('offline'));
  backoff.reset();
  backoff.recordFailure(createFailure('offline'));
  expect(backoff.pause).toBeUndefined();
});

test.each<FailureCode>(['unauthorized', 'out-of-funds', 'model-not-found', 'tls', 'not-found'])(
  'FailureBackoff pauses immediately after the failure "%s", which the user must fix',
  (code) => {
    const backoff = new FailureBackoff(new ManualClock());
    backoff.recordFailure(createFailure(code));
    expect(backoff.pause?.failure.code).toBe(code);
  },
);

test('FailureBackoff pauses for as long as the service requests', () => {
  const clock = new ManualClock();
  const backoff = new FailureBackoff(clock);
  backoff.recordFailure(createFailure('rate-limited', { retryAfterMs: 90_000 }));
  expect(backoff.pause?.until).toBe(clock.now() + 90_000);
});
