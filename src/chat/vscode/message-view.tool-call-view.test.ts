import { expect, test } from 'vitest';
import { readProductSources } from '../../../test/architecture/sources.ts';
import type { ToolRun } from '../../conversation/tool-run.ts';
import { createRequestedCallView, createToolRunView } from './message-view.ts';

const call = { id: 'c1', function: { name: 'find_files', arguments: '{}' } };

const failedRun: ToolRun = {
  callId: 'c1',
  status: 'failed',
  verb: '',
  target: '',
  readOnly: true,
  output: '',
  startedAt: 0,
};

test.each([
  ['', 'find_files', ''],
  ['Find files', '*.ts', '*.ts'],
])(
  'createToolRunView converts a run with the verb %j and the target %j to a view with the target %j',
  (verb, target, expectedTarget) => {
    expect(createToolRunView(call, { ...failedRun, verb, target })).toMatchObject({
      name: 'find_files',
      verb: 'Find files',
      target: expectedTarget,
    });
  },
);

test('createToolRunView leaves the verb of an unplanned call empty if the tool is unknown', () => {
  const unknown = { id: 'c1', function: { name: 'constructor', arguments: '{}' } };
  expect(createToolRunView(unknown, failedRun)).toMatchObject({ name: 'constructor', verb: '' });
});

test('createRequestedCallView labels each tool of the product with a verb', () => {
  const names = [...readProductSources()]
    .filter(([path]) => /^src\/(?:agent|image|language-model)\//u.test(path))
    .flatMap(([, text]) => [...text.matchAll(/^\s+name: '(?<name>[a-z]+(?:_[a-z]+)*)',$/gmu)])
    .map(({ groups }) => groups?.['name'] ?? '');
  expect(names).toContain('run_command');
  const unlabeled = names.filter((name) => {
    const request = { id: 'c1', function: { name, arguments: '{}' } };
    return createRequestedCallView(request, false).verb === '';
  });
  expect(unlabeled).toEqual([]);
});

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
