import { join } from 'node:path';
import { createCommandParser } from './vscode/grammar-parser.ts';
import { type CommandGrants, commandPrefixes, judgeCommand } from './command-gate.ts';
import type { ShellKind } from './command-line.ts';
import type { Verdict } from '../../workspace/verdict.ts';

/** Folder of the packaged grammars. */
export const grammarFolder = join(
  import.meta.dirname,
  '../../../node_modules/@vscode/tree-sitter-wasm/wasm',
);

export const parser = createCommandParser(grammarFolder);

export const noGrants: CommandGrants = { prefixes: [], allowReadOnly: false };
export const readOnlyGrants: CommandGrants = { prefixes: [], allowReadOnly: true };

/** Grants all commands that begin with one of these words, and the built-in list. */
export const grantsFor = (programs: string): CommandGrants => ({
  prefixes: programs.split(' ').map((program) => [program]),
  allowReadOnly: true,
});

/** Judges a command line with the real grammar. */
export async function judge(
  commandLine: string,
  grants: CommandGrants,
  shell: ShellKind = 'bash',
  cwd = '',
): Promise<Verdict> {
  const tree = await parser.parse(shell, commandLine);
  return judgeCommand({ shell, commandLine, tree, cwd }, grants);
}

export async function prefixesOf(
  commandLine: string,
  shell: ShellKind = 'bash',
): Promise<readonly (readonly string[])[] | undefined> {
  const tree = await parser.parse(shell, commandLine);
  return commandPrefixes({ shell, commandLine, tree });
}
