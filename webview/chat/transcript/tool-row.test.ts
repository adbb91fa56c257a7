// @vitest-environment happy-dom
import { render } from 'lit';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ToolCallView, ToolStepView } from '../../../src/agent/protocol.ts';
import type { MessageView } from '../../../src/chat/protocol/view-state.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import {
  createMessageView,
  createToolCallView,
  answerStats,
} from '../../../test/support/webview-page/chat-states.ts';
import { getGroupLabel, ToolRows } from './tool-row.ts';
import { createLayouts } from './turn-layout.ts';

let postedMessages: WebviewMessage[];
let reviewedUris: string[];
let clock: ManualClock;
let rowElement: HTMLElement;

beforeEach(() => {
  postedMessages = [];
  reviewedUris = [];
  clock = new ManualClock();
  rowElement = document.createElement('div');
});

function renderCalls(toolCalls: ToolCallView[], change: Partial<MessageView> = {}) {
  let currentMessage = createMessageView({ toolCalls, ...change });
  const renderRows = (): void => {
    const [layout] = createLayouts([currentMessage], { changes: [], openGroupKeys: new Set() });
    render(rows.render(layout?.rows ?? [], 0), rowElement);
  };
  const rows = new ToolRows(currentMessage, {
    post: (message) => postedMessages.push(message),
    clock,
    revealPendingCard: (messageId, callId) => reviewedUris.push(`${messageId} ${callId}`),
    onChange: () => renderRows(),
  });
  renderRows();
  const update = (newCalls: ToolCallView[]): void => {
    currentMessage = { ...currentMessage, toolCalls: newCalls };
    rows.update(currentMessage);
    renderRows();
  };
  return { rows, update };
}

const getRowText = (): string => rowElement.textContent.replaceAll(/\s+/gu, ' ').trim();
const findDetail = (): Element | null => rowElement.querySelector('.tool-detail');

test.each<[Partial<ToolCallView>, string]>([
  [{ durationMs: 12 }, 'Read src/parser.ts 12 ms'],
  [{ durationMs: 1_240 }, 'Read src/parser.ts 1.2 s'],
  [{ status: 'failed' }, 'Read src/parser.ts Failed'],
  [{ status: 'failed', exitCode: 2 }, 'Read src/parser.ts Exit code 2'],
  [{ status: 'denied' }, 'Read src/parser.ts Denied'],
  [{ status: 'cancelled' }, 'Read src/parser.ts Canceled'],
  [{ status: 'not-run' }, 'Read src/parser.ts Not run'],
  [{ status: 'waiting' }, 'Read src/parser.ts Waiting for you'],
  [{ status: 'requested', verb: '', target: '' }, 'read_file'],
])('ToolRows describes a tool call with %j as "%s"', (change, expected) => {
  renderCalls([createToolCallView(change)]);
  expect(getRowText()).toBe(expected);
});

test('ToolRows shows a Cancel button for a running call, and its elapsed time after two seconds', async () => {
  const runningCall = createToolCallView({
    status: 'running',
    startedAt: clock.now(),
    durationMs: null,
  });
  const { rows, update } = renderCalls([runningCall], { status: 'working' });
  await clock.advance(1_000);
  expect(getRowText()).toBe('Read src/parser.ts');
  await clock.advance(2_500);
  expect(getRowText()).toBe('Read src/parser.ts 3 s');
  expect(rowElement.querySelector('[data-tool=cancel]')).not.toBeNull();
  rows.performAction('cancel', 0);
  expect(postedMessages).toEqual([{ type: 'tool-cancel', messageId: 'a1', callId: 't1' }]);
  update([createToolCallView()]);
  expect(rowElement.querySelector('[data-tool=cancel]')).toBeNull();
  expect(clock.pendingTimerCount).toBe(0);
});

test('ToolRows shows no progress indicator for a call of a stored conversation', () => {
  renderCalls([createToolCallView({ status: 'requested' })]);
  expect(rowElement.querySelector('.codicon-loading')).toBeNull();
});

test('ToolRows renders openable targets as buttons, and other targets as text', () => {
  const { rows } = renderCalls([
    createToolCallView(),
    createToolCallView({ id: 't2', name: 'x', openable: false, status: 'failed' }),
  ]);
  expect([...rowElement.querySelectorAll('.tool-target')].map(({ tagName }) => tagName)).toEqual([
    'BUTTON',
    'SPAN',
  ]);
  rows.performAction('open', 0);
  rows.performAction('review', 1);
  expect(postedMessages).toEqual([{ type: 'tool-open', messageId: 'a1', callId: 't1' }]);
  expect(reviewedUris).toEqual(['a1 t2']);
});

describe('the details of a tool row', () => {
  test.each([
    [
      'the command and the output',
      '{"command":"npm test && \\"x\\""}',
      ['Command', 'npm test && "x"', 'Output', 'done'],
    ],
    [
      'the command, the other arguments and the output',
      '{"command":"npm test","timeout_seconds":5}',
      ['Command', 'npm test', 'Arguments', '{"timeout_seconds":5}', 'Output', 'done'],
    ],
    [
      'incomplete arguments unchanged, and the output',
      '{"command":',
      ['Arguments', '{"command":', 'Output', 'done'],
    ],
  ])('of a command call show %s', (_parts, text, expected) => {
    const { rows } = renderCalls([createToolCallView({ name: 'run_command' })]);
    rows.performAction('fold', 0);
    rows.showOutput('t1', { arguments: text, output: 'done' });
    const parts = [...(findDetail()?.querySelectorAll('.tool-label, pre') ?? [])];
    expect(parts.map(({ textContent }) => textContent)).toEqual(expected);
  });

  test('are requested when the row is opened, and discarded when the row is closed', () => {
    const { rows } = renderCalls([createToolCallView()]);
    rows.showOutput('t1', { arguments: 'late', output: 'late' });
    expect(findDetail()).toBeNull();
    rows.performAction('fold', 0);
    expect(postedMessages).toEqual([
      { type: 'tool-output-request', messageId: 'a1', callId: 't1' },
    ]);
    expect(findDetail()?.textContent).toContain('Loading');
    rows.showOutput('t1', { arguments: '{"path":"a"}', output: 'one\u200btwo' });
    expect(findDetail()?.textContent).toContain('{"path":"a"}');
    expect(findDetail()?.textContent).toContain('oneU+200Btwo');
    expect(rowElement.querySelector('[aria-expanded]')?.getAttribute('aria-expanded')).toBe('true');
    rows.performAction('fold', 0);
    expect(findDetail()).toBeNull();
  });

  test('are requested again when the status of the call changes', () => {
    const runningCall = createToolCallView({ status: 'running', durationMs: null });
    const { rows, update } = renderCalls([runningCall], { status: 'working' });
    rows.performAction('fold', 0);
    update([{ ...runningCall, startedAt: 1 }]);
    expect(postedMessages).toHaveLength(1);
    update([createToolCallView()]);
    expect(postedMessages).toHaveLength(2);
  });

  test.each<[ToolCallView['status'], string]>([
    ['running', 'Loading…'],
    ['done', 'None'],
    ['cancelled', 'None'],
  ])('of a call with the status %s describe an empty output as "%s"', (status, expected) => {
    const { rows } = renderCalls([createToolCallView({ status })], { status: 'working' });
    rows.performAction('fold', 0);
    rows.showOutput('t1', { arguments: '{}', output: '' });
    expect(findDetail()?.querySelector('.note')?.textContent).toBe(expected);
  });

  test('show the error of a failed call', () => {
    const { rows } = renderCalls([createToolCallView({ status: 'failed' })]);
    rows.performAction('fold', 0);
    rows.showOutput('t1', { arguments: '', output: 'No such file' });
    expect(rowElement.querySelector('.tool-error')?.textContent).toContain('No such file');
  });
});

test('ToolRows shows the output of a failed command as output instead of as an error', () => {
  const { rows } = renderCalls([createToolCallView({ name: 'run_command', status: 'failed' })]);
  rows.performAction('fold', 0);
  rows.showOutput('t1', { arguments: '', output: '12 tests passed, 1 failed' });
  expect(rowElement.querySelector('.tool-error')).toBeNull();
  expect(findDetail()?.textContent).toContain('Output');
});

test('ToolRows shows no duration of a question, because the duration depends on the user', () => {
  renderCalls([createToolCallView({ name: 'ask_user', verb: 'Ask', durationMs: 60_000 })]);
  expect(getRowText()).toBe('Ask src/parser.ts');
});

test('ToolRows marks hidden characters in targets, labels and tooltips', () => {
  renderCalls([createToolCallView({ target: 'src/\u202eab.ts' })]);
  expect(getRowText()).toContain('src/U+202Eab.ts');
  expect(rowElement.querySelector('.tool-target')?.getAttribute('title')).toBe('src/[U+202E]ab.ts');
  expect(rowElement.querySelector('[data-tool=fold]')?.getAttribute('aria-label')).toBe(
    'Details of Read src/[U+202E]ab.ts',
  );
});

test('getGroupLabel labels a group of file reads with the number of files', () => {
  renderCalls([createToolCallView(), createToolCallView({ id: 't2', target: 'src/lexer.ts' })]);
  expect(getRowText()).toBe('Read 2 files');
  expect(rowElement.querySelector('[data-tool=group]')?.getAttribute('aria-expanded')).toBe(
    'false',
  );
});

test.each([
  [['a.ts', 'b.ts'], 'Read 2 files'],
  [['a.ts:1-20', 'a.ts:30-40', 'a.ts'], 'Read 1 file'],
])('getGroupLabel labels a group of reads of %j as "%s"', (targets, expected) => {
  expect(getGroupLabel(targets.map((target) => createToolCallView({ target })))).toBe(expected);
});

test('getGroupLabel returns a general label for calls of different tools', () => {
  const calls = [
    createToolCallView(),
    createToolCallView({ name: 'search_text' }),
    createToolCallView({ name: 'get_problems' }),
  ];
  expect(getGroupLabel(calls)).toBe('Looked at 3 things');
});

test('ToolRows shows the model and the calls of a delegated task in its open row', () => {
  const step: ToolStepView = {
    ...{ id: 's1', name: 'read_file', status: 'done', verb: 'Read' },
    ...{ target: 'src/parser.ts', startedAt: 0, durationMs: 12 },
  };
  const call = createToolCallView({
    name: 'delegate',
    verb: 'Explore',
    target: 'Find the price.',
    openable: false,
    delegated: {
      model: 'Small One',
      steps: [step, { ...step, id: 's2', status: 'denied', target: '.env' }],
      stats: answerStats,
    },
  });
  const { rows } = renderCalls([call]);
  expect(getRowText()).toBe('Explore Find the price.12 ms');
  rows.performAction('fold', 0);
  rows.showOutput('t1', { arguments: '{}', output: 'In src/parser.ts.' });
  expect(getRowText()).toBe(
    'Explore Find the price.12 ms Arguments {}Small One Read src/parser.ts12 ms Read .envDenied Output In src/parser.ts.',
  );
  expect([...rowElement.querySelectorAll('.tool-steps button')]).toEqual([]);
});
