import { expect, test } from 'vitest';
import { createRows, getNextIndex } from './gallery-layout.ts';

// Each row has three square images: 0 1 2 / 3 4 5 / 6 7 8 / 9 10
const rows = createRows(
  Array.from({ length: 11 }, () => ({ width: 1, height: 1 })),
  { width: 300, rowHeight: 100, gap: 0 },
);

test.each([
  [4, 'ArrowRight', 5],
  [5, 'ArrowRight', 6],
  [10, 'ArrowRight', 10],
  [0, 'ArrowLeft', 0],
  [3, 'ArrowLeft', 2],
  [4, 'ArrowDown', 7],
  [4, 'ArrowUp', 1],
  [1, 'ArrowUp', 1],
  [10, 'ArrowDown', 10],
  [8, 'ArrowDown', 10],
  [4, 'Home', 3],
  [4, 'End', 5],
  [0, 'PageDown', 9],
  [10, 'PageUp', 1],
])(
  'in rows of three images, getNextIndex returns for index %i and the key %s the index %i',
  (index, key, nextIndex) => {
    expect(getNextIndex(rows, index, { key, ctrlKey: false, metaKey: false })).toBe(nextIndex);
  },
);

test.each(['a', 'Enter'])('getNextIndex returns no index for the key %s', (key) => {
  expect(getNextIndex(rows, 4, { key, ctrlKey: false, metaKey: false })).toBeUndefined();
});

test.each([
  ['Home', 'first', 0],
  ['End', 'last', 10],
])('getNextIndex moves with Ctrl+%s to the %s image of the grid', (key, _, nextIndex) => {
  expect(getNextIndex(rows, 4, { key, ctrlKey: true, metaKey: false })).toBe(nextIndex);
  expect(getNextIndex(rows, 4, { key, ctrlKey: false, metaKey: true })).toBe(nextIndex);
});
