import { expect, test } from 'vitest';
import type { ToolRun } from '../../conversation/tool-run.ts';
import { createRequestedCallView, createToolRunView } from './message-view.ts';

const call = { id: 'c1', function: { name: 'find_files', arguments: '{}' } };

test.each([
  ['', 'find_files', ''],
  ['Find files', '*.ts', '*.ts'],
])(
  'createToolRunView converts a run with the verb %j and the target %j to a view with the target %j',
  (verb, target, expectedTarget) => {
    const run: ToolRun = {
      callId: 'c1',
      status: 'failed',
      verb,
      target,
      readOnly: true,
      output: '',
      startedAt: 0,
    };
    expect(createToolRunView(call, run)).toMatchObject({
      name: 'find_files',
      verb,
      target: expectedTarget,
    });
  },
);

test('createRequestedCallView names the tool that a call through the discovery tool runs', () => {
  const wrapped = {
    id: 'c1',
    function: { name: 'more_tools', arguments: '{"tool":"show_diff","arguments":{"path":"a"}}' },
  };
  expect(createRequestedCallView(wrapped, false).name).toBe('show_diff');
});

const delegatedRun: ToolRun = {
  callId: 'c1',
  status: 'done',
  verb: 'Explore',
  target: 'Find the price.',
  readOnly: true,
  output: 'In a.ts.',
  startedAt: 1_000,
  durationMs: 500,
  delegated: {
    model: 'Small\nOne',
    steps: [
      {
        callId: 's1',
        name: 'read_file',
        status: 'done',
        verb: 'Read',
        target: 'a.ts',
        startedAt: 1,
      },
      {
        callId: 's2',
        name: 'read_file',
        status: 'running',
        verb: 'Read',
        target: 'b',
        startedAt: 2,
      },
    ],
    usage: { promptTokens: 90, completionTokens: 10, totalTokens: 100 },
    cost: { usd: 0.25 },
  },
};

test('createToolRunView shows the model, calls and usage of a delegated task', () => {
  expect(createToolRunView(call, delegatedRun).delegated).toMatchObject({
    model: 'Small One',
    steps: [
      { id: 's1', name: 'read_file', status: 'done', target: 'a.ts' },
      { id: 's2', name: 'read_file', status: 'cancelled', target: 'b' },
    ],
    stats: { promptTokens: 90, completionTokens: 10, costUsd: 0.25, durationMs: null },
  });
});

test('createToolRunView shows the running calls of a running delegated task', () => {
  const view = createToolRunView(call, { ...delegatedRun, status: 'running' });
  expect(view.delegated?.steps.map(({ status }) => status)).toEqual(['done', 'running']);
});
