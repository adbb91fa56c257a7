// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import type { ModelView } from '../../src/models/protocol.ts';
import type { WebviewMessage } from '../../src/chat/protocol/page-message.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { model } from '../../test/support/webview-page/chat-states.ts';
import { ModelPicker } from './model-picker.ts';

let posted: WebviewMessage[];
let picker: ModelPicker;
let clock: ManualClock;

beforeEach(() => {
  posted = [];
  clock = new ManualClock();
  const doNothing = (): void => {};
  picker = new ModelPicker({
    post: (message) => posted.push(message),
    clock,
    onOpen: doNothing,
    onClose: doNothing,
  });
  document.body.replaceChildren(picker.element);
});

function open(models: readonly ModelView[], privateOnly: boolean): void {
  picker.update(
    { models, stale: null, loading: false, retryAt: null, privateOnly },
    undefined,
    false,
  );
  picker.toggle();
}

const lock = (): HTMLButtonElement | null => picker.element.querySelector('.picker-lock');

test('ModelPicker shows a note about the setting for private models, and opens the setting', () => {
  open([model()], true);
  expect(lock()?.textContent.trim()).toBe('Private models only');
  lock()?.click();
  expect(posted.at(-1)).toEqual({
    type: 'action-run',
    messageId: null,
    action: 'open-private-setting',
  });
  expect(picker.open).toBe(false);
});

test('ModelPicker shows no note about the setting for private models while the setting is off', () => {
  open([model()], false);
  expect(lock()).toBeNull();
});

test.each([
  [true, 'The service offers no private models'],
  [false, 'The service offers no models'],
])('explains an empty list if the setting for private models is %s', (privateOnly, expected) => {
  open([], privateOnly);
  expect(picker.element.querySelector('.picker-empty')?.textContent).toBe(expected);
  expect(lock() === null).toBe(!privateOnly);
});

const wait = (): string | undefined =>
  picker.element.querySelector('.picker-wait')?.textContent.replaceAll(/\s+/gu, ' ').trim();

function openWaiting(models: readonly ModelView[], loading: boolean): void {
  const catalog = { models, stale: 'The service is busy.', loading, privateOnly: false };
  picker.update({ ...catalog, retryAt: clock.now() + 2_000 }, undefined, false);
  picker.toggle();
}

test.each([[[model()]], [[]]])(
  'ModelPicker counts down to the next attempt, and cancels the wait (list %#)',
  async (models) => {
    openWaiting(models, true);
    expect(wait()).toBe('Trying again in 2 s Cancel');
    expect(picker.element.textContent).toContain('The service is busy.');
    await clock.advance(1_000);
    expect(wait()).toBe('Trying again in 1 s Cancel');
    picker.element.querySelector<HTMLElement>('.picker-wait vscode-button')?.click();
    expect(posted.at(-1)).toEqual({ type: 'model-list-request', refresh: 'cancel' });
    await clock.advance(1_000);
    expect(wait()).toBeUndefined();
  },
);

test('ModelPicker shows the time until another refresh is possible, and no cancel button', () => {
  openWaiting([model()], false);
  expect(wait()).toBe('Try again in 2 s');
});

test('ModelPicker sets no timer after it closes', () => {
  openWaiting([model()], true);
  picker.close();
  expect(clock.pendingTimers).toBe(0);
});
