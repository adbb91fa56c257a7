import { expect, test } from 'vitest';
import {
  createCallEvent,
  createAgentFixture,
  createTextDelta,
  createTool,
} from '../../test/support/agent-fixture.ts';
import { readStringArgument } from './arguments.ts';
import { selectTools, type Tool } from './tool.ts';
import { estimateAllToolTokens, estimateToolTokens } from './deferred-tools.ts';

const createRemoveTool = (log: string[] = []): Tool =>
  createTool('remove_file', (args) => `removed ${log.push(readStringArgument(args, 'path'))}`, {
    kind: 'edit',
    summary: 'removes a file',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
      additionalProperties: false,
    },
    plan: (args) =>
      Promise.resolve({
        verb: 'Remove',
        target: readStringArgument(args, 'path'),
        resources: [{ type: 'path', path: readStringArgument(args, 'path'), access: 'delete' }],
      }),
  });

const directCall = createCallEvent('remove_file', { path: 'a' });
const wrappedCall = createCallEvent('more_tools', {
  tool: 'remove_file',
  arguments: { path: 'a' },
});

/** Runs one tool call. Returns the data that the permission rules and the user receive. */
async function runCall(requestedCall: typeof directCall, isAllowed: boolean) {
  const checkedCalls: unknown[] = [];
  const removedFiles: string[] = [];
  const fixture = createAgentFixture({
    tools: [createTool('look', () => 'seen'), createRemoveTool(removedFiles)],
    answers: [[requestedCall], [createTextDelta('done')]],
    getPermission: ({ name, kind }, plan) => {
      checkedCalls.push({ name, kind, plan });
      return isAllowed ? {} : { decision: 'ask', reasons: [] };
    },
  });
  const approvals: unknown[] = [];
  fixture.pending.onDidChange(() => {
    for (const request of fixture.pending.items) {
      approvals.push({ ...request, id: '' });
      fixture.pending.answerApproval(request.id, { answer: 'deny', reason: 'Keep it.' });
    }
  });
  await fixture.session.send('Go', []);
  const runs = fixture.listToolRuns().map((run) => ({ ...run, startedAt: 0, durationMs: 0 }));
  return { checkedCalls, approvals, removedFiles, runs, fixture };
}

test.each([
  ['no approval is required', true],
  ['the user denies approval', false],
])(
  'a call of a deferred tool through the discovery tool has the same permission verdict, approval request and stored run as a direct call if %s',
  async (_, isAllowed) => {
    const [directRun, wrappedRun] = [
      await runCall(directCall, isAllowed),
      await runCall(wrappedCall, isAllowed),
    ];
    expect(wrappedRun.checkedCalls).toEqual(directRun.checkedCalls);
    expect(wrappedRun.checkedCalls).toHaveLength(1);
    expect(wrappedRun.approvals).toEqual(directRun.approvals);
    expect(wrappedRun.approvals).toHaveLength(isAllowed ? 0 : 1);
    expect(wrappedRun.runs).toEqual(directRun.runs);
    expect(wrappedRun.removedFiles).toEqual(isAllowed ? ['a'] : []);
  },
);

test('a request contains only the summary of a deferred tool, even after the model used the tool', async () => {
  const { fixture } = await runCall(wrappedCall, true);
  const [before, after] = fixture.requests.map(({ tools }) => JSON.stringify(tools));
  expect(before).toContain('remove_file: removes a file');
  expect(before).not.toContain('additionalProperties');
  expect(after).toBe(before);
  // The model sees its own call unchanged.
  expect(JSON.stringify(fixture.requests[1]?.messages)).toContain('"name":"more_tools"');
});

test.each([
  ['arguments that do not fit', { tool: 'remove_file', arguments: { file: 'a' } }, /do not fit/u],
  ['arguments that are no object', { tool: 'remove_file', arguments: 'a' }, /not a JSON object/u],
  ['an unknown tool', { tool: 'format_disk', arguments: {} }, /no tool called format_disk/u],
  ['an unknown tool without arguments', { tool: 'x' }, /one of: remove_file/u],
  ['its own name', { tool: 'more_tools', arguments: { tool: 'remove_file' } }, /"path"/u],
  [
    'a nested call of itself',
    { tool: 'more_tools', arguments: { tool: 'remove_file', arguments: { path: 'a' } } },
    /"path"/u,
  ],
])(
  'the agent runs no deferred tool for a call of the discovery tool with %s',
  async (_, args, output) => {
    const { runs, removedFiles } = await runCall(createCallEvent('more_tools', args), true);
    expect(runs[0]?.output).toMatch(output);
    expect(removedFiles).toEqual([]);
  },
);

test('the discovery tool returns the definition of a deferred tool without checking its permission', async () => {
  const { checkedCalls, runs, removedFiles } = await runCall(
    createCallEvent('more_tools', { tool: 'remove_file' }),
    true,
  );
  expect(runs[0]).toMatchObject({ status: 'done', readOnly: true, target: 'remove_file' });
  expect(runs[0]?.output).toContain('"required":["path"]');
  expect(checkedCalls).toMatchObject([{ name: 'more_tools', kind: 'read' }]);
  expect(removedFiles).toEqual([]);
});

test('the discovery tool rejects a deferred tool that the user disabled after the request was sent', async () => {
  const removedFiles: string[] = [];
  const fixture = createAgentFixture({
    tools: [createRemoveTool(removedFiles)],
    answers: [[wrappedCall], [createTextDelta('done')]],
    getPermission: () => {
      fixture.setTools([]);
      return {};
    },
  });
  await fixture.session.send('Go', []);
  expect(fixture.listToolRuns()[0]?.output).toMatch(/disabled/u);
  expect(removedFiles).toEqual([]);
});

test('the discovery tool rejects a deferred tool that the current mode excludes', async () => {
  const removedFiles: string[] = [];
  const selectedTools = selectTools([createRemoveTool(removedFiles)], {
    mode: 'ask',
    disabledNames: new Set(),
  });
  const fixture = createAgentFixture({
    tools: [...selectedTools.values()],
    answers: [[wrappedCall], [createTextDelta('done')]],
  });
  await fixture.session.send('Go', []);
  expect(fixture.requests[0]?.tools).toBeUndefined();
  expect(fixture.listToolRuns()[0]?.output).toMatch(/no tool called remove_file/u);
  expect(removedFiles).toEqual([]);
});

test('a tool of another extension with the same name does not replace the discovery tool', () => {
  const tools = selectTools([createTool('more_tools', () => 'mine')], {
    mode: 'agent',
    disabledNames: new Set(),
  });
  expect(tools.size).toBe(0);
});

test('the summary of a deferred tool uses fewer tokens than its definition', () => {
  const deferredTool = { ...createRemoveTool(), description: 'Removes a file. '.repeat(20) };
  const { summary: _, ...toolWithoutSummary } = deferredTool;
  expect(estimateToolTokens(deferredTool)).toBeLessThan(estimateToolTokens(toolWithoutSummary) / 5);
  expect(estimateAllToolTokens([deferredTool])).toBeLessThan(
    estimateAllToolTokens([toolWithoutSummary]),
  );
});
