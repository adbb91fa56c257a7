import { expect, test } from 'vitest';
import { SavedState } from './saved-state.ts';

function createStateApi(state?: unknown) {
  let savedState = state;
  return {
    postMessage: () => {},
    getState: () => savedState,
    setState: (next: unknown) => {
      savedState = structuredClone(next);
    },
  };
}

test('SavedState restores drafts and scroll positions after a reload', () => {
  const api = createStateApi();
  const saved = new SavedState(api);
  saved.saveDraft('c1', 'half');
  saved.saveScrollPosition('c1', { messageId: 'm4', offset: 12 });
  const next = new SavedState(api);
  expect(next.getDraft('c1')).toBe('half');
  expect(next.getDraft('c2')).toBe('');
  expect(next.getScrollPosition('c1')).toEqual({ messageId: 'm4', offset: 12 });
  next.saveScrollPosition('c1', undefined);
  expect(new SavedState(api).getScrollPosition('c1')).toBeUndefined();
});

test('SavedState restores the ten most recently edited plans', () => {
  const api = createStateApi();
  const saved = new SavedState(api);
  for (let index = 0; index < 12; index++) saved.savePlan(`m${index}`, `Plan ${index}`);
  saved.savePlan('m11', undefined);
  const next = new SavedState(api);
  expect(['m1', 'm2', 'm10', 'm11'].map((id) => next.getPlan(id))).toEqual([
    undefined,
    'Plan 2',
    'Plan 10',
    undefined,
  ]);
});

test('SavedState drops the scroll positions of the least recently scrolled conversations', () => {
  const saved = new SavedState(createStateApi());
  for (let index = 0; index < 60; index++) {
    saved.saveScrollPosition(`c${index}`, { messageId: 'm', offset: index });
  }
  expect(saved.getScrollPosition('c9')).toBeUndefined();
  expect(saved.getScrollPosition('c10')).toEqual({ messageId: 'm', offset: 10 });
});

test('SavedState ignores an invalid stored state', () => {
  for (const state of [
    null,
    1,
    'x',
    [],
    { draft: 1, places: {}, plans: 1 },
    { plans: [['c', 1], 2] },
    { places: [['c', { offset: 1 }], 3] },
  ]) {
    const saved = new SavedState(createStateApi(state));
    expect(saved.getDraft('c')).toBe('');
    expect(saved.getScrollPosition('c')).toBeUndefined();
  }
});
