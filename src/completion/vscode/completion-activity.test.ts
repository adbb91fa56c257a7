import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import type { CompletionExchange } from '../ports.ts';
import { CompletionActivity } from './completion-activity.ts';

const serverFailure = { code: 'server-error', message: 'No.' } as const;
const pausedUntilMs = new ManualClock().now() + 30_000;
const pausedState = { kind: 'paused', until: pausedUntilMs, failure: serverFailure } as const;
const createExchange = (
  outcome: CompletionExchange['outcome'],
  firstTextMs?: number,
): CompletionExchange =>
  ({
    outcome,
    ...(firstTextMs === undefined ? {} : { timeToFirstTextMs: firstTextMs }),
  }) as CompletionExchange;

test('CompletionActivity reports that suggestions are slow from 300 ms after the start of a request until the end of all requests', async () => {
  const clock = new ManualClock();
  const activity = new CompletionActivity(clock);
  const slowStates: boolean[] = [];
  activity.onDidChange(() => slowStates.push(activity.isSlow));
  activity.recordRequestStart();
  await clock.advance(299);
  activity.recordRequestEnd();
  await clock.advance(1_000);
  expect(slowStates).toEqual([]);
  activity.recordRequestStart();
  activity.recordRequestStart();
  await clock.advance(300);
  activity.recordRequestEnd();
  expect(slowStates).toEqual([true]);
  activity.recordRequestEnd();
  expect(slowStates).toEqual([true, false]);
});

test.each([
  ['stops reporting', 'returns a complete answer', 'complete', false],
  ['stops reporting', 'returns a truncated answer', 'cut', false],
  ['continues to report', 'is canceled', 'canceled', true],
  ['continues to report', 'fails', 'failed', true],
] as const)(
  'CompletionActivity %s a pause after a request %s',
  (_resultLabel, _outcomeLabel, outcome, isWarningVisible) => {
    const activity = new CompletionActivity(new ManualClock());
    activity.recordMiss({ kind: 'failed', failure: serverFailure });
    expect(activity.pausedBy).toBeUndefined();
    activity.recordMiss(pausedState);
    expect(activity.pausedBy).toBe(serverFailure);
    activity.recordExchange(createExchange(outcome));
    expect(activity.pausedBy !== undefined).toBe(isWarningVisible);
  },
);

test('CompletionActivity does not change the measured latency after a request without text', () => {
  const activity = new CompletionActivity(new ManualClock());
  activity.recordExchange(createExchange('cut', 80));
  activity.recordExchange(createExchange('canceled'));
  expect(activity.latencyMs).toBe(80);
});

test('CompletionActivity fires one event for repeated reports of a pause, and one event when the failure is cleared', () => {
  const activity = new CompletionActivity(new ManualClock());
  let changeCount = 0;
  activity.onDidChange(() => (changeCount += 1));
  for (let attempt = 0; attempt < 5; attempt++) activity.recordMiss(pausedState);
  activity.clearFailure();
  activity.clearFailure();
  expect(changeCount).toBe(2);
});

test('CompletionActivity ends the pause at the latest reported end time', async () => {
  const clock = new ManualClock();
  const activity = new CompletionActivity(clock);
  const isPausedStates: boolean[] = [];
  activity.onDidChange(() => isPausedStates.push(activity.pausedBy !== undefined));
  activity.recordMiss(pausedState);
  await clock.advance(20_000);
  activity.recordMiss({ ...pausedState, until: pausedUntilMs + 60_000 });
  await clock.advance(69_999);
  expect(isPausedStates).toEqual([true, true]);
  await clock.advance(1);
  expect(isPausedStates).toEqual([true, true, false]);
});

test.each([
  ['in the past', 0, 0],
  ['after the maximum timer delay', 1e15, 2 ** 31 - 1],
])('CompletionActivity limits the timer delay if the pause ends %s', (_, end, timerMs) => {
  const clock = new ManualClock();
  const activity = new CompletionActivity(clock);
  activity.recordMiss({ ...pausedState, until: end });
  expect(clock.nextTimerMs).toBe(timerMs);
  activity.dispose();
  expect(clock.pendingTimerCount).toBe(0);
});
