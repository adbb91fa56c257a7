import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createTool } from '../../test/support/agent-fixture.ts';
import {
  matchesAnyGlob,
  createSkillTool,
  narrowTools,
  readCustomAgent,
  readScopedInstructions,
  readSkill,
  parseFrontMatter,
  readHeaderList,
  readHeaderText,
} from './agent-files.ts';

const parseAgentFileLines = (...lines: readonly string[]) =>
  parseFrontMatter(['---', ...lines, '---', 'body'].join('\n'));
const readHeaderValues = (...lines: readonly string[]) => {
  const header = parseAgentFileLines(...lines);
  return typeof header === 'number' ? header : Object.fromEntries(header.headerValues);
};

test.each<[what: string, lines: readonly string[], expected: Record<string, unknown>]>([
  [
    'plain and quoted texts',
    ['a: x # note', "b: 'it''s'", 'c: "l\\n"'],
    { a: 'x', b: "it's", c: 'l\n' },
  ],
  ['flow lists', ["tools: ['a, b', c]"], { tools: ['a, b', 'c'] }],
  ['flow lists of several lines', ['tools: [', "  'a',", '  b', ']'], { tools: ['a', 'b'] }],
  ['block lists', ['tools:', '  - a', '- "b"'], { tools: ['a', 'b'] }],
  ['folded texts', ['d: >-', '  one', '  two', '', '  three'], { d: 'one two\n\nthree' }],
  ['literal texts', ['d: |', '  one', '    two'], { d: 'one\n  two' }],
  ['continued texts', ['d: one', '  two: three'], { d: 'one two: three' }],
  ['nested maps, which have no value', ['m:', '  a: 1', 'b: 2'], { m: '', b: '2' }],
  ['comments and blank lines', ['# c', '', 'a: 1'], { a: '1' }],
])('parseFrontMatter reads a header with %s', (_, lines, expected) => {
  expect(readHeaderValues(...lines)).toEqual(expected);
});

test.each<[what: string, lines: readonly string[], line: number]>([
  ['a line without a colon', ['a: 1', 'oops'], 3],
  ['a repeated key', ['a: 1', 'A: 2'], 3],
  ['an open quotation mark', ['a: "x'], 2],
  ['an open list', ['a: [x', 'b: 1'], 2],
  ['an indented first line', ['  a: 1'], 2],
])('parseFrontMatter rejects a header and returns the line number of %s', (_, lines, line) => {
  expect(parseAgentFileLines(...lines)).toBe(line);
});

test.each<[what: string, lines: readonly string[]]>([
  ['more than 200 lines', Array.from({ length: 40_000 }, () => '')],
  ['more than 16,384 characters', [`a: ${'x'.repeat(16_384)}`]],
])('parseFrontMatter rejects a header with %s', (_, lines) => {
  expect(parseAgentFileLines(...lines)).toBe(1);
});

test.each<[what: string, lines: readonly string[], expected: unknown]>([
  ['a text', ['a: b\u2028c'], { a: 'b\u2028c' }],
  ['a flow list', ['a: [b\u2028c]'], { a: ['b\u2028c'] }],
  ['a quoted text', ['a: "b\\\u2028c"'], { a: 'b\u2028c' }],
  ['a comment', ['a: b # c\u2028d'], { a: 'b' }],
])(
  'parseFrontMatter does not treat the character U+2028 as a line break in %s',
  (_, lines, expected) => {
    expect(readHeaderValues(...lines)).toEqual(expected);
  },
);

test('parseFrontMatter accepts a file without a header and rejects a header without a closing line', () => {
  expect(parseFrontMatter('text')).toEqual({ headerValues: new Map(), body: 'text' });
  expect(parseFrontMatter('---\na: 1\n')).toBe(1);
});

test('parseFrontMatter and readSkill parse the skill file of the Playwright package', () => {
  const path = 'node_modules/playwright-core/lib/tools/skills/playwright-cli/SKILL.md';
  const text = readFileSync(path, 'utf8');
  const header = parseFrontMatter(text);
  if (typeof header === 'number') throw new Error(`Line ${header}`);
  expect(readHeaderText(header, 'name')).toBe('playwright-cli');
  expect(readHeaderList(header, 'allowed-tools')?.length).toBeGreaterThan(0);
  const location = { label: 'l', path: 'p', fallbackName: 'f' };
  expect(readSkill(text, location)).toMatchObject({ name: 'playwright-cli', path: 'p' });
});

test.each<[what: string, text: string, line: number]>([
  ['a missing description', '---\nname: a\n---\n', 1],
  ['an invalid name', '---\ndescription: d\nname: "a\\nb<"\n---\n', 3],
  ['a malformed header', '---\nname\n---\n', 2],
])('readSkill rejects a skill file and returns the line number of %s', (_, text, line) => {
  expect(readSkill(text, { label: 'l', path: 'p', fallbackName: 'f' })).toEqual({ line });
});

test('readSkill removes invisible characters and line breaks from the description', () => {
  const text = '---\ndescription: "a\\nb\u{E0041}"\n---\n';
  const skill = readSkill(text, { label: 'l', path: 'p', fallbackName: 'f' });
  expect(skill).toMatchObject({ name: 'f', description: 'a b' });
});

test('readScopedInstructions rejects a glob with too many alternatives', () => {
  const glob = '{a,b}'.repeat(20);
  expect(readScopedInstructions(`---\nx: 1\napplyTo: '${glob}'\n---\n`)).toEqual({ line: 3 });
});

test.each([
  ['**/*.ts', 'src/a.ts', true],
  ['src/**', 'src/a/b.c', true],
  ['*.ts, docs/**', 'docs/a.md', true],
  ['src/**/*.ts', 'test/a.ts', false],
  ['', 'a.ts', false],
])(
  'matchesAnyGlob checks whether one of the globs "%s" matches the path %s: %s',
  (globs, path, expected) => {
    expect(matchesAnyGlob(globs, path)).toBe(expected);
  },
);

const toolNames = [
  'read_file',
  'list_directory',
  'search_text',
  'edit_file',
  'run_command',
  'mcp_x',
];
const availableTools = new Map(
  toolNames.map((name) => [
    name,
    createTool(name, () => '', { kind: name === 'mcp_x' ? 'external' : 'read' }),
  ]),
);
const listNarrowedToolNames = (header: string): string[] => {
  const agent = readCustomAgent(`---\n${header}\n---\nText`, { label: 'l', fallbackName: 'f' });
  if ('line' in agent) throw new Error(`Line ${agent.line}`);
  return [...narrowTools(availableTools, agent).keys()];
};

test.each<[header: string, expected: readonly string[]]>([
  ['name: a', toolNames],
  ['tools: ["*"]', toolNames],
  ['tools: []', []],
  ['tools: [read]', ['read_file', 'list_directory']],
  ['tools: Read, Grep', ['read_file', 'list_directory', 'search_text']],
  ["tools: ['edit/createFile', 'search/codebase']", ['list_directory', 'search_text']],
  ['tools: [mcp_x, wallet_send]', ['mcp_x']],
  ['tools: Bash(git diff:*)', []],
  ['disallowedTools: Bash(git push:*)', toolNames.filter((name) => name !== 'run_command')],
  [
    'tools: Bash, Read\ndisallowedTools: "Bash(git push:*), Bash(rm:*)"',
    ['read_file', 'list_directory'],
  ],
  ['disallowedTools: run_in_terminal', toolNames.filter((name) => name !== 'run_command')],
  ['disallowedTools: ["*"]', []],
  ['disallowedTools: "*"', []],
  ['disallowedTools: []', toolNames],
  ['disallowedTools: Bash, Edit', ['read_file', 'list_directory', 'search_text', 'mcp_x']],
  ['disallowedTools: run_terminal_cmd', []],
  ['disallowedTools: BashOutput, ExitPlanMode, generate_image', toolNames],
  ['disallowedTools: PowerShell', toolNames.filter((name) => name !== 'run_command')],
  ['disallowedTools: mcp__x', toolNames.filter((name) => name !== 'mcp_x')],
  ['disallowedTools: mcp__other__send, other/send', toolNames],
  ['disallowedTools: constructor/__proto__', toolNames],
  ['disallowedTools: edit/applyPatch', []],
  ['disallowedTools: Execute/foo', []],
])('narrowTools returns only the tools that the header "%s" allows', (header, expected) => {
  expect(listNarrowedToolNames(header)).toEqual(expected);
});

test.each([
  'disallowedTools: { Bash: true }',
  'disallowedTools:\n  Bash: no',
  'disallowedTools: Ba*',
  'disallowedTools: [Bash run]',
  'disallowedTools: Terminal',
  'disallowedTools: Bash, Shell',
  'disallowedTools: constructor',
])('readCustomAgent rejects a header with the invalid list of excluded tools "%s"', (header) => {
  const text = `---\nname: a\n${header}\n---\nText`;
  expect(readCustomAgent(text, { label: 'l', fallbackName: 'f' })).toEqual({ line: 3 });
});

test('the skill tool reads a skill file through the read tool, whose permission rules therefore apply', async () => {
  const skill = { name: 'tides', description: 'd', path: '/home/me/tides/SKILL.md', label: 'l' };
  const requestedPaths: unknown[] = [];
  const tool = createSkillTool([skill], {
    ...createTool('read_file', () => ''),
    plan: (call) => {
      const path = call['path'] as string;
      requestedPaths.push(path);
      const resource = { type: 'path', access: 'read', path } as const;
      return Promise.resolve({ verb: 'Read', target: path, resources: [resource] });
    },
    run: (call) => Promise.resolve({ output: `Text of ${call['path'] as string}` }),
  });
  const args = { name: 'tides', path: '/etc/passwd' };
  const context = {} as never;
  await expect(tool.run(args, context)).rejects.toThrow('The call was not planned.');
  expect((await tool.plan(args, context)).resources).toEqual([
    { type: 'path', access: 'read', path: skill.path },
  ]);
  expect((await tool.run(args, context)).output).toBe(
    `Skill folder: /home/me/tides\nText of ${skill.path}`,
  );
  expect(requestedPaths).toEqual([skill.path]);
  await expect(async () => tool.plan({ name: 'other' }, context)).rejects.toThrow('tides');
});
