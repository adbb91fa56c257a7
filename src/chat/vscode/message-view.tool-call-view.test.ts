import { expect, test } from 'vitest';
import type { ToolRun } from '../../conversation/tool-run.ts';
import { createRequestedCallView, createToolRunView } from './message-view.ts';

const call = { id: 'c1', function: { name: 'find_files', arguments: '{}' } };

test.each([
  ['', 'find_files', ''],
  ['Find files', '*.ts', '*.ts'],
])(
  'createToolRunView with the verb %j and the target %j shows the target %j',
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
