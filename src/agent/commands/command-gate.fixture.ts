import { join } from 'node:path';
import { createCommandParser } from './vscode/grammar-parser.ts';
import {
  type CommandGrants,
  getCommandPrefix,
  listCommandPrefixes,
  checkCommand,
} from './command-gate.ts';
import type { ShellKind, SyntaxNode } from './command-line.ts';
import { readBashCommands, readPowerShellCommands } from './command-shells.ts';
import type { Verdict } from '../../workspace/verdict.ts';

/** Folder of the tree-sitter grammars in the npm package `@vscode/tree-sitter-wasm`. */
export const grammarFolder = join(
  import.meta.dirname,
  '../../../node_modules/@vscode/tree-sitter-wasm/wasm',
);

export const commandParser = createCommandParser(grammarFolder);

export const noGrants: CommandGrants = { prefixes: [], isReadOnlyAllowed: false };
export const readOnlyGrants: CommandGrants = { prefixes: [], isReadOnlyAllowed: true };

/** Grants for a test, optionally for every command of some programs. */
export interface TestGrants extends CommandGrants {
  /** Programs for which every command is granted. */
  readonly grantedPrograms?: ReadonlySet<string>;
}

/**
 * Creates the grants that "always allow" would store for every command of these programs, and allows the commands on
 * the built-in list of read-only commands.
 * @param programs Program names, separated by blanks.
 */
export const createGrantsForPrograms = (programs: string): TestGrants => ({
  prefixes: programs.split(' ').map((program) => [program]),
  isReadOnlyAllowed: true,
  grantedPrograms: new Set(programs.split(' ')),
});

/** Returns the verdict of `checkCommand` on a command line. Parses the line with the grammar that VS Code uses. */
export async function checkCommandLine(
  commandLine: string,
  { prefixes, isReadOnlyAllowed, grantedPrograms }: TestGrants,
  shell: ShellKind = 'bash',
  cwd = '',
): Promise<Verdict> {
  const tree = await commandParser.parse(shell, commandLine);
  const granted =
    tree && grantedPrograms
      ? [...prefixes, ...findProgramPrefixes(tree, shell, grantedPrograms)]
      : prefixes;
  return checkCommand({ shell, commandLine, tree, cwd }, { prefixes: granted, isReadOnlyAllowed });
}

function findProgramPrefixes(
  tree: SyntaxNode,
  shell: ShellKind,
  programs: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const { commands } = shell === 'bash' ? readBashCommands(tree) : readPowerShellCommands(tree);
  return commands
    .filter(([program = '']) => programs.has(shell === 'bash' ? program : program.toLowerCase()))
    .map(getCommandPrefix);
}

export async function getCommandPrefixes(
  commandLine: string,
  shell: ShellKind = 'bash',
): Promise<readonly (readonly string[])[] | undefined> {
  const tree = await commandParser.parse(shell, commandLine);
  return listCommandPrefixes({ shell, commandLine, tree });
}
