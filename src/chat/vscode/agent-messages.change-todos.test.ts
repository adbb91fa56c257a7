import { beforeEach, expect, test, vi } from 'vitest';
import type { Todo, TodoList } from '../../conversation/conversation.ts';
import { maxTodos } from '../../agent/tools/todo-tool.ts';
import { changeTodos } from './agent-messages.ts';

const dialog = vi.hoisted(() => ({
  answer: undefined as string | undefined,
  messages: [] as string[],
  onShow: (): void => {},
}));

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  window: {
    showInformationMessage: async (message: string) => {
      dialog.messages.push(message);
      dialog.onShow();
      return dialog.answer;
    },
  },
}));

const createTodoList = (...texts: readonly string[]): TodoList => ({
  items: texts.map((text): Todo => ({ id: text, text, status: 'open' })),
  isEditedByUser: false,
});

/** Fake chat session whose todo list becomes empty with every change. */
class ClearingSession {
  conversation: { todoList: TodoList };

  constructor(todoList: TodoList) {
    this.conversation = { todoList };
  }

  async changeTodos(): Promise<void> {
    await this.setTodos(createTodoList());
  }

  async setTodos(todoList: TodoList): Promise<void> {
    this.conversation = { todoList };
  }
}

type TodoSession = Parameters<typeof changeTodos>[0];

async function clearTodos(session: ClearingSession): Promise<readonly string[]> {
  await changeTodos(session as unknown as TodoSession, { id: null, action: 'clear', text: '' });
  return session.conversation.todoList.items.map(({ text }) => text);
}

beforeEach(() => {
  dialog.answer = undefined;
  dialog.messages.length = 0;
  dialog.onShow = () => {};
});

test('changeTodos clears the todo list without a confirmation', async () => {
  expect(await clearTodos(new ClearingSession(createTodoList('Read', 'Write')))).toEqual([]);
  expect(dialog.messages).toHaveLength(1);
});

test('changeTodos restores a cleared todo list on Undo, and keeps todos that were added meanwhile', async () => {
  const session = new ClearingSession(createTodoList('Read', 'Write'));
  dialog.answer = 'Undo';
  dialog.onShow = () => {
    session.conversation = { todoList: createTodoList('Test') };
  };
  expect(await clearTodos(session)).toEqual(['Read', 'Write', 'Test']);
});

test('changeTodos restores each todo only once, and no more todos than a model can create', async () => {
  const texts = Array.from({ length: maxTodos }, (_, index) => `Step ${index}`);
  const session = new ClearingSession(createTodoList(...texts));
  dialog.answer = 'Undo';
  dialog.onShow = () => {
    session.conversation = { todoList: createTodoList('Step 0', 'Test', 'Release') };
  };
  expect(await clearTodos(session)).toEqual([...texts.slice(1), 'Step 0']);
});

test('changeTodos shows no notification for an empty todo list', async () => {
  await clearTodos(new ClearingSession(createTodoList()));
  expect(dialog.messages).toEqual([]);
});
