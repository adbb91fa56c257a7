import { expect, test } from 'vitest';
import { SavedState } from './saved-state.ts';

function createStateApi(state?: unknown) {
  let savedState = state;
  return {
    postMessage: () => {},
    getState: () => savedState,
    setState: (newState: unknown) => {
      savedState = structuredClone(newState);
    },
  };
}

test('SavedState restores drafts and scroll positions after a reload', () => {
  const api = createStateApi();
  const savedState = new SavedState(api);
  savedState.saveDraft('c1', 'half', 'h');
  savedState.saveScrollPosition('c1', { messageId: 'm4', offset: 12 });
  const reloadedState = new SavedState(api);
  expect(reloadedState.getDraft('c1')).toMatchObject({ text: 'half', hostText: 'h' });
  expect(reloadedState.getDraft('c2')).toEqual({ conversation: '', text: '' });
  expect(reloadedState.getScrollPosition('c1')).toEqual({ messageId: 'm4', offset: 12 });
  reloadedState.saveScrollPosition('c1', undefined);
  expect(new SavedState(api).getScrollPosition('c1')).toBeUndefined();
});

test('SavedState restores the ten most recently edited texts', () => {
  const api = createStateApi();
  const savedState = new SavedState(api);
  for (let index = 0; index < 12; index++) savedState.saveEditedText(`m${index}`, `Plan ${index}`);
  savedState.saveEditedText('m11', undefined);
  const reloadedState = new SavedState(api);
  expect(['m1', 'm2', 'm10', 'm11'].map((id) => reloadedState.getEditedText(id))).toEqual([
    undefined,
    'Plan 2',
    'Plan 10',
    undefined,
  ]);
});

test('SavedState drops the scroll positions of the least recently scrolled conversations', () => {
  const savedState = new SavedState(createStateApi());
  for (let index = 0; index < 60; index++) {
    savedState.saveScrollPosition(`c${index}`, { messageId: 'm', offset: index });
  }
  expect(savedState.getScrollPosition('c9')).toBeUndefined();
  expect(savedState.getScrollPosition('c10')).toEqual({ messageId: 'm', offset: 10 });
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
    const savedState = new SavedState(createStateApi(state));
    expect(savedState.getDraft('c').text).toBe('');
    expect(savedState.getScrollPosition('c')).toBeUndefined();
  }
});
