import { expect, test } from 'vitest';
import { SavedStudio } from './saved.ts';

function loadState(state: unknown): SavedStudio {
  let storedState = state;
  return new SavedStudio({
    postMessage: () => {},
    getState: () => storedState,
    setState: (newState) => {
      storedState = newState;
    },
  });
}

const emptyState = loadState(undefined).state;

test.each([
  ['is null', null],
  ['is a text', 'x'],
  [
    'contains invalid values',
    { section: 'x', inputs: 7, picture: 'x', query: [], scroll: { page: 'x', gallery: -4 } },
  ],
  [
    'contains objects with invalid values',
    { picture: { id: '../a', among: ['b'] }, query: { text: 7 }, scroll: { results: Infinity } },
  ],
])('SavedStudio ignores persisted state that %s', (_, state) =>
  expect(loadState(state).state).toEqual(emptyState),
);

test('SavedStudio drops invalid ids from the list for Previous and Next', () => {
  const { state } = loadState({ picture: { id: 'b', among: ['a', '<x>', 7, 'b'] } });
  expect(state.picture).toEqual({ id: 'b', among: ['a', 'b'] });
});

test('SavedStudio stores at most a hundred images on each side of the image in the large view', () => {
  const savedStudio = loadState(undefined);
  const ids = Array.from({ length: 2_000 }, (_, index) => `i${index}`);
  savedStudio.saveImage({ id: 'i1000', among: ids });
  const { picture: image } = savedStudio.state;
  expect(image?.among).toHaveLength(201);
  expect([image?.among[0], image?.among[100], image?.among.at(-1)]).toEqual([
    'i900',
    'i1000',
    'i1100',
  ]);
  savedStudio.saveImage({ id: 'i3', among: ['i2', 'i3'] });
  expect(savedStudio.state.picture).toEqual({ id: 'i3', among: ['i2', 'i3'] });
  savedStudio.saveImage(undefined);
  expect(savedStudio.state.picture).toBeUndefined();
});
