import { expect, test } from 'vitest';
import { Saved } from './saved.ts';

function createApi(state?: unknown) {
  let kept = state;
  return {
    postMessage: () => {},
    getState: () => kept,
    setState: (next: unknown) => {
      kept = structuredClone(next);
    },
  };
}

test('drafts and places are read back by the next load', () => {
  const api = createApi();
  const saved = new Saved(api);
  saved.keepDraft('c1', 'half');
  saved.keepPlace('c1', { messageId: 'm4', offset: 12 });
  const next = new Saved(api);
  expect(next.draftOf('c1')).toBe('half');
  expect(next.draftOf('c2')).toBe('');
  expect(next.placeOf('c1')).toEqual({ messageId: 'm4', offset: 12 });
  next.keepPlace('c1', undefined);
  expect(new Saved(api).placeOf('c1')).toBeUndefined();
});

test('places of the conversations left longest ago are forgotten', () => {
  const saved = new Saved(createApi());
  for (let index = 0; index < 60; index++) {
    saved.keepPlace(`c${index}`, { messageId: 'm', offset: index });
  }
  expect(saved.placeOf('c9')).toBeUndefined();
  expect(saved.placeOf('c10')).toEqual({ messageId: 'm', offset: 10 });
});

test('what is no state of ours is nothing', () => {
  for (const state of [
    null,
    1,
    'x',
    [],
    { draft: 1, places: {} },
    { places: [['c', { offset: 1 }], 3] },
  ]) {
    const saved = new Saved(createApi(state));
    expect(saved.draftOf('c')).toBe('');
    expect(saved.placeOf('c')).toBeUndefined();
  }
});
