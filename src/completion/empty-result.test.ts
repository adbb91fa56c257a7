import { expect, test } from 'vitest';
import { type CachedCompletion, type Completion, createAnchor } from './completion-cache.ts';
import {
  explainCachedCompletions,
  explainDelay,
  movedOnReason,
  createRuleReason,
} from './empty-result.ts';
import { createSnapshotOf } from './snapshot.fixture.ts';

const createCachedCompletion = (
  completion: Partial<Completion>,
  remainingText = completion.text ?? '',
): CachedCompletion => {
  const anchor = createAnchor(createSnapshotOf('const a = |'));
  return {
    completion: { id: 1, anchor, text: '', ...completion },
    remainingText,
    autoClosedText: '',
  };
};

test('explainCachedCompletions returns no reason without cached completions, or if the user typed all of a partial completion', () => {
  expect(explainCachedCompletions([])).toBeUndefined();
  expect(
    explainCachedCompletions([createCachedCompletion({ text: 'one();', isPartial: true }, '')]),
  ).toBeUndefined();
});

test.each([
  [
    'a typed completion',
    createCachedCompletion({ text: 'one();' }, ''),
    createRuleReason('already-typed'),
  ],
  [
    'a removed completion',
    createCachedCompletion({ filter: 'prose' }),
    { kind: 'filtered', filter: 'prose' },
  ],
  [
    'a completion that does not fit the line',
    createCachedCompletion({ text: 'one();', isPartial: true }),
    { kind: 'filtered', filter: 'does-not-fit-line' },
  ],
])('explainCachedCompletions returns the reason for %s', (_, newestCompletion, reason) => {
  const olderCompletion = createCachedCompletion({ text: 'two();' });
  expect(explainCachedCompletions([newestCompletion, olderCompletion])).toEqual(reason);
});

test('explainDelay reports a low acceptance rate for a long delay', () => {
  expect(explainDelay(3_000)).toEqual(createRuleReason('low-acceptance'));
  expect(explainDelay(900)).toEqual(movedOnReason);
});
