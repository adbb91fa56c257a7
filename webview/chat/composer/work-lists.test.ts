// @vitest-environment happy-dom
import { render } from 'lit';
import { expect, test } from 'vitest';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { renderQueuedMessages, renderTodoList } from './work-lists.ts';

function renderTodoElement() {
  const postedMessages: WebviewMessage[] = [];
  const root = document.createElement('div');
  document.body.replaceChildren(root);
  const todos = [{ id: 't1', text: 'Read', status: 'open' as const }];
  render(
    renderTodoList({ todos }, (message) => postedMessages.push(message)),
    root,
  );
  const findField = (name: string): HTMLTextAreaElement | null =>
    root.querySelector(`textarea[aria-label="${name}"]`);
  return { root, postedMessages, findField };
}

test('the todo list labels the field for a new item and the Delete button with their actions', () => {
  const { root, postedMessages, findField } = renderTodoElement();
  expect(findField('Add a todo')?.placeholder).toBe('Add a todo');
  root.querySelector<HTMLElement>('button[aria-label="Delete all todos"]')?.click();
  expect(postedMessages).toEqual([{ type: 'todo-change', id: null, action: 'clear', text: '' }]);
});

test('a todo field restores its text on Escape, and stops the propagation of the key, which would stop the turn', () => {
  const { root, postedMessages, findField } = renderTodoElement();
  let keydownCount = 0;
  root.addEventListener('keydown', () => (keydownCount += 1));
  const field = findField('Read');
  if (field === null) return expect.fail('The field is missing.');
  field.value = 'Read all';
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  expect([field.value, keydownCount, postedMessages]).toEqual(['Read', 0, []]);
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
  expect(keydownCount).toBe(1);
});

test('a todo field saves its text as one line when the user presses Enter', () => {
  const { postedMessages, findField } = renderTodoElement();
  const field = findField('Read');
  if (field === null) return expect.fail('The field is missing.');
  field.value = 'Read all\nfiles ';
  const event = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true });
  field.dispatchEvent(event);
  expect(event.defaultPrevented).toBe(true);
  expect(postedMessages).toMatchObject([{ id: 't1', action: 'write', text: 'Read all files' }]);
});

test.each([
  ['shows why its messages wait', 'held', true, 'The turn ended early'],
  ['shows no reason', 'not held', false, ''],
])('the queue %s if the messages are %s', (_result, _state, isHeld, expected) => {
  const root = document.createElement('div');
  const queuedMessages = [{ id: 'q1', text: 'Then test', isUrgent: false, isHeld }];
  render(
    renderQueuedMessages({ queued: queuedMessages, streaming: null }, () => {}),
    root,
  );
  expect(root.querySelector('.note')?.textContent.trim() ?? '').toContain(expected);
  expect(root.querySelectorAll('.note')).toHaveLength(isHeld ? 1 : 0);
});
