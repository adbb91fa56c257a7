import { expect, test } from 'vitest';
import type { StudioHostMessage } from '../../src/image/studio/protocol/messages.ts';
import {
  details,
  gallery,
  image,
  images,
  job,
  studioSet,
} from '../../test/support/webview-page/studio-states.ts';
import { initialState, reduce, type State } from './store.ts';

const after = (...messages: readonly StudioHostMessage[]): State =>
  messages.reduce(reduce, initialState);

const idsOf = (state: State): string[] => state.ordered.map(({ id }) => id);

test('nothing but a whole state changes what is not there', () => {
  expect(after({ type: 'gallery-change', gallery: gallery() }).studio).toBeNull();
});

test('a new job stands first, a changed one keeps its place', () => {
  const state = after(
    studioSet({ jobs: [job({ id: 'j1' })] }),
    { type: 'job-put', job: job({ id: 'j2', status: 'running' }) },
    { type: 'job-put', job: job({ id: 'j1', status: 'failed' }) },
  );
  expect(state.studio?.jobs.map(({ id, status }) => [id, status])).toEqual([
    ['j2', 'running'],
    ['j1', 'failed'],
  ]);
});

test('pictures are newest first, in whatever order they come, and once', () => {
  const state = after(
    studioSet({ images: [image(5)] }),
    { type: 'images-put', images: [image(9), image(1)] },
    { type: 'images-put', images: [image(5, { file: 'saved' })] },
  );
  expect(idsOf(state)).toEqual(['i1', 'i5', 'i9']);
  expect(state.images.get('i5')?.file).toBe('saved');
});

test('a removed picture takes its details along', () => {
  const state = after(
    studioSet({ images: images(2) }),
    { type: 'image-details', details: details({ id: 'i0' }) },
    { type: 'images-remove', ids: ['i0', 'unknown'] },
  );
  expect(idsOf(state)).toEqual(['i1']);
  expect(state.details).toBeNull();
});

test('a whole state forgets what was before', () => {
  const state = after(studioSet({ images: images(3) }), studioSet({ images: [image(7)] }));
  expect(idsOf(state)).toEqual(['i7']);
});
