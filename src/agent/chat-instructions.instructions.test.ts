import type { Mode } from '../conversation/protocol.ts';
import { expect, test } from 'vitest';
import { createTool } from '../../test/support/agent-fixture.ts';
import {
  createAgentInstructions,
  formatInstructionFiles,
  maxInstructionLength,
} from './chat-instructions.ts';

const workspaceFacts = { folders: ['app'], platform: 'linux', shell: 'bash' };
const createTools = (...names: string[]) =>
  new Map(names.map((name) => [name, createTool(name, () => '')]));

test('createAgentInstructions returns no instructions if no tools are available', () => {
  expect(createAgentInstructions(new Map(), workspaceFacts)).toEqual([]);
});

test('createAgentInstructions tells the model to write a plan only in Plan mode, even if no tools are available', () => {
  const planPattern = /The user wants a plan/u;
  const createInstructionsInMode = (mode: Mode, names: ReturnType<typeof createTools>): string =>
    createAgentInstructions(names, { ...workspaceFacts, mode }).join('\n');
  expect(createInstructionsInMode('plan', createTools('read_file'))).toMatch(planPattern);
  expect(createInstructionsInMode('plan', new Map())).toMatch(planPattern);
  expect(createInstructionsInMode('ask', createTools('read_file'))).not.toMatch(planPattern);
  expect(createInstructionsInMode('agent', createTools('edit_file'))).not.toMatch(planPattern);
});

test('createAgentInstructions names the folders, and names the shell only if a tool runs commands', () => {
  const [singleFolderText = ''] = createAgentInstructions(createTools('read_file'), workspaceFacts);
  expect(singleFolderText).toContain('relative to the open folder');
  expect(singleFolderText).not.toContain('bash');
  const [severalFoldersText = ''] = createAgentInstructions(createTools('run_command'), {
    ...workspaceFacts,
    folders: ['a', 'b'],
  });
  expect(severalFoldersText).toContain('a, b');
  expect(severalFoldersText).toContain('Commands run in bash.');
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
])('formatInstructionFiles sanitizes an instruction file that %s', (_, text, excludedPattern) => {
  const [instructions = ''] = formatInstructionFiles([{ label: 'AGENTS.md', text }]);
  expect(instructions).not.toMatch(excludedPattern);
  expect(instructions).toContain('from AGENTS.md');
});
