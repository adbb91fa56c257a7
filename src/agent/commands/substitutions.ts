import type { SyntaxNode } from './command-line.ts';

/** A command substitution that contains no other substitution. */
export interface Substitution {
  /** Complete text of the substitution in the command line, such as `$(ls)`. */
  readonly text: string;
  /** Command line inside the substitution, such as `ls` for `$(ls)`. */
  readonly innerCommand: string;
  /** True inside double quotes, where Bash does not split the output into words. */
  readonly isQuoted: boolean;
  /**
   * True if another command of the line ends before Bash runs the substitution, and so can change its output. Also true
   * inside a `sed` command, because the output could become its script. False if only `echo` receives the output,
   * because `echo` just prints it.
   */
  readonly canOutputChange: boolean;
}

/**
 * Checks whether a command reads no input, and prints the same output on each run while no file changes. The rules
 * check the output of one run, but the outer program receives the output of a later run.
 */
export function hasRepeatableOutput([program = '', ...args]: readonly string[]): boolean {
  const hasFile = args.some((word) => !word.startsWith('-'));
  switch (program) {
    case 'echo':
    case 'pwd':
    case 'basename':
    case 'dirname':
    case 'which':
      return true;
    case 'ls':
      return args.every((word) => /^(?:-[1AadpR]+|[^-].*)$/su.test(word));
    case 'cat':
      return hasFile && args.every((word) => /^[^-]/u.test(word));
    case 'find':
      return hasFile && args.every((word) => !/^-(?:[acm](?:min|time)|newer\w*)$/u.test(word));
    case 'git':
      return hasRepeatableGitOutput(args);
    default:
      return false;
  }
}

/**
 * Checks whether a command is a Git command that prints the same output on each run. Such output contains no relative
 * dates.
 */
function hasRepeatableGitOutput([name = '', ...args]: readonly string[]): boolean {
  if (args.some((word) => /^--(?:format|sort)|@\{/u.test(word)))
    return name === 'log' && args.every((word) => /^--format=%[hHs]$/u.test(word));
  if (/^(?:rev-parse|ls-files|branch|merge-base|describe)$/u.test(name)) return true;
  return (
    name === 'log' && args.every((word) => /^(?:--oneline|-n|-?\d+|--format=%[hHs])$/u.test(word))
  );
}

/**
 * Checks whether a command is known to end immediately. While any other command runs, files can change before a later
 * substitution reads them.
 */
export const isQuickCommand = (commandLine: string): boolean =>
  quickCommandPattern.test(commandLine);

const quickCommandPattern =
  /^\s*(?:echo|printf|cat|pwd|basename|dirname|ls(?!.*-\w*R)|date|git rev-parse)\b[^;&|\n]*$/u;

/**
 * Finds a substitution in a Bash tree that contains no other substitution, and whose output becomes words of a command
 * or text in double quotes.
 * @returns undefined if no substitution can be replaced with its output
 */
export const findSubstitution = (tree: SyntaxNode): Substitution | undefined =>
  findSubstitutionInChildren(tree, [], { count: 0 });

/**
 * Finds a substitution in the children of a node, as {@link findSubstitution} does for a whole tree; undefined if none
 * exists.
 * @param programs Programs of the commands around the node.
 * @param commandCounter Number of commands that end before Bash expands the node.
 */
function findSubstitutionInChildren(
  node: SyntaxNode,
  programs: readonly string[],
  commandCounter: { count: number },
): Substitution | undefined {
  const isCommand = node.type === 'command';
  const name = node.children.find(({ type }) => type === 'command_name')?.text ?? '';
  const enclosingPrograms = isCommand ? [...programs, name] : programs;
  for (const child of node.children) {
    const isSubstitution = child.type === 'command_substitution';
    // The commands inside a substitution end after Bash expands their own words.
    const childCommandCounter = isSubstitution ? { ...commandCounter } : commandCounter;
    const nestedSubstitution = findSubstitutionInChildren(
      child,
      enclosingPrograms,
      childCommandCounter,
    );
    if (nestedSubstitution) return nestedSubstitution;
    const innerCommand = /^\$\((?<inner>[^]*)\)$/u.exec(child.text)?.groups?.['inner'];
    const isWord = isCommand || node.type === 'string';
    if (!isSubstitution || innerCommand === undefined || !isWord) continue;
    return {
      text: child.text,
      innerCommand,
      isQuoted: node.type === 'string',
      canOutputChange:
        enclosingPrograms.includes('sed') ||
        ((commandCounter.count > 0 || childCommandCounter.count > 1) &&
          enclosingPrograms.some((program) => program !== 'echo')),
    };
  }
  if (isCommand) commandCounter.count += 1;
  return undefined;
}

/**
 * Replaces a substitution with its output as Bash does, and quotes every resulting word.
 * @returns undefined if Bash would treat the output as a file name pattern, or if the substitution occurs twice
 */
export function replaceSubstitution(
  commandLine: string,
  { text, isQuoted }: Substitution,
  output: string,
): string | undefined {
  const trimmedOutput = output.replace(/\n+$/u, '');
  const index = commandLine.indexOf(text);
  if (index < 0 || commandLine.includes(text, index + 1)) return undefined;
  if (!isQuoted && /[*?[\\]/u.test(trimmedOutput)) return undefined;
  const replacement = isQuoted
    ? trimmedOutput.replaceAll(/[\\"$`]/gu, String.raw`\$&`)
    : trimmedOutput
        .split(/[ \t\n]+/u)
        .filter((word) => word !== '')
        .map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
        .join(' ');
  return commandLine.slice(0, index) + replacement + commandLine.slice(index + text.length);
}
