import { expect, test } from 'vitest';
import { createTextAnswer } from '../../../test/support/conversation-builder.ts';
import type { Answer } from '../../conversation/conversation.ts';
import type { ToolRun } from '../../conversation/tool-run.ts';
import { getAnswerStatus } from './message-view.ts';

const createAnswerWithCalls = (
  count: number,
  ...toolRuns: readonly Partial<ToolRun>[]
): Answer => ({
  ...createTextAnswer('a1', 'u1', ''),
  result: {
    toolCalls: Array.from({ length: count }, (_, index) => ({
      id: `t${index}`,
      type: 'function',
      function: { name: 'run_command', arguments: '{}' },
    })),
  },
  toolRuns: toolRuns.map((run, index) => ({
    callId: `t${index}`,
    status: 'done',
    verb: 'Run',
    target: 'x',
    readOnly: false,
    output: '',
    startedAt: 0,
    ...run,
  })),
});

const canceledStatus = { status: 'cancelled' } as const;
const notRunStatus = { status: 'not-run' } as const;

test.each<[name: string, shown: Answer, status: string]>([
  ['the user stopped a running call', createAnswerWithCalls(1, canceledStatus), 'stopped'],
  ['the user stopped a waiting call', createAnswerWithCalls(1, notRunStatus), 'stopped'],
  [
    'the user stopped the second of three calls',
    createAnswerWithCalls(3, {}, canceledStatus, notRunStatus),
    'stopped',
  ],
  ['the user stopped after the last call', createAnswerWithCalls(1, {}), 'stopped'],
  [
    'the window closed during a call',
    createAnswerWithCalls(1, { ...canceledStatus, interrupted: true }),
    'interrupted',
  ],
  [
    'the window closed while a call was waiting',
    createAnswerWithCalls(1, { ...notRunStatus, interrupted: true }),
    'interrupted',
  ],
  ['the window closed before any call started', createAnswerWithCalls(1), 'interrupted'],
  ['the window closed before the second call started', createAnswerWithCalls(2, {}), 'interrupted'],
  ['it has no tool calls', createAnswerWithCalls(0), 'complete'],
])('getAnswerStatus returns the status of the last answer if %s', (_, answer, status) => {
  expect(getAnswerStatus(answer, false, true)).toBe(status);
  const expectedStatus = status === 'complete' ? 'complete' : 'working';
  expect(getAnswerStatus(answer, true, true)).toBe(expectedStatus);
  expect(getAnswerStatus(answer, false, false)).toBe('complete');
});

test('getAnswerStatus returns the status "failed" if the tool calls of a complete answer could not run', () => {
  const answer = createAnswerWithCalls(2, {});
  const failure = { code: 'internal-error', message: 'Broken.' } as const;
  const failedAnswer = { ...answer, result: { ...answer.result, failure } };
  expect(getAnswerStatus(failedAnswer, false, true)).toBe('failed');
  expect(getAnswerStatus(failedAnswer, false, false)).toBe('failed');
});

test.each(['streaming', 'stopped', 'interrupted', 'failed'] as const)(
  'getAnswerStatus returns the status %s of an incomplete answer unchanged',
  (status) => {
    expect(getAnswerStatus({ ...createAnswerWithCalls(1), status }, false, true)).toBe(status);
  },
);
