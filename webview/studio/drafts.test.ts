import { beforeEach, expect, test } from 'vitest';
import type { StudioPageMessage } from '../../src/image/studio/protocol/messages.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import {
  createStudioCheck,
  createDraft,
  createInputImage,
  createStudioState,
  createStudioModels,
} from '../../test/support/webview-page/studio-states.ts';
import { Drafts } from './drafts.ts';
import { SavedStudio } from './saved.ts';

let clock: ManualClock;
let postedMessages: StudioPageMessage[];
let storedState: unknown;

beforeEach(() => {
  clock = new ManualClock();
  postedMessages = [];
  storedState = undefined;
});

function createDrafts(): Drafts {
  const api = {
    postMessage: () => {},
    getState: () => storedState,
    setState: (state: unknown) => {
      storedState = structuredClone(state);
    },
  };
  return new Drafts({
    post: (message) => postedMessages.push(message),
    savedState: new SavedStudio(api),
    clock,
    onChange: () => {},
  });
}

test('Drafts combines changes in quick succession into one message with the next sequence number', async () => {
  const drafts = createDrafts();
  drafts.applyStudio(createStudioState());
  drafts.changeCreateDraft({ prompt: 'A' });
  drafts.changeCreateDraft({ prompt: 'A boat' });
  expect(postedMessages).toEqual([]);
  await clock.advance(1_000);
  drafts.changeCreateDraft({ variants: 4 });
  await clock.advance(1_000);
  expect(postedMessages).toMatchObject([
    { type: 'create-change', seq: 1, draft: { prompt: 'A boat' } },
    { type: 'create-change', seq: 2, draft: { prompt: 'A boat', variants: 4 } },
  ]);
});

test('Drafts sends pending changes before the message that starts a job', () => {
  const drafts = createDrafts();
  drafts.applyStudio(createStudioState());
  drafts.changeCreateDraft({ prompt: 'A boat' });
  drafts.startJob();
  expect(postedMessages.map(({ type }) => type)).toEqual(['create-change', 'create-run']);
  expect(clock.pendingTimerCount).toBe(0);
});

test('Drafts treats the price as current after changes of the texts or the seed, but not after other changes', async () => {
  const drafts = createDrafts();
  const state = createStudioState();
  drafts.applyStudio(state);
  expect(drafts.isPriceCurrent).toBe(true);
  drafts.changeCreateDraft({ prompt: 'A boat', negativePrompt: 'fog', seed: 3 });
  expect(drafts.isPriceCurrent).toBe(true);
  drafts.changeCreateDraft({ variants: 4 });
  expect(drafts.isPriceCurrent).toBe(false);
  await clock.advance(1_000);
  expect(drafts.isPriceCurrent).toBe(false);
  drafts.applyStudio({ ...state, check: createStudioCheck({ seq: 1, priceText: '$0.04' }) });
  expect(drafts.isPriceCurrent).toBe(true);
});

test('Drafts does not show the price of an earlier draft as current', async () => {
  const drafts = createDrafts();
  const state = createStudioState();
  drafts.applyStudio(state);
  drafts.changeCreateDraft({ variants: 4 });
  await clock.advance(1_000);
  drafts.changeCreateDraft({ variants: 2 });
  await clock.advance(1_000);
  drafts.applyStudio({ ...state, check: createStudioCheck({ seq: 1, priceText: '$0.04' }) });
  expect(drafts.isPriceCurrent).toBe(false);
});

test('Drafts replaces the draft with a new draft from the host, and sends the new draft for a check', async () => {
  const drafts = createDrafts();
  const state = createStudioState();
  drafts.applyStudio(state);
  drafts.changeCreateDraft({ prompt: 'Mine' });
  drafts.applyStudio({ ...state, create: createDraft({ prompt: 'Yours' }) });
  expect(drafts.create?.prompt).toBe('Yours');
  await clock.advance(1_000);
  expect(postedMessages).toMatchObject([{ type: 'create-change', draft: { prompt: 'Yours' } }]);
});

test('Drafts keeps the user’s draft when unrelated state changes', () => {
  const drafts = createDrafts();
  const state = createStudioState();
  drafts.applyStudio(state);
  drafts.changeCreateDraft({ prompt: 'Mine' });
  drafts.applyStudio({ ...state, jobs: [] });
  expect(drafts.create?.prompt).toBe('Mine');
});

test('Drafts switches to the edit form when the first input image arrives', async () => {
  const drafts = createDrafts();
  const state = createStudioState();
  drafts.applyStudio(state);
  drafts.applyStudio({ ...state, inputs: [createInputImage(1)] });
  expect(drafts.mode).toBe('edit');
  expect(drafts.check).toBeUndefined();
  await clock.advance(1_000);
  expect(postedMessages).toMatchObject([{ type: 'edit-change', seq: 1 }]);
});

test('Drafts restores drafts and input images after a restart of the host', async () => {
  const draftsBeforeRestart = createDrafts();
  const state = createStudioState();
  draftsBeforeRestart.applyStudio(state);
  draftsBeforeRestart.changeCreateDraft({ prompt: 'Kept' });
  draftsBeforeRestart.applyStudio({ ...state, inputs: [createInputImage(1)] });
  [postedMessages, clock] = [[], new ManualClock()];
  const draftsAfterRestart = createDrafts();
  draftsAfterRestart.applyStudio(createStudioState({ hasCurrentDrafts: false }));
  expect(draftsAfterRestart.create?.prompt).toBe('Kept');
  await clock.advance(1_000);
  expect(postedMessages).toMatchObject([
    { type: 'inputs-set', ids: ['i1'] },
    { type: 'create-change', draft: { prompt: 'Kept' } },
  ]);
});

test('Drafts prefers the host’s drafts to the persisted drafts after a reload of the page', () => {
  const draftsBeforeRestart = createDrafts();
  draftsBeforeRestart.applyStudio(createStudioState());
  draftsBeforeRestart.changeCreateDraft({ prompt: 'Kept' });
  const draftsAfterRestart = createDrafts();
  draftsAfterRestart.applyStudio(createStudioState({ create: createDraft({ prompt: 'Newer' }) }));
  expect(draftsAfterRestart.create?.prompt).toBe('Newer');
});

test.each([undefined, null, 'text', { create: { prompt: 1 } }, { inputs: ['../x', 3] }])(
  'Drafts ignores the invalid stored state %j',
  (state) => {
    storedState = state;
    const drafts = createDrafts();
    drafts.applyStudio(createStudioState({ hasCurrentDrafts: false }));
    expect(drafts.create).toEqual(createDraft());
    expect(postedMessages).toEqual([]);
  },
);

test('Drafts selects the last used model in a form without a model, and keeps the texts', async () => {
  const drafts = createDrafts();
  const emptyModels = {
    ...createStudioModels(),
    create: [],
    edit: [],
    suggested: { create: '', edit: '' },
  };
  const initialStudio = createStudioState({
    models: emptyModels,
    create: createDraft({ model: '' }),
  });
  drafts.applyStudio(initialStudio);
  expect(drafts.create?.model).toBe('');
  drafts.changeCreateDraft({ prompt: 'A boat' });
  drafts.applyStudio({ ...initialStudio, models: createStudioModels() });
  expect(drafts.create).toMatchObject({ model: 'harbour-pixel', prompt: 'A boat' });
  await clock.advance(1_000);
  expect(postedMessages.at(-1)).toMatchObject({
    type: 'create-change',
    draft: { model: 'harbour-pixel' },
  });
});

test('Drafts keeps a chosen model when new models arrive', () => {
  const drafts = createDrafts();
  const initialStudio = createStudioState({ create: createDraft({ model: 'tide' }) });
  drafts.applyStudio(initialStudio);
  drafts.applyStudio({ ...initialStudio, models: createStudioModels() });
  expect(drafts.create?.model).toBe('tide');
});
