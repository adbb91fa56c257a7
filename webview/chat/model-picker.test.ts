// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import type { ModelView } from '../../src/models/protocol.ts';
import type { WebviewMessage } from '../../src/chat/protocol/page-message.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { createModelView } from '../../test/support/webview-page/chat-states.ts';
import { ModelPicker } from './model-picker.ts';

let postedMessages: WebviewMessage[];
let picker: ModelPicker;
let clock: ManualClock;

beforeEach(() => {
  postedMessages = [];
  clock = new ManualClock();
  const doNothing = (): void => {};
  picker = new ModelPicker({
    post: (message) => postedMessages.push(message),
    clock,
    onOpen: doNothing,
    onClose: doNothing,
  });
  document.body.replaceChildren(picker.element);
});

function openPicker(models: readonly ModelView[], isPrivateOnly: boolean): void {
  picker.update(
    { models, stale: null, loading: false, retryAt: null, privateOnly: isPrivateOnly },
    undefined,
    false,
  );
  picker.toggle();
}

const findPrivateOnlyNote = (): HTMLButtonElement | null =>
  picker.element.querySelector('.picker-lock');

test('ModelPicker shows a note about the setting for private models, and opens the setting', () => {
  openPicker([createModelView()], true);
  expect(findPrivateOnlyNote()?.textContent.trim()).toBe('Private models only');
  findPrivateOnlyNote()?.click();
  expect(postedMessages.at(-1)).toEqual({
    type: 'action-run',
    messageId: null,
    action: 'open-private-setting',
  });
  expect(picker.isOpen).toBe(false);
});

test('ModelPicker shows no note about the setting for private models while the setting is off', () => {
  openPicker([createModelView()], false);
  expect(findPrivateOnlyNote()).toBeNull();
});

test.each([
  ['on', true, 'The service offers no private models'],
  ['off', false, 'The service offers no models to this account.'],
])(
  'ModelPicker explains an empty list if the setting for private models is %s',
  (_state, isPrivateOnly, expected) => {
    openPicker([], isPrivateOnly);
    expect(picker.element.querySelector('.picker-empty')?.textContent).toBe(expected);
    expect(findPrivateOnlyNote() === null).toBe(!isPrivateOnly);
  },
);

const getWaitText = (): string | undefined =>
  picker.element.querySelector('.picker-wait')?.textContent.replaceAll(/\s+/gu, ' ').trim();

function openWaitingPicker(models: readonly ModelView[], isLoading: boolean): void {
  const catalog = { models, stale: 'The service is busy.', loading: isLoading, privateOnly: false };
  picker.update({ ...catalog, retryAt: clock.now() + 2_000 }, undefined, false);
  picker.toggle();
}

test.each([[[createModelView()]], [[]]])(
  'ModelPicker counts down to the next attempt to load the list, and has a button that cancels the wait (list %#)',
  async (models) => {
    openWaitingPicker(models, true);
    expect(getWaitText()).toBe('Trying again in 2 s Cancel');
    expect(picker.element.textContent).toContain('The service is busy.');
    await clock.advance(1_000);
    expect(getWaitText()).toBe('Trying again in 1 s Cancel');
    picker.element.querySelector<HTMLElement>('.picker-wait vscode-button')?.click();
    expect(postedMessages.at(-1)).toEqual({ type: 'model-list-request', refresh: 'cancel' });
    await clock.advance(1_000);
    expect(getWaitText()).toBeUndefined();
  },
);

test('ModelPicker shows the time until the user can refresh the list again, and no Cancel button', () => {
  openWaitingPicker([createModelView()], false);
  expect(getWaitText()).toBe('Try again in 2 s');
});

test('ModelPicker sets no timer after it closes', () => {
  openWaitingPicker([createModelView()], true);
  picker.close();
  expect(clock.pendingTimerCount).toBe(0);
});

test('ModelPicker shows a title while the user selects a model for a retry, but not while the user selects the model of the chat', () => {
  const readTitle = (): string | undefined =>
    picker.element.querySelector('.picker-title')?.textContent.trim();
  openPicker([createModelView()], false);
  expect(readTitle()).toBeUndefined();
  picker.close();
  picker.toggle(() => {});
  expect(readTitle()).toBe('Retry with another model');
  picker.close();
  picker.toggle();
  expect(readTitle()).toBeUndefined();
});

test.each([
  ['even without tools', 'needs no tools', false, 'text-only'],
  ['with tools', 'needs tools', true, 'tools'],
])(
  'ModelPicker preselects for a retry the first other available model, %s, if the mode %s',
  (_model, _mode, needsTools, expected) => {
    const chosenIds: string[] = [];
    const models = [
      createModelView({ id: 'current', capabilities: ['tools'] }),
      createModelView({ id: 'offline', capabilities: ['tools'], offline: true }),
      createModelView({ id: 'text-only', capabilities: [] }),
      createModelView({ id: 'tools', capabilities: ['tools'] }),
    ];
    const catalog = { models, stale: null, loading: false, retryAt: null, privateOnly: false };
    picker.update(catalog, 'current', needsTools);
    picker.toggle((id) => chosenIds.push(id));
    picker.element
      .querySelector('input')
      ?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    expect(chosenIds).toEqual([expected]);
  },
);
