import { expect, test } from 'vitest';
import { SavedState } from './saved-state.ts';

function createApi(state?: unknown) {
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
  const api = createApi();
  const saved = new SavedState(api);
  saved.saveDraft('c1', 'half');
  saved.saveScrollPosition('c1', { messageId: 'm4', offset: 12 });
  const next = new SavedState(api);
  expect(next.draftOf('c1')).toBe('half');
  expect(next.draftOf('c2')).toBe('');
  expect(next.scrollPositionOf('c1')).toEqual({ messageId: 'm4', offset: 12 });
  next.saveScrollPosition('c1', undefined);
  expect(new SavedState(api).scrollPositionOf('c1')).toBeUndefined();
});

test('SavedState drops the scroll positions of the least recent conversations', () => {
  const saved = new SavedState(createApi());
  for (let index = 0; index < 60; index++) {
    saved.saveScrollPosition(`c${index}`, { messageId: 'm', offset: index });
  }
  expect(saved.scrollPositionOf('c9')).toBeUndefined();
  expect(saved.scrollPositionOf('c10')).toEqual({ messageId: 'm', offset: 10 });
});

test('SavedState ignores an invalid stored state', () => {
  for (const state of [
    null,
    1,
    'x',
    [],
    { draft: 1, places: {} },
    { places: [['c', { offset: 1 }], 3] },
  ]) {
    const saved = new SavedState(createApi(state));
    expect(saved.draftOf('c')).toBe('');
    expect(saved.scrollPositionOf('c')).toBeUndefined();
  }
});
