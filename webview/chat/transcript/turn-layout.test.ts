import { describe, expect, test } from 'vitest';
import type { ToolCallView } from '../../../src/agent/protocol.ts';
import type { MessageView } from '../../../src/chat/protocol/view-state.ts';
import {
  createChangesView,
  failureView,
  createMessageView,
  createRequestView,
  answerStats,
  createToolCallView,
} from '../../../test/support/webview-page/chat-states.ts';
import { isSameLayout, createLayouts, type MessageLayout } from './turn-layout.ts';

const createReadCall = (id: string): ToolCallView => createToolCallView({ id });
const createEditCall = (id: string): ToolCallView =>
  createToolCallView({ id, name: 'edit_file', readOnly: false });
const createDelegatedCall = (id: string, costUsd: number): ToolCallView =>
  createToolCallView({
    id,
    name: 'delegate',
    delegated: { model: 'Small One', steps: [], stats: { ...answerStats, costUsd } },
  });
const createAnswer = (id: string, toolCalls: ToolCallView[], change: Partial<MessageView> = {}) =>
  createMessageView({ id, toolCalls, ...change });

const layOutMessages = (messages: MessageView[], openKeys: string[] = []): MessageLayout[] =>
  createLayouts(messages, { changes: [], openGroupKeys: new Set(openKeys) });

/** Describes the rows of each message: the id of a single call, or the number of calls of a group. */
const describeRows = (messages: MessageView[], openKeys: string[] = []): string[] =>
  layOutMessages(messages, openKeys).map(({ rows, isHidden }, index) =>
    isHidden
      ? 'hidden'
      : rows
          .map((row) =>
            row.kind === 'group'
              ? `<${row.group.calls.length}>`
              : (messages[index]?.toolCalls[row.index]?.id ?? ''),
          )
          .join(' '),
  );

describe('delegated tasks', () => {
  test('have separate rows and do not join a group of read-only calls', () => {
    const calls = [createDelegatedCall('1', 1), createDelegatedCall('2', 2), createReadCall('3')];
    expect(describeRows([createAnswer('a', calls)])).toEqual(['1 2 3']);
  });

  test('add their usage to the turn', () => {
    const messages = [
      createRequestView('q1', 'Find it.'),
      createAnswer('a', [createDelegatedCall('1', 0.25)], {
        stats: { ...answerStats, costUsd: 0.5 },
      }),
      createAnswer('b', [], { stats: { ...answerStats, costUsd: 1 } }),
    ];
    expect(
      layOutMessages(messages)
        .at(-1)
        ?.stats.map(({ costUsd }) => costUsd),
    ).toEqual([0.5, 0.25, 1]);
  });
});

describe('read-only calls', () => {
  test.each<[string, MessageView[], string[]]>([
    [
      'several calls of one answer form a group',
      [createAnswer('a', [createReadCall('1'), createReadCall('2'), createReadCall('3')])],
      ['<3>'],
    ],
    ['a single call forms no group', [createAnswer('a', [createReadCall('1')])], ['1']],
    [
      'an edit ends the group',
      [
        createAnswer('a', [
          createReadCall('1'),
          createReadCall('2'),
          createEditCall('3'),
          createReadCall('4'),
        ]),
      ],
      ['<2> 3 4'],
    ],
    [
      'calls of consecutive answers form one group',
      [
        createAnswer('a', [createReadCall('1')]),
        createAnswer('b', [createReadCall('2'), createReadCall('3')]),
        createAnswer('c', [createReadCall('4')]),
      ],
      ['<4>', 'hidden', ''],
    ],
    [
      'text starts a new group',
      [
        createAnswer('a', [createReadCall('1')]),
        createAnswer('b', [createReadCall('2')], { text: 'Hm' }),
        createAnswer('c', [createReadCall('3')]),
      ],
      ['1', '<2>', ''],
    ],
    [
      'a user message ends the group',
      [
        createAnswer('a', [createReadCall('1')]),
        createRequestView('u', 'Hi'),
        createAnswer('b', [createReadCall('2')]),
      ],
      ['1', '', '2'],
    ],
    [
      'a summary ends the group',
      [
        createAnswer('a', [createReadCall('1')]),
        createAnswer('b', [createReadCall('2')], { summary: 'S' }),
      ],
      ['1', '2'],
    ],
    [
      'a failure ends the group',
      [
        createAnswer('a', [createReadCall('1')], { failure: failureView, status: 'failed' }),
        createAnswer('b', [createReadCall('2')]),
      ],
      ['1', '2'],
    ],
    [
      'a failed call ends the group',
      [
        createAnswer('a', [
          createReadCall('1'),
          createToolCallView({ id: '2', status: 'failed' }),
          createReadCall('3'),
        ]),
      ],
      ['1 2 3'],
    ],
    [
      'calls of an incomplete answer are not grouped',
      [
        createAnswer('a', [createReadCall('1'), createReadCall('2')]),
        createAnswer('b', [createReadCall('3'), createReadCall('4')], { status: 'working' }),
      ],
      ['<2>', '3 4'],
    ],
  ])('are grouped if they are adjacent calls of complete answers: %s', (_, messages, expected) => {
    expect(describeRows(messages)).toEqual(expected);
  });

  test('appear in their own answers while the group is expanded', () => {
    const messages = [
      createAnswer('a', [createEditCall('0'), createReadCall('1')]),
      createAnswer('b', [createReadCall('2')]),
      createAnswer('c', []),
    ];
    expect(describeRows(messages)).toEqual(['0 <2>', 'hidden', '']);
    expect(describeRows(messages, ['a/1'])).toEqual(['0 <2> 1', '2', '']);
  });

  test('keep the key of their group while the group grows', () => {
    const firstAnswer = createAnswer('a', [createReadCall('1'), createReadCall('2')]);
    const createKey = (messages: MessageView[]): unknown => {
      const [row] = layOutMessages(messages)[0]?.rows ?? [];
      return row?.kind === 'group' && row.group.key;
    };
    expect(createKey([firstAnswer])).toBe('a/0');
    expect(createKey([firstAnswer, createAnswer('b', [createReadCall('3')])])).toBe('a/0');
  });
});

test('createLayouts hides only the calls and the reasoning of an answer in a collapsed group', () => {
  const [first, second, last] = layOutMessages([
    createAnswer('a', [createReadCall('1')], { reasoning: 'One' }),
    createAnswer('b', [createReadCall('2'), createEditCall('3')], { reasoning: 'Two' }),
    createAnswer('c', [], { reasoning: 'Three', text: 'Done' }),
  ]);
  expect([first?.hasFoldedReasoning, second?.hasFoldedReasoning, last?.hasFoldedReasoning]).toEqual(
    [false, true, false],
  );
  expect(second?.isHidden).toBe(false);
});

test('createLayouts shows the changes of a turn on the last answer of the turn only', () => {
  const turnChanges = createChangesView({ turnId: 'u1' });
  const layouts = createLayouts(
    [
      createRequestView('u1', 'Hi'),
      createAnswer('a', []),
      createAnswer('b', []),
      createRequestView('u2', 'And'),
      createAnswer('c', []),
    ],
    { changes: [turnChanges], openGroupKeys: new Set() },
  );
  expect(layouts.map(({ isContinued }) => isContinued)).toEqual([false, true, false, false, false]);
  expect(layouts.map((layout) => layout.changes)).toEqual([null, null, turnChanges, null, null]);
});

test('createLayouts shows the usage of all requests of a turn on the last answer of the turn only', () => {
  const [firstStats, secondStats] = [{ ...answerStats }, { ...answerStats }];
  const layouts = layOutMessages([
    createRequestView('u1', 'Hi'),
    createAnswer('a', [], { stats: firstStats }),
    createAnswer('b', []),
    createAnswer('c', [], { stats: secondStats }),
    createRequestView('u2', 'And'),
    createAnswer('d', [], { stats: firstStats }),
  ]);
  expect(layouts.map((turn) => turn.stats)).toEqual([
    [],
    [],
    [],
    [firstStats, secondStats],
    [],
    [firstStats],
  ]);
});

test('createLayouts lists the sources of a turn once, on the last answer of the turn only', () => {
  const createCitation = (name: string) => ({
    ...{ title: name, url: `https://${name}.test/`, host: `${name}.test` },
    ...{ quote: '', date: '' },
  });
  const [first, second, third] = [
    createCitation('first'),
    createCitation('second'),
    createCitation('third'),
  ];
  const layouts = layOutMessages([
    createRequestView('q1', 'One?'),
    createAnswer('a', [], { citations: [first, second] }),
    createAnswer('b', [], { citations: [third, createCitation('first')] }),
    createRequestView('q2', 'Two?'),
    createAnswer('c', [], { citations: [third] }),
  ]);
  expect(layouts.map(({ sources }) => sources)).toEqual([
    [],
    [],
    [first, second, third],
    [],
    [third],
  ]);
  expect(layouts.map(({ sourceNumbers }) => sourceNumbers)).toEqual([[], [1, 2], [3, 1], [], [1]]);
});

test('isSameLayout returns false only for answers whose rows, content or position in the turn changed', () => {
  const messages = [
    createAnswer('a', [createReadCall('1'), createReadCall('2')]),
    createAnswer('b', []),
  ];
  const areSameLayouts = (otherMessages: MessageView[], openKeys: string[] = []): boolean[] =>
    layOutMessages(messages).map((turn, index) =>
      isSameLayout(turn, layOutMessages(otherMessages, openKeys)[index] ?? turn),
    );
  expect(areSameLayouts([...messages])).toEqual([true, true]);
  expect(areSameLayouts(messages, ['a/0'])).toEqual([false, true]);
  expect(
    areSameLayouts([
      createAnswer('a', [createReadCall('1'), createReadCall('2')]),
      createAnswer('b', []),
    ]),
  ).toEqual([false, true]);
  expect(
    areSameLayouts([
      messages[0] ?? createAnswer('a', []),
      createAnswer('b', [], { stats: answerStats }),
    ]),
  ).toEqual([true, false]);
  expect(areSameLayouts(messages.slice(0, 1))).toEqual([false, true]);
});
