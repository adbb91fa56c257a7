import { expect, test } from 'vitest';
import { readProductSources } from './sources.ts';

const sources = [...readProductSources()];

test('the agent provides only the listed tools, none of which accesses a wallet, a key or a setting', () => {
  const toolNames = sources
    .filter(([path]) => path.startsWith('src/agent/'))
    .flatMap(([, text]) => [...text.matchAll(/^\s+name: '(?<name>[a-z_]+)',$/gmu)])
    .map(({ groups }) => groups?.['name'] ?? '');
  expect(toolNames.toSorted()).toEqual([
    'ask_user',
    'create_file',
    'delegate',
    'delete_file',
    'edit_cells',
    'edit_file',
    'find_files',
    'find_references',
    'find_symbols',
    'get_problems',
    'go_to_definition',
    'list_directory',
    'load_skill',
    'open_file',
    'read_command_output',
    'read_file',
    'rename_file',
    'run_command',
    'search_text',
    'show_diff',
    'stop_command',
    'update_todos',
  ]);
});

test('only the modules for commands, Git and ripgrep start processes, only the command terminal module opens terminals, and no module starts a task', () => {
  const processSources = sources.filter(([, text]) => text.includes('node:child_process'));
  expect(processSources.map(([path]) => path).toSorted()).toEqual([
    'src/agent/commands/vscode/command-files.ts',
    'src/agent/commands/vscode/process-tree.ts',
    'src/agent/commands/vscode/running-command.ts',
    'src/editor/vscode/change-review.ts',
    'src/platform/git.ts',
    'src/workspace/vscode/ripgrep.ts',
  ]);
  const listPaths = (pattern: RegExp): readonly string[] =>
    sources.filter(([, text]) => pattern.test(text)).map(([path]) => path);
  expect(listPaths(/\bcreateTerminal\b/u)).toEqual([
    'src/agent/commands/vscode/command-terminals.ts',
  ]);
  expect(listPaths(/\btasks\.executeTask\b/u)).toEqual([]);
});

test('the provider of code actions is synchronous and imports no other module at run time', () => {
  const text = new Map(sources).get('src/editor/vscode/code-actions.ts') ?? '';
  expect(text).toContain('): vscode.CodeAction[] {');
  expect(text.match(/\basync\b|\bawait\b|Promise|\.then\(|\bimport\(/gu)).toBeNull();
  const importMatches = [...text.matchAll(/^import (?<names>.*) from '(?<from>.*)';$/gmu)];
  expect(importMatches.map(({ groups }) => groups?.['names'])).toEqual([
    '* as vscode',
    'type { CommandId }',
  ]);
});
