import { describe, expect, test } from 'vitest';
import type { ToolCallView } from '../../../src/agent/protocol.ts';
import type { MessageView } from '../../../src/chat/protocol/view-state.ts';
import {
  changes,
  failure,
  message,
  request,
  stats,
  toolCall,
} from '../../../test/support/webview-page/chat-states.ts';
import { isSameLayout, layoutMessages, type MessageLayout } from './turn-layout.ts';

const read = (id: string): ToolCallView => toolCall({ id });
const edit = (id: string): ToolCallView => toolCall({ id, name: 'edit_file', readOnly: false });
const answer = (id: string, toolCalls: ToolCallView[], change: Partial<MessageView> = {}) =>
  message({ id, toolCalls, ...change });

const layout = (messages: MessageView[], open: string[] = []): MessageLayout[] =>
  layoutMessages(messages, { changes: [], open: new Set(open) });

/** Describes the rows of each message: the id of a single call, or the number of calls of a group. */
const rows = (messages: MessageView[], open: string[] = []): string[] =>
  layout(messages, open).map(({ rows: all, isHidden }, index) =>
    isHidden
      ? 'hidden'
      : all
          .map((row) =>
            row.kind === 'group'
              ? `<${row.group.calls.length}>`
              : (messages[index]?.toolCalls[row.index]?.id ?? ''),
          )
          .join(' '),
  );

describe('read-only calls', () => {
  test.each<[string, MessageView[], string[]]>([
    ['of one answer form one group', [answer('a', [read('1'), read('2'), read('3')])], ['<3>']],
    ['stay ungrouped if there is only one', [answer('a', [read('1')])], ['1']],
    [
      'are separated by a call that changes something',
      [answer('a', [read('1'), read('2'), edit('3'), read('4')])],
      ['<2> 3 4'],
    ],
    [
      'of consecutive answers form one group',
      [answer('a', [read('1')]), answer('b', [read('2'), read('3')]), answer('c', [read('4')])],
      ['<4>', 'hidden', ''],
    ],
    [
      'are separated by text',
      [
        answer('a', [read('1')]),
        answer('b', [read('2')], { text: 'Hm' }),
        answer('c', [read('3')]),
      ],
      ['1', '<2>', ''],
    ],
    [
      'are separated by a user message',
      [answer('a', [read('1')]), request('u', 'Hi'), answer('b', [read('2')])],
      ['1', '', '2'],
    ],
    [
      'are separated by a summary',
      [answer('a', [read('1')]), answer('b', [read('2')], { summary: 'S' })],
      ['1', '2'],
    ],
    [
      'are separated by a failure',
      [answer('a', [read('1')], { failure, status: 'failed' }), answer('b', [read('2')])],
      ['1', '2'],
    ],
    [
      'are separated by a failed call',
      [answer('a', [read('1'), toolCall({ id: '2', status: 'failed' }), read('3')])],
      ['1 2 3'],
    ],
    [
      'stay ungrouped until their answer is complete',
      [
        answer('a', [read('1'), read('2')]),
        answer('b', [read('3'), read('4')], { status: 'working' }),
      ],
      ['<2>', '3 4'],
    ],
  ])('form groups by these rules: calls %s', (_, messages, expected) => {
    expect(rows(messages)).toEqual(expected);
  });

  test('appear in their own answers while the group is expanded', () => {
    const messages = [
      answer('a', [edit('0'), read('1')]),
      answer('b', [read('2')]),
      answer('c', []),
    ];
    expect(rows(messages)).toEqual(['0 <2>', 'hidden', '']);
    expect(rows(messages, ['a/1'])).toEqual(['0 <2> 1', '2', '']);
  });

  test('keep the key of their group while the group grows', () => {
    const firstAnswer = answer('a', [read('1'), read('2')]);
    const key = (messages: MessageView[]): unknown => {
      const [row] = layout(messages)[0]?.rows ?? [];
      return row?.kind === 'group' && row.group.key;
    };
    expect(key([firstAnswer])).toBe('a/0');
    expect(key([firstAnswer, answer('b', [read('3')])])).toBe('a/0');
  });
});

test('hides only the calls and the reasoning of an answer in a collapsed group', () => {
  const [first, second, last] = layout([
    answer('a', [read('1')], { reasoning: 'One' }),
    answer('b', [read('2'), edit('3')], { reasoning: 'Two' }),
    answer('c', [], { reasoning: 'Three', text: 'Done' }),
  ]);
  expect([first?.hasFoldedReasoning, second?.hasFoldedReasoning, last?.hasFoldedReasoning]).toEqual(
    [false, true, false],
  );
  expect(second?.isHidden).toBe(false);
});

test('layoutMessages shows the changes of a turn on the last answer of the turn only', () => {
  const turnChanges = changes({ turnId: 'u1' });
  const all = layoutMessages(
    [request('u1', 'Hi'), answer('a', []), answer('b', []), request('u2', 'And'), answer('c', [])],
    { changes: [turnChanges], open: new Set() },
  );
  expect(all.map(({ isContinued }) => isContinued)).toEqual([false, true, false, false, false]);
  expect(all.map((turn) => turn.changes)).toEqual([null, null, turnChanges, null, null]);
});

test('shows the usage of all requests of a turn on the last answer of the turn only', () => {
  const [firstStats, secondStats] = [{ ...stats }, { ...stats }];
  const all = layout([
    request('u1', 'Hi'),
    answer('a', [], { stats: firstStats }),
    answer('b', []),
    answer('c', [], { stats: secondStats }),
    request('u2', 'And'),
    answer('d', [], { stats: firstStats }),
  ]);
  expect(all.map((turn) => turn.stats)).toEqual([
    [],
    [],
    [],
    [firstStats, secondStats],
    [],
    [firstStats],
  ]);
});

test('lists the sources of a turn once, on the last answer of the turn only', () => {
  const source = (name: string) => ({
    ...{ title: name, url: `https://${name}.test/`, host: `${name}.test` },
    ...{ quote: '', date: '' },
  });
  const [first, second, third] = [source('first'), source('second'), source('third')];
  const layouts = layout([
    request('q1', 'One?'),
    answer('a', [], { citations: [first, second] }),
    answer('b', [], { citations: [third, source('first')] }),
    request('q2', 'Two?'),
    answer('c', [], { citations: [third] }),
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

test('isSameLayout detects equal and different layouts', () => {
  const messages = [answer('a', [read('1'), read('2')]), answer('b', [])];
  const areSameLayouts = (other: MessageView[], open: string[] = []): boolean[] =>
    layout(messages).map((turn, index) => isSameLayout(turn, layout(other, open)[index] ?? turn));
  expect(areSameLayouts([...messages])).toEqual([true, true]);
  expect(areSameLayouts(messages, ['a/0'])).toEqual([false, true]);
  expect(areSameLayouts([answer('a', [read('1'), read('2')]), answer('b', [])])).toEqual([
    false,
    true,
  ]);
  expect(areSameLayouts([messages[0] ?? answer('a', []), answer('b', [], { stats })])).toEqual([
    true,
    false,
  ]);
  expect(areSameLayouts(messages.slice(0, 1))).toEqual([false, true]);
});
