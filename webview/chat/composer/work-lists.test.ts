// @vitest-environment happy-dom
import { render } from 'lit';
import { expect, test } from 'vitest';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { renderTodoList } from './work-lists.ts';

function createList() {
  const posted: WebviewMessage[] = [];
  const root = document.createElement('div');
  document.body.replaceChildren(root);
  const todos = [{ id: 't1', text: 'Read', status: 'open' as const }];
  render(
    renderTodoList({ todos }, (message) => posted.push(message)),
    root,
  );
  const findField = (name: string): HTMLInputElement | null =>
    root.querySelector(`input[type="text"][aria-label="${name}"]`);
  return { root, posted, findField };
}

test('the todo list labels the field for a new item and the Delete button with their actions', () => {
  const { root, posted, findField } = createList();
  expect(findField('Add a todo')?.placeholder).toBe('Add a todo');
  root.querySelector<HTMLElement>('button[aria-label="Delete all todos"]')?.click();
  expect(posted).toEqual([{ type: 'todo-change', id: null, action: 'clear', text: '' }]);
});

test('a todo field restores its text on Escape, and hides the key from the page, which would stop the turn', () => {
  const { root, posted, findField } = createList();
  let reached = 0;
  root.addEventListener('keydown', () => (reached += 1));
  const field = findField('Read');
  if (field === null) return expect.fail('The field is missing.');
  field.value = 'Read all';
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  expect([field.value, reached, posted]).toEqual(['Read', 0, []]);
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
  expect(reached).toBe(1);
});

test('the todo list shows the whole text of an item in a tooltip, because a narrow field cuts it off', () => {
  const { findField } = createList();
  expect(findField('Read')?.title).toBe('Read');
  expect(findField('Add a todo')?.title).toBe('');
});
