import { expect, test } from 'vitest';
import { createTool } from '../../test/support/agent-fixture.ts';
import type { Mode } from '../conversation/protocol.ts';
import { createToolDefinition, type ToolKind, selectTools } from './tool.ts';

const toolKinds: readonly ToolKind[] = [
  'read',
  'edit',
  'command',
  'editor',
  'question',
  'todo',
  'external',
];
const allTools = toolKinds.map((kind) => createTool(kind, () => '', { kind }));
const noDisabledTools: ReadonlySet<string> = new Set();

test.each<[mode: Mode, names: readonly ToolKind[]]>([
  ['agent', toolKinds],
  ['ask', ['read', 'editor', 'question']],
  ['plan', ['read', 'editor', 'question']],
])('selectTools for the mode "%s" selects the tools of the kinds %j', (mode, names) => {
  expect([...selectTools(allTools, { mode, disabledNames: noDisabledTools }).keys()]).toEqual(
    names,
  );
});

test('selectTools omits disabled tools', () => {
  const disabledNames = new Set(['command', 'read']);
  expect([...selectTools(allTools, { mode: 'agent', disabledNames }).keys()]).not.toContain(
    'command',
  );
});

test('selectTools selects the first of two tools with the same name', () => {
  const firstTool = createTool('read_file', () => 'own');
  const secondTool = createTool('read_file', () => 'theirs', { kind: 'external' });
  expect(
    selectTools([firstTool, secondTool], { mode: 'agent', disabledNames: noDisabledTools }).get(
      'read_file',
    ),
  ).toBe(firstTool);
});

test.each(['', 'a b', 'x'.repeat(65), '<img>', 'wörld'])(
  'selectTools omits a tool with the invalid name %j',
  (name) => {
    expect(
      selectTools([createTool(name, () => '')], { mode: 'agent', disabledNames: noDisabledTools })
        .size,
    ).toBe(0);
  },
);

test('selectTools selects at most 128 tools', () => {
  const manyTools = Array.from({ length: 200 }, (_, index) => createTool(`t${index}`, () => ''));
  expect(selectTools(manyTools, { mode: 'agent', disabledNames: noDisabledTools }).size).toBe(128);
});

test('createToolDefinition returns the schema of the tool unchanged', () => {
  const parameters = { type: 'object', $comment: 'kept', properties: { a: { enum: [1] } } };
  expect(createToolDefinition(createTool('t', () => '', { parameters })).function.parameters).toBe(
    parameters,
  );
});
