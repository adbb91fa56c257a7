// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import type { ModelView } from '../../src/models/protocol.ts';
import type { WebviewMessage } from '../../src/chat/protocol/page-message.ts';
import { model } from '../../test/support/webview-page/chat-states.ts';
import { ModelPicker } from './model-picker.ts';

let posted: WebviewMessage[];
let picker: ModelPicker;

beforeEach(() => {
  posted = [];
  const doNothing = (): void => {};
  picker = new ModelPicker({
    post: (message) => posted.push(message),
    onOpen: doNothing,
    onClose: doNothing,
  });
  document.body.replaceChildren(picker.element);
});

function open(models: readonly ModelView[], privateOnly: boolean): void {
  picker.update({ models, stale: null, loading: false, privateOnly }, undefined, false);
  picker.toggle();
}

const lock = (): HTMLButtonElement | null => picker.element.querySelector('.picker-lock');

test('shows a note about the setting for private models, and opens the setting', () => {
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

test('shows no note about the setting for private models while the setting is off', () => {
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
