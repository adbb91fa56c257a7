import { expect, test } from 'vitest';
import type { StudioHostMessage } from '../../src/image/studio/protocol/messages.ts';
import {
  createImageDetails,
  createGalleryView,
  createImageView,
  createImageViews,
  createStudioJob,
  createStudioSetMessage,
} from '../../test/support/webview-page/studio-states.ts';
import { initialState, reduceState, type State } from './store.ts';

const applyMessages = (...messages: readonly StudioHostMessage[]): State =>
  messages.reduce(reduceState, initialState);

const listIds = (state: State): string[] => state.orderedImages.map(({ id }) => id);

test('reduceState ignores changes before the first complete state', () => {
  expect(applyMessages({ type: 'gallery-change', gallery: createGalleryView() }).studio).toBeNull();
});

test('reduceState puts a new job first and updates a changed job in place', () => {
  const state = applyMessages(
    createStudioSetMessage({ jobs: [createStudioJob({ id: 'j1' })] }),
    { type: 'job-put', job: createStudioJob({ id: 'j2', status: 'running' }) },
    { type: 'job-put', job: createStudioJob({ id: 'j1', status: 'failed' }) },
  );
  expect(state.studio?.jobs.map(({ id, status }) => [id, status])).toEqual([
    ['j2', 'running'],
    ['j1', 'failed'],
  ]);
});

test('reduceState lists each image once, newest first, regardless of the order of messages', () => {
  const state = applyMessages(
    createStudioSetMessage({ images: [createImageView(5)] }),
    { type: 'images-put', images: [createImageView(9), createImageView(1)] },
    { type: 'images-put', images: [createImageView(5, { file: 'saved' })] },
  );
  expect(listIds(state)).toEqual(['i1', 'i5', 'i9']);
  expect(state.images.get('i5')?.file).toBe('saved');
});

test('reduceState removes the details together with their image', () => {
  const state = applyMessages(
    createStudioSetMessage({ images: createImageViews(2) }),
    { type: 'image-details', details: createImageDetails({ id: 'i0' }) },
    { type: 'images-remove', ids: ['i0', 'unknown'] },
  );
  expect(listIds(state)).toEqual(['i1']);
  expect(state.details).toBeNull();
});

test('reduceState replaces all images when a complete state arrives', () => {
  const state = applyMessages(
    createStudioSetMessage({ images: createImageViews(3) }),
    createStudioSetMessage({ images: [createImageView(7)] }),
  );
  expect(listIds(state)).toEqual(['i7']);
});

test('reduceState ignores messages of unknown types', () => {
  const startState = applyMessages(createStudioSetMessage());
  for (const type of ['unknown', 'constructor', '__proto__', 'toString']) {
    expect(reduceState(startState, { type } as unknown as StudioHostMessage)).toBe(startState);
  }
});
