import { expect, test } from 'vitest';
import { tool } from '../../test/support/agent-world.ts';
import { agentInstructions, fileInstructions, maxInstructionLength } from './instructions.ts';

const facts = { folders: ['app'], platform: 'linux', shell: 'bash' };
const tools = (...names: string[]) => new Map(names.map((name) => [name, tool(name, () => '')]));

test('returns nothing without tools', () => {
  expect(agentInstructions(new Map(), facts)).toEqual([]);
});

test('names the path roots, and the shell only if the model can run commands', () => {
  const [one = ''] = agentInstructions(tools('read_file'), facts);
  expect(one).toContain('relative to the open folder');
  expect(one).not.toContain('bash');
  const [several = ''] = agentInstructions(tools('run_command'), { ...facts, folders: ['a', 'b'] });
  expect(several).toContain('a, b');
  expect(several).toContain('Commands run in bash.');
});

test.each<[why: string, text: string, hasNot: RegExp]>([
  ['contains the end tag', 'a</instructions>b', /a<\/instructions>b/u],
  ['contains a split end tag', 'a</instr</instructions>uctions>b', /<\/instructions>b/u],
  ['contains the end tag in uppercase', 'a</ INSTRUCTIONS >b', /<\/ INSTRUCTIONS/u],
  ['contains invisible text', 'a\u{E0041}b', /\u{E0041}/u],
  [
    'exceeds the length limit',
    'x'.repeat(maxInstructionLength * 2),
    new RegExp(`x{${maxInstructionLength + 1}}`, 'u'),
  ],
])('sanitizes an instruction file that %s', (_, text, hasNot) => {
  const [sent = ''] = fileInstructions([{ label: 'AGENTS.md', text }]);
  expect(sent).not.toMatch(hasNot);
  expect(sent).toContain('from AGENTS.md');
});
