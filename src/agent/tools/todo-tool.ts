import * as l10n from '@vscode/l10n';
import { isRecord } from '../../base/json.ts';
import type { Todo, TodoList } from '../../conversation/conversation.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import { sanitizeLine, type Tool, type ToolArguments } from '../tool.ts';

// The schemas of the conversation's messages have the same list, but they would load the schema library here.
const todoStatuses: readonly Todo['status'][] = ['open', 'active', 'done'];

export const maxTodos = 50;
const maxTodoLength = 300;

/** Change of the todo list by the user. `id` is null for an added step, and if the user clears the list. */
export interface TodoChange {
  readonly id: string | null;
  readonly action: 'write' | 'toggle' | 'remove' | 'clear';
  readonly text: string;
}

/** Creates the tool with which the model writes the todo list. The user sees the list in the chat. */
export function createTodoTool(createId: () => string): Tool {
  return {
    name: 'update_todos',
    kind: 'todo',
    description:
      'Replaces the todo list that the user sees. Use it for work of three or more steps; mark a step done at once.',
    parameters: {
      type: 'object',
      properties: {
        todos: {
          type: 'array',
          maxItems: maxTodos,
          items: {
            type: 'object',
            properties: { text: { type: 'string' }, status: { enum: [...todoStatuses] } },
            required: ['text', 'status'],
          },
        },
      },
      required: ['todos'],
    },
    plan: (args) => {
      const todos = readTodos(args);
      return Promise.resolve({
        verb: l10n.t('Edit'),
        target: `${l10n.t('Todos')}: ${countDoneTodos(todos)}/${todos.length}`,
        resources: [],
      });
    },
    run: (args, { todos }) => {
      const list = todos?.list ?? { items: [], isEditedByUser: false };
      if (todos?.isKnownToModel === false)
        return Promise.reject(
          new ToolError('changed', `Nothing was written. ${describeUserEdit(list)}`),
        );
      const items = assignIds(readTodos(args), list.items, createId);
      todos?.write({ items, isEditedByUser: false });
      const openCount = items.length - countDoneTodos(items);
      return Promise.resolve({ output: `The list has ${openCount} open steps.` });
    },
  };
}

type NewTodo = Omit<Todo, 'id'>;

/** Reads the steps from the arguments. Drops steps without text, and all steps after the first {@link maxTodos}. */
function readTodos({ todos }: ToolArguments): readonly NewTodo[] {
  return (Array.isArray(todos) ? todos : [])
    .flatMap((entry): NewTodo[] => {
      if (!isRecord(entry) || typeof entry['text'] !== 'string') return [];
      const status = todoStatuses.find((value) => value === entry['status']) ?? 'open';
      const text = sanitizeLine(entry['text'], maxTodoLength);
      return text === '' ? [] : [{ text, status }];
    })
    .slice(0, maxTodos);
}

/**
 * Adds an id to each step. A step whose text has not changed keeps its id, so that its row on the chat page keeps the
 * focus.
 */
function assignIds(
  todos: readonly NewTodo[],
  previousTodos: readonly Todo[],
  createId: () => string,
): readonly Todo[] {
  const remainingTodos = [...previousTodos];
  return todos.map((todo) => {
    const index = remainingTodos.findIndex(({ text }) => text === todo.text);
    const [knownTodo] = index === -1 ? [] : remainingTodos.splice(index, 1);
    return { id: knownTodo?.id ?? createId(), ...todo };
  });
}

const countDoneTodos = (todos: readonly NewTodo[]): number =>
  todos.filter(({ status }) => status === 'done').length;

/** Applies a change by the user. Returns the same list if the change has no effect. */
export function applyTodoChange(
  list: TodoList,
  { id, action, text }: TodoChange,
  createId: () => string,
): TodoList {
  const { items } = list;
  const index = items.findIndex((item) => item.id === id);
  const item = items[index];
  const line = sanitizeLine(text, maxTodoLength);
  const createEditedList = (changedTodos: readonly Todo[]): TodoList => ({
    items: changedTodos,
    isEditedByUser: true,
  });
  if (action === 'clear') return items.length === 0 ? list : createEditedList([]);
  if (id === null) {
    const isAdded = action === 'write' && line !== '' && items.length < maxTodos;
    return isAdded
      ? createEditedList([...items, { id: createId(), text: line, status: 'open' }])
      : list;
  }
  if (item === undefined) return list;
  if (action === 'remove' || (action === 'write' && line === ''))
    return createEditedList(items.toSpliced(index, 1));
  if (action === 'toggle')
    return createEditedList(
      items.with(index, { ...item, status: item.status === 'done' ? 'open' : 'done' }),
    );
  return line === item.text ? list : createEditedList(items.with(index, { ...item, text: line }));
}

const statusMarkers = { open: ' ', active: '>', done: 'x' } as const;

const formatTodos = ({ items }: TodoList): string =>
  items.map(({ text, status }) => `[${statusMarkers[status]}] ${text}`).join('\n');

/** Returns the section of a summary that contains the todo list unchanged; empty if the list has no steps. */
export const formatTodoSummary = (list: TodoList): string =>
  list.items.length === 0
    ? ''
    : `\n\nThe todo list ([x] done, [>] in progress):\n${formatTodos(list)}`;

/** Returns a message for the model with the todo list that the user edited. */
export const describeUserEdit = (list: TodoList): string =>
  list.items.length === 0
    ? 'The user cleared the todo list.'
    : `The user edited the todo list. It is now:\n${formatTodos(list)}`;
