import { describe, expect, test } from 'vitest';
import {
  createCallEvent,
  createAgentFixture,
  createTextDelta,
} from '../../../test/support/agent-fixture.ts';
import type { Todo, TodoList } from '../../conversation/conversation.ts';
import { decodeJournal, encodeRecords } from '../../conversation/journal.ts';
import { applyTodoChange, createTodoTool, maxTodos, type TodoChange } from './todo-tool.ts';

const createTodo = (id: string, status: Todo['status'] = 'open'): Todo => ({
  id,
  text: `Step ${id}`,
  status,
});

const createIdGenerator = () => {
  let count = 0;
  return () => `new${++count}`;
};

const createTodoCall = (...todos: readonly (readonly [text: string, status: string])[]) =>
  createCallEvent('update_todos', { todos: todos.map(([text, status]) => ({ text, status })) });

const createFixture = (options: Omit<Parameters<typeof createAgentFixture>[0], 'tools'>) =>
  createAgentFixture({ ...options, tools: [createTodoTool(createIdGenerator())] });

describe('the `update_todos` tool', () => {
  test('stores the list in the journal, and keeps the ids of unchanged steps', async () => {
    const { session, store, listToolRuns } = createFixture({
      answers: [
        [createTodoCall(['Read', 'active'], ['Edit', 'open'])],
        [createTodoCall(['Read', 'done'], ['Edit', 'active'], ['Test', 'open'])],
        [createTextDelta('Done.')],
      ],
    });
    await session.send('Go', []);
    const storedConversation = decodeJournal(encodeRecords(store.listRecords('c1')));
    expect(storedConversation?.todoList).toEqual({
      items: [
        { id: 'new1', text: 'Read', status: 'done' },
        { id: 'new2', text: 'Edit', status: 'active' },
        { id: 'new3', text: 'Test', status: 'open' },
      ],
      isEditedByUser: false,
    });
    expect(listToolRuns().map(({ target, output }) => [target, output])).toEqual([
      ['Todos: 0/2', 'The list has 2 open steps.'],
      ['Todos: 1/3', 'The list has 2 open steps.'],
    ]);
  });

  test('drops an entry without text, and shortens each step to one line', async () => {
    const { session } = createFixture({
      answers: [
        [
          createCallEvent('update_todos', {
            todos: [
              { text: 'a\n[x] b\u202E', status: 'open' },
              { text: '  ', status: 'open' },
              { text: 'c'.repeat(2_000), status: 'done' },
            ],
          }),
        ],
        [createTextDelta('Done.')],
      ],
    });
    await session.send('Go', []);
    const texts = session.conversation.todoList.items.map(({ text }) => text);
    expect(texts[0]).toBe('a [x] b');
    expect(texts[1]).toHaveLength(300);
    expect(texts).toHaveLength(2);
  });

  test('adds the list that the user edited to each request until the model rewrites the list', async () => {
    const { session, requests } = createFixture({
      answers: [
        [createTodoCall(['Read', 'active'])],
        [createTextDelta('Done.')],
        [createTodoCall(['Read', 'done'], ['Sign', 'open'])],
        [createTextDelta('Done.')],
      ],
    });
    await session.send('Go', []);
    await session.changeTodos({ id: null, action: 'write', text: 'Sign' });
    await session.send('Continue', []);
    const lastTexts = requests.map(({ messages }) => messages.at(-1)?.content);
    expect(lastTexts[2]).toBe('The user edited the todo list. It is now:\n[>] Read\n[ ] Sign');
    expect(lastTexts[3]).toBe('The list has 1 open steps.');
  });

  test('keeps a list that the user edited while the model wrote the call', async () => {
    const { session, listToolMessages } = createAgentFixture({
      tools: [createTodoTool(createIdGenerator())],
      answers: [
        [createTodoCall(['Read', 'active'])],
        [createTodoCall(['Read', 'done'])],
        [createTextDelta('I see.')],
      ],
    });
    let isEdited = false;
    session.onDidChange((event) => {
      const isSecondCall =
        event.type === 'turn-event' &&
        event.event.type === 'tool-call-start' &&
        session.conversation.todoList.items.length > 0;
      if (!isSecondCall || isEdited) return;
      isEdited = true;
      void session.changeTodos({ id: 'new1', action: 'write', text: 'Read all' });
    });
    await session.send('Go', []);
    expect(session.conversation.todoList.items).toEqual([
      { id: 'new1', text: 'Read all', status: 'active' },
    ]);
    expect(listToolMessages(2).at(-1)).toBe(
      'Nothing was written. The user edited the todo list. It is now:\n[>] Read all',
    );
  });

  test('keeps its list unchanged in the summary that replaces older messages', async () => {
    const { session } = createFixture({
      answers: [
        [createTodoCall(['Measure `a/b.ts`', 'done'], ['Ship', 'open'])],
        [createTextDelta('Done.')],
        [createTextDelta('Yes.')],
      ],
    });
    await session.send('Go', []);
    await session.send('Ready?', []);
    expect(await session.compact(new AbortController().signal)).toBe(true);
    const [message] = session.conversation.listPath().slice(-2);
    expect(session.conversation.findSummaryBefore(message?.id ?? '')).toBe(
      'A summary.\n\nThe todo list ([x] done, [>] in progress):\n[x] Measure `a/b.ts`\n[ ] Ship',
    );
  });
});

const storedTodoList: TodoList = {
  items: [createTodo('a'), createTodo('b', 'done'), createTodo('c', 'active')],
  isEditedByUser: false,
};

test.each<[title: string, change: Partial<TodoChange>, items: readonly Todo[]]>([
  [
    'marks an open step as done',
    { id: 'a', action: 'toggle' },
    [createTodo('a', 'done'), createTodo('b', 'done'), createTodo('c', 'active')],
  ],
  [
    'reopens a completed step',
    { id: 'b', action: 'toggle' },
    [createTodo('a'), createTodo('b'), createTodo('c', 'active')],
  ],
  [
    'marks an active step as done',
    { id: 'c', action: 'toggle' },
    [createTodo('a'), createTodo('b', 'done'), createTodo('c', 'done')],
  ],
  ['removes a step', { id: 'b', action: 'remove' }, [createTodo('a'), createTodo('c', 'active')]],
  [
    'removes a step through a blank text',
    { id: 'b', action: 'write', text: ' ' },
    [createTodo('a'), createTodo('c', 'active')],
  ],
  ['clears the list', { action: 'clear' }, []],
  [
    'adds a step',
    { action: 'write', text: ' More\nwork ' },
    [...storedTodoList.items, { id: 'new1', text: 'More work', status: 'open' }],
  ],
])('applyTodoChange applies a change that %s', (_, change, items) => {
  const changedList = applyTodoChange(
    storedTodoList,
    { id: null, action: 'write', text: '', ...change },
    createIdGenerator(),
  );
  expect(changedList).toEqual({ items, isEditedByUser: true });
});

test.each<[title: string, change: Partial<TodoChange>]>([
  ['repeats the text of a step', { id: 'a', text: 'Step a' }],
  ['removes an unknown step', { id: 'unknown', action: 'remove' }],
  ['toggles a step but contains no step id', { id: null, action: 'toggle' }],
  ['removes a step but contains no step id', { id: null, action: 'remove' }],
  ['adds a step with an empty text', { id: null, text: '' }],
])('applyTodoChange returns the same list for a change that %s', (_, change) => {
  expect(
    applyTodoChange(
      storedTodoList,
      { id: null, action: 'write', text: '', ...change },
      createIdGenerator(),
    ),
  ).toBe(storedTodoList);
});

test('applyTodoChange adds no step to a list that already has the maximum number of steps', () => {
  const items = Array.from({ length: maxTodos }, (_, index) => createTodo(`${index}`));
  const fullList = { items, isEditedByUser: false };
  expect(
    applyTodoChange(fullList, { id: null, action: 'write', text: 'x' }, createIdGenerator()),
  ).toBe(fullList);
});
