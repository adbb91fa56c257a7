import { expect, test } from 'vitest';
import { readProductSources } from '../../../test/architecture/sources.ts';
import type { ToolRun } from '../../conversation/tool-run.ts';
import { createRequestedCallView, createToolRunView } from './message-view.ts';

const findFilesCall = { id: 'c1', function: { name: 'find_files', arguments: '{}' } };

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
  [
    'no verb and the tool name as its target',
    'the verb of the tool and no target',
    '',
    'find_files',
    '',
  ],
  ['a verb and a target', 'the same verb and target', 'Find files', '*.ts', '*.ts'],
])(
  'createToolRunView converts a run with %s to a view with %s',
  (_runLabel, _viewLabel, verb, target, expectedTarget) => {
    expect(createToolRunView(findFilesCall, { ...failedRun, verb, target })).toMatchObject({
      name: 'find_files',
      verb: 'Find files',
      target: expectedTarget,
    });
  },
);

test('createToolRunView leaves the verb empty if the tool is unknown and the run has no verb', () => {
  const unknownCall = { id: 'c1', function: { name: 'constructor', arguments: '{}' } };
  expect(createToolRunView(unknownCall, failedRun)).toMatchObject({
    name: 'constructor',
    verb: '',
  });
});

test('createRequestedCallView labels each tool of the extension with a verb', () => {
  const names = [...readProductSources()]
    .filter(([path]) => /^src\/(?:agent|image|language-model)\//u.test(path))
    .flatMap(([, text]) => [...text.matchAll(/^\s+name: '(?<name>[a-z]+(?:_[a-z]+)*)',$/gmu)])
    .map(({ groups }) => groups?.['name'] ?? '');
  expect(names).toContain('run_command');
  const unlabeledNames = names.filter((name) => {
    const toolCall = { id: 'c1', function: { name, arguments: '{}' } };
    return createRequestedCallView(toolCall, false).verb === '';
  });
  expect(unlabeledNames).toEqual([]);
});

test('createRequestedCallView names the tool that a call of `more_tools` contains', () => {
  const wrappedCall = {
    id: 'c1',
    function: { name: 'more_tools', arguments: '{"tool":"show_diff","arguments":{"path":"a"}}' },
  };
  expect(createRequestedCallView(wrappedCall, false).name).toBe('show_diff');
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
  expect(createToolRunView(findFilesCall, delegatedRun).delegated).toMatchObject({
    model: 'Small One',
    steps: [
      { id: 's1', name: 'read_file', status: 'done', target: 'a.ts' },
      { id: 's2', name: 'read_file', status: 'cancelled', target: 'b' },
    ],
    stats: { promptTokens: 90, completionTokens: 10, costUsd: 0.25, durationMs: null },
  });
});

test('createToolRunView shows the running calls of a running delegated task', () => {
  const view = createToolRunView(findFilesCall, { ...delegatedRun, status: 'running' });
  expect(view.delegated?.steps.map(({ status }) => status)).toEqual(['done', 'running']);
});

const editCall = { id: 'c1', function: { name: 'edit_file', arguments: '{"path":"src/a.ts"}' } };

test.each([
  ['a path', '{"path":"src/a.ts"}', 'edit_file', 'src/a.ts'],
  [
    'a path that contains a bidi character and a line feed',
    '{"path":"src/\u202ea.ts\\nb"}',
    'edit_file',
    'src/a.ts b',
  ],
  ['an old and a new path', '{"from":"a.ts","to":"b.ts"}', 'rename_file', 'a.ts → b.ts'],
])(
  'createRequestedCallView shows the file name from arguments with %s',
  (_, text, name, target) => {
    const request = { id: 'c1', function: { name, arguments: text } };
    expect(createRequestedCallView(request, false).target).toBe(target);
  },
);

test.each([
  ['a path that is a number', '{"path":7}', 'edit_file'],
  ['incomplete arguments', '{"path":"src/a', 'edit_file'],
  ['the arguments of an unknown tool', '{"path":"src/a.ts"}', 'tool_of_another_extension'],
])('createRequestedCallView shows no file name for %s', (_, text, name) => {
  const request = { id: 'c1', function: { name, arguments: text } };
  expect(createRequestedCallView(request, false).target).toBe('');
});

test('createToolRunView reads the file of an edit from the arguments of the call if the run has no target', () => {
  expect(createToolRunView(editCall, failedRun)).toMatchObject({
    verb: 'Edit',
    target: 'src/a.ts',
    openable: false,
  });
});

test.each([
  [
    'returns the exit code 1',
    'failed',
    'failed',
    'Exit code 1 after 2.3 s.\n\nExit code 5 after 1 s.',
    1,
  ],
  [
    'returns the exit code -1073741510',
    'failed',
    'failed',
    'Exit code -1073741510 after 0.1 s.\n\n(no output)',
    -1_073_741_510,
  ],
  [
    'returns no exit code',
    'timed out',
    'failed',
    'Timed out and was ended after 2 s.\n\nExit code 5 after 1 s.',
    undefined,
  ],
  [
    'returns no exit code',
    'succeeded',
    'done',
    'Exit code 0 after 2.3 s.\n\n(no output)',
    undefined,
  ],
] as const)(
  'createToolRunView %s from the first output line of a command that %s',
  (_resultLabel, _outcomeLabel, status, output, code) => {
    const commandCall = { id: 'c1', function: { name: 'run_command', arguments: '{}' } };
    const view = createToolRunView(commandCall, { ...failedRun, status, verb: 'Run', output });
    expect(view.exitCode).toBe(code);
  },
);

test('createToolRunView reads no exit code from the output of a tool that runs no command', () => {
  const run = { ...failedRun, verb: 'Edit', output: 'Exit code 1 after 2.3 s.' };
  expect(createToolRunView(editCall, run).exitCode).toBeUndefined();
});
