import { beforeEach, expect, test } from 'vitest';
import type { StudioPageMessage } from '../../src/image/studio/protocol/messages.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import {
  check,
  createDraft,
  input,
  studio,
  studioModels,
} from '../../test/support/webview-page/studio-states.ts';
import { Drafts } from './drafts.ts';
import { Saved } from './saved.ts';

let clock: ManualClock;
let sent: StudioPageMessage[];
let kept: unknown;

beforeEach(() => {
  clock = new ManualClock();
  sent = [];
  kept = undefined;
});

function drafts(): Drafts {
  const api = {
    postMessage: () => {},
    getState: () => kept,
    setState: (state: unknown) => {
      kept = structuredClone(state);
    },
  };
  return new Drafts({
    post: (message) => sent.push(message),
    saved: new Saved(api),
    clock,
    onChange: () => {},
  });
}

test('combines changes within one second into a message with the next sequence number', async () => {
  const all = drafts();
  all.accept(studio());
  all.changeCreate({ prompt: 'A' });
  all.changeCreate({ prompt: 'A boat' });
  expect(sent).toEqual([]);
  await clock.advance(1_000);
  all.changeCreate({ variants: 4 });
  await clock.advance(1_000);
  expect(sent).toMatchObject([
    { type: 'create-change', seq: 1, draft: { prompt: 'A boat' } },
    { type: 'create-change', seq: 2, draft: { prompt: 'A boat', variants: 4 } },
  ]);
});

test('sends pending changes before a run', () => {
  const all = drafts();
  all.accept(studio());
  all.changeCreate({ prompt: 'A boat' });
  all.run();
  expect(sent.map(({ type }) => type)).toEqual(['create-change', 'create-run']);
  expect(clock.waiting).toBe(0);
});

test('keeps the price after text and seed changes, and hides it after other changes', async () => {
  const all = drafts();
  const state = studio();
  all.accept(state);
  expect(all.isPriced).toBe(true);
  all.changeCreate({ prompt: 'A boat', negativePrompt: 'fog', seed: 3 });
  expect(all.isPriced).toBe(true);
  all.changeCreate({ variants: 4 });
  expect(all.isPriced).toBe(false);
  await clock.advance(1_000);
  expect(all.isPriced).toBe(false);
  all.accept({ ...state, check: check({ seq: 1, priceText: '$0.04' }) });
  expect(all.isPriced).toBe(true);
});

test('ignores the price of an earlier draft', async () => {
  const all = drafts();
  const state = studio();
  all.accept(state);
  all.changeCreate({ variants: 4 });
  await clock.advance(1_000);
  all.changeCreate({ variants: 2 });
  await clock.advance(1_000);
  all.accept({ ...state, check: check({ seq: 1, priceText: '$0.04' }) });
  expect(all.isPriced).toBe(false);
});

test('replaces the draft with the host’s draft and sends it back', async () => {
  const all = drafts();
  const state = studio();
  all.accept(state);
  all.changeCreate({ prompt: 'Mine' });
  all.accept({ ...state, create: createDraft({ prompt: 'Yours' }) });
  expect(all.create?.prompt).toBe('Yours');
  await clock.advance(1_000);
  expect(sent).toMatchObject([{ type: 'create-change', draft: { prompt: 'Yours' } }]);
});

test('keeps the draft when other state changes', () => {
  const all = drafts();
  const state = studio();
  all.accept(state);
  all.changeCreate({ prompt: 'Mine' });
  all.accept({ ...state, jobs: [] });
  expect(all.create?.prompt).toBe('Mine');
});

test('switches to the edit form with the first input image', async () => {
  const all = drafts();
  const state = studio();
  all.accept(state);
  all.accept({ ...state, inputs: [input(1)] });
  expect(all.mode).toBe('edit');
  expect(all.check).toBeUndefined();
  await clock.advance(1_000);
  expect(sent).toMatchObject([{ type: 'edit-change', seq: 1 }]);
});

test('restores drafts and inputs after a restart of the host', async () => {
  const first = drafts();
  const state = studio();
  first.accept(state);
  first.changeCreate({ prompt: 'Kept' });
  first.accept({ ...state, inputs: [input(1)] });
  [sent, clock] = [[], new ManualClock()];
  const second = drafts();
  second.accept(studio({ draftsAreCurrent: false }));
  expect(second.create?.prompt).toBe('Kept');
  await clock.advance(1_000);
  expect(sent).toMatchObject([
    { type: 'inputs-set', ids: ['i1'] },
    { type: 'create-change', draft: { prompt: 'Kept' } },
  ]);
});

test('uses the drafts of the host after a reload of the page', () => {
  const first = drafts();
  first.accept(studio());
  first.changeCreate({ prompt: 'Kept' });
  const second = drafts();
  second.accept(studio({ create: createDraft({ prompt: 'Newer' }) }));
  expect(second.create?.prompt).toBe('Newer');
});

test.each([undefined, null, 'text', { create: { prompt: 1 } }, { inputs: ['../x', 3] }])(
  'ignores the invalid stored state %j',
  (state) => {
    kept = state;
    const all = drafts();
    all.accept(studio({ draftsAreCurrent: false }));
    expect(all.create).toEqual(createDraft());
    expect(sent).toEqual([]);
  },
);

test('selects the last used model in a form without a model, and keeps the texts', async () => {
  const all = drafts();
  const none = { ...studioModels(), create: [], edit: [], suggested: { create: '', edit: '' } };
  const before = studio({ models: none, create: createDraft({ model: '' }) });
  all.accept(before);
  expect(all.create?.model).toBe('');
  all.changeCreate({ prompt: 'A boat' });
  all.accept({ ...before, models: studioModels() });
  expect(all.create).toMatchObject({ model: 'harbour-pixel', prompt: 'A boat' });
  await clock.advance(1_000);
  expect(sent.at(-1)).toMatchObject({ type: 'create-change', draft: { model: 'harbour-pixel' } });
});

test('keeps a chosen model when new models arrive', () => {
  const all = drafts();
  const before = studio({ create: createDraft({ model: 'tide' }) });
  all.accept(before);
  all.accept({ ...before, models: studioModels() });
  expect(all.create?.model).toBe('tide');
});
