import { expect, test } from 'vitest';
import { tool } from '../../test/support/agent-world.ts';
import { toolDefinition, type ToolKind, selectTools } from './tool.ts';

const kinds: readonly ToolKind[] = ['read', 'edit', 'command', 'editor', 'question', 'external'];
const all = kinds.map((kind) => tool(kind, () => '', { kind }));
const none: ReadonlySet<string> = new Set();

test.each<[mode: 'ask' | 'agent', names: readonly ToolKind[]]>([
  ['agent', kinds],
  ['ask', ['read', 'editor', 'question']],
])('in mode "%s", selects the tools %j', (mode, names) => {
  expect([...selectTools(all, { mode, disabled: none }).keys()]).toEqual(names);
});

test('leaves out disabled tools', () => {
  const disabled = new Set(['command', 'read']);
  expect([...selectTools(all, { mode: 'agent', disabled }).keys()]).not.toContain('command');
});

test('selects the first of two tools with the same name', () => {
  const own = tool('read_file', () => 'own');
  const theirs = tool('read_file', () => 'theirs', { kind: 'external' });
  expect(selectTools([own, theirs], { mode: 'agent', disabled: none }).get('read_file')).toBe(own);
});

test.each(['', 'a b', 'x'.repeat(65), '<img>', 'wörld'])('rejects the tool name %j', (name) => {
  expect(selectTools([tool(name, () => '')], { mode: 'agent', disabled: none }).size).toBe(0);
});

test('limits the number of tools', () => {
  const many = Array.from({ length: 200 }, (_, index) => tool(`t${index}`, () => ''));
  expect(selectTools(many, { mode: 'agent', disabled: none }).size).toBe(128);
});

test('passes a schema through unchanged', () => {
  const parameters = { type: 'object', $comment: 'kept', properties: { a: { enum: [1] } } };
  expect(toolDefinition(tool('t', () => '', { parameters })).function.parameters).toBe(parameters);
});
