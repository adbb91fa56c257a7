import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import type { CompletionExchange } from '../../completion/completion-ports.ts';
import { CompletionActivity } from './completion-activity.ts';

const failure = { code: 'server-error', message: 'No.' } as const;
const exchange = (end: CompletionExchange['end'], firstTextMs?: number): CompletionExchange =>
  ({ end, ...(firstTextMs === undefined ? {} : { firstTextMs }) }) as CompletionExchange;

test('shows a sign only for a request that takes its time, and takes it away with the last', async () => {
  const clock = new ManualClock();
  const activity = new CompletionActivity(clock);
  const shown: boolean[] = [];
  activity.onDidChange(() => shown.push(activity.isSlow));
  activity.begin();
  await clock.advance(299);
  activity.end();
  await clock.advance(1_000);
  expect(shown).toEqual([]);
  activity.begin();
  activity.begin();
  await clock.advance(300);
  activity.end();
  expect(shown).toEqual([true]);
  activity.end();
  expect(shown).toEqual([true, false]);
});

test.each([
  ['complete', false],
  ['cut', false],
  ['dropped', true],
  ['failed', true],
] as const)('after a pause a request that ends %s leaves the warning: %s', (end, isLeft) => {
  const activity = new CompletionActivity(new ManualClock());
  activity.missed({ kind: 'failed', failure });
  expect(activity.pausedBy).toBeUndefined();
  activity.missed({ kind: 'paused', until: 1, failure });
  expect(activity.pausedBy).toBe(failure);
  activity.exchanged(exchange(end));
  expect(activity.pausedBy !== undefined).toBe(isLeft);
});

test('keeps the last latency, also over requests without text', () => {
  const activity = new CompletionActivity(new ManualClock());
  activity.exchanged(exchange('cut', 80));
  activity.exchanged(exchange('dropped'));
  expect(activity.latencyMs).toBe(80);
});

test('says once that it is paused, however often the place is asked for', () => {
  const activity = new CompletionActivity(new ManualClock());
  let changes = 0;
  activity.onDidChange(() => (changes += 1));
  for (let each = 0; each < 5; each++) activity.missed({ kind: 'paused', until: each, failure });
  activity.forgetFailure();
  activity.forgetFailure();
  expect(changes).toBe(2);
});
