import { expect, test } from 'vitest';
import { Saved } from './saved.ts';

function load(state: unknown): Saved {
  let kept = state;
  return new Saved({
    postMessage: () => {},
    getState: () => kept,
    setState: (next) => {
      kept = next;
    },
  });
}

const nothing = load(undefined).kept;

test.each([
  null,
  'x',
  { section: 'x', inputs: 7, picture: 'x', query: [], scroll: { page: 'x', gallery: -4 } },
  { picture: { id: '../a', among: ['b'] }, query: { text: 7 }, scroll: { results: Infinity } },
])('what was kept by something else counts for nothing: %j', (state) =>
  expect(load(state).kept).toEqual(nothing),
);

test('ids that are none are left out of what Previous and Next go through', () => {
  const { picture } = load({ picture: { id: 'b', among: ['a', '<x>', 7, 'b'] } }).kept;
  expect(picture).toEqual({ id: 'b', among: ['a', 'b'] });
});

test('of a large gallery the neighbours of the image are kept', () => {
  const saved = load(undefined);
  const among = Array.from({ length: 2_000 }, (_, at) => `i${at}`);
  saved.keepPicture({ id: 'i1000', among });
  const { picture } = saved.kept;
  expect(picture?.among).toHaveLength(201);
  expect([picture?.among[0], picture?.among[100], picture?.among.at(-1)]).toEqual([
    'i900',
    'i1000',
    'i1100',
  ]);
  saved.keepPicture({ id: 'i3', among: ['i2', 'i3'] });
  expect(saved.kept.picture).toEqual({ id: 'i3', among: ['i2', 'i3'] });
  saved.keepPicture(undefined);
  expect(saved.kept.picture).toBeUndefined();
});
