import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { createSnapshotOf } from './snapshot.fixture.ts';
import { requestPolicies, TypingRhythm } from './request-timing.ts';
import { type PositionKind, AcceptanceStatistics } from './acceptance.ts';

function computeEconomicalDelay(
  text: string,
  {
    isAccepted = true,
    isDeleting = false,
    requestCount = 20,
    kind = 'word',
  }: {
    isAccepted?: boolean;
    isDeleting?: boolean;
    requestCount?: number;
    kind?: PositionKind;
  } = {},
): number {
  const acceptance = new AcceptanceStatistics();
  for (let id = 0; id < requestCount; id += 1) {
    acceptance.recordRequest(id, kind);
    if (isAccepted) acceptance.recordAcceptance(id);
    else acceptance.rejectAllExcept(new Set());
  }
  const rhythm = new TypingRhythm(new ManualClock());
  if (isDeleting) rhythm.observe(createSnapshotOf(text.replace('|', 'x|')));
  rhythm.observe(createSnapshotOf(text));
  const state = { rhythm, acceptance, timeToFirstTextMs: 200, isLastAnswerEmpty: false };
  return requestPolicies.economical.getDelayMs(createSnapshotOf(text), state);
}

test('the economical policy delays a request at a line start only after several rejected suggestions', () => {
  expect(computeEconomicalDelay('if (a) {\n  |\n}', { kind: 'line-start' })).toBe(0);
  expect(
    computeEconomicalDelay('if (a) {\n  |\n}', {
      kind: 'line-start',
      isAccepted: false,
      requestCount: 1,
    }),
  ).toBe(0);
  expect(
    computeEconomicalDelay('if (a) {\n  |\n}', {
      kind: 'line-start',
      isAccepted: false,
      requestCount: 2,
    }),
  ).toBe(300);
  expect(
    computeEconomicalDelay('if (a) {\n  |\n}', {
      kind: 'line-start',
      isAccepted: false,
      requestCount: 20,
    }),
  ).toBe(900);
});

test('the economical policy delays a request by at most 25 ms at a word start, and longer inside a word', () => {
  expect(computeEconomicalDelay('const a = |', { kind: 'word-start' })).toBeLessThanOrEqual(25);
  expect(computeEconomicalDelay('cons|')).toBeGreaterThan(100);
  expect(computeEconomicalDelay('cons|')).toBeLessThanOrEqual(300);
});

test('the economical policy delays a request longer if the acceptance rate is low or the user deleted text', () => {
  expect(
    computeEconomicalDelay('const a = |', { kind: 'word-start', isAccepted: false }),
  ).toBeGreaterThan(2_500);
  expect(computeEconomicalDelay('cons|', { isAccepted: false })).toBeGreaterThan(2_500);
  expect(computeEconomicalDelay('const a = |', { kind: 'word-start', isDeleting: true })).toBe(300);
});

function computeBalancedDelay(
  text: string,
  { isDeleting = false, isLastAnswerEmpty = false } = {},
): number {
  const rhythm = new TypingRhythm(new ManualClock());
  if (isDeleting) rhythm.observe(createSnapshotOf(text.replace('|', 'x|')));
  rhythm.observe(createSnapshotOf(text));
  return requestPolicies.balanced.getDelayMs(createSnapshotOf(text), {
    rhythm,
    acceptance: new AcceptanceStatistics({ 'line-start': 0, 'word-start': 0, word: 0 }),
    timeToFirstTextMs: 200,
    isLastAnswerEmpty,
  });
}

test.each(['const a = |', 'call(|)', 'if (a) {\n  |\n}', '<ul>\n  |', 'one();\n\n|', '|'])(
  'the balanced policy does not delay a request where new text begins, as at %j',
  (text) => expect(computeBalancedDelay(text)).toBe(0),
);

test.each([
  ['inside a word', 'cons|', {}],
  ['on the line after a statement', 'one();\n|', {}],
  ['after a deletion', 'const a = |', { isDeleting: true }],
  ['after an empty answer on the line', 'const a = |', { isLastAnswerEmpty: true }],
])('the balanced policy waits for a pause %s', (_, text, options) =>
  expect(computeBalancedDelay(text, options)).toBe(350),
);

test('each policy prefetches the text after a visible suggestion at least as early as the next cheaper policy', () => {
  const { eager, balanced, economical } = requestPolicies;
  const delays = [0, 1, 2].map((acceptedCount) =>
    [eager, balanced, economical].map(({ getPrefetchDelayMs }) =>
      getPrefetchDelayMs(acceptedCount),
    ),
  );
  expect(delays).toEqual([
    [0, 1_000, undefined],
    [0, 0, undefined],
    [0, 0, 150],
  ]);
});
