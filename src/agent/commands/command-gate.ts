import * as l10n from '@vscode/l10n';
import { argumentReason, programName, programReason } from './command-arguments.ts';
import {
  type CommandLine,
  commandReasons,
  type ShellKind,
  type SyntaxNode,
} from './command-line.ts';
import { isOption, readOnlyGitCommands } from './command-options.ts';
import { commandShape } from './command-shapes.ts';
import { readBash, readPowerShell } from './command-shells.ts';
import { judgeCommandText, reachReason } from './command-text.ts';
import {
  allowedVerdict,
  type Reason,
  combineVerdicts,
  type Verdict,
} from '../../workspace/verdict.ts';

/**
 * Returns the leading words that identify what a command does: `git log`, `npm run build`, `node
 * check.js`, `tsc`. A permanent grant stores these words, never the whole line.
 */
export function commandPrefix(command: readonly string[]): readonly string[] {
  const [program = '', ...args] = command;
  return command.slice(0, commandShape(programName(program), args)?.words ?? 1);
}

/** Checks that a command begins with the words of a prefix. An empty prefix covers nothing. */
export function isCoveredByPrefix(prefix: readonly string[], command: readonly string[]): boolean {
  return prefix.length > 0 && prefix.every((word, index) => word === command[index]);
}

/**
 * Checks whether a command is on the built-in list of commands that change nothing and reveal
 * little. Other rules check every command for arguments that write or run something.
 */
export function isReadOnlyCommand([program = '', ...args]: readonly string[]): boolean {
  if (program === 'git')
    return readOnlyGitCommands.has(args.find((arg) => arg !== '--no-pager') ?? '');
  if (filterPrograms.has(program)) return args.every((arg) => filterArgument.test(arg));
  if (program === 'grep') return isGrepOfStdin(args);
  return readOnlyPrograms.has(program) || readOnlyCmdlets.has(program.toLowerCase());
}

const readOnlyPrograms: ReadonlySet<string> = new Set(
  `pwd ls dir echo true false whoami uname nproc arch basename dirname which find tree du df wc date
   stat`.split(/\s+/u),
);

/** Full names only: in another shell, the short forms can be any program. */
const readOnlyCmdlets: ReadonlySet<string> = new Set(
  `get-childitem get-location get-date test-path split-path join-path measure-object select-object
   sort-object format-table format-list out-string out-null write-output write-host`.split(/\s+/u),
);

const filterArgument = /^(?:[+-]?\d+|-{1,2}[A-Za-z][\w=-]*)$/u;

/**
 * Programs that are harmless as filters of another command's output: with options only, never with
 * a file.
 */
const filterPrograms: ReadonlySet<string> = new Set(
  'cat head tail sort uniq nl rev tac'.split(' '),
);

/** Accepts one pattern, no file and no recursion. */
function isGrepOfStdin(args: readonly string[]): boolean {
  const options = args.filter((arg) => isOption(arg));
  return (
    args.length - options.length === 1 &&
    options.every((arg) => /^-(?:[ivnowcEFxq]+|[ABC]\d+)$/u.test(arg))
  );
}

/** A command line and its syntax tree. */
export interface JudgedCommand {
  readonly shell: ShellKind;
  readonly commandLine: string;
  /** Tree of exactly `commandLine`; undefined when it could not be parsed. */
  readonly tree: SyntaxNode | undefined;
  /** Working directory relative to the workspace; `.` or empty for its root. */
  readonly cwd?: string;
  /**
   * True if the working directory is the workspace folder itself. Derived from `cwd` by default.
   */
  readonly isWorkspaceRoot?: boolean;
}

/** The user's grants. */
export interface CommandGrants {
  /** First words of commands, each as decoded arguments: `['npm', 'test']`. */
  readonly prefixes: readonly (readonly string[])[];
  /** Commands of the built-in read-only list are allowed too. */
  readonly allowReadOnly: boolean;
}

/** Maximum number of commands in a line that may run without approval. */
export const maxCommands = 50;

/**
 * Judges whether a command line may run. The user must approve it unless each of its commands is
 * granted and no part is uncertain. The strictest verdict of all rules applies. For a verdict that
 * can be remembered, {@link commandPrefixes} returns what to store.
 */
export function judgeCommand(command: JudgedCommand, grants: CommandGrants): Verdict {
  const { commands, verdicts } = examineCommand(command);
  const ungranted = commands.filter((words) => !isGranted(words, command, grants));
  const isAllowed = commands.length > 0 && ungranted.length === 0;
  const grantVerdict = isAllowed ? allowedVerdict : requireApprovalFor(ungranted);
  return withUniqueReasons(combineVerdicts([...verdicts, grantVerdict]));
}

/**
 * Returns what "always allow" would store: the first words of each command, without those that
 * `grants` covers. Undefined when the line is not plain enough to be remembered, or contains a
 * secret.
 */
export function commandPrefixes(
  command: JudgedCommand,
  grants: CommandGrants = { prefixes: [], allowReadOnly: false },
): readonly (readonly string[])[] | undefined {
  const { commands, verdicts } = examineCommand(command);
  if (verdicts.length > 0 || commands.length === 0) return undefined;
  const prefixes = commands
    .filter((words) => !isGranted(words, command, grants))
    .map(commandPrefix);
  return [...new Map(prefixes.map((words) => [words.join('\n'), words])).values()];
}

interface Findings {
  readonly commands: readonly (readonly string[])[];
  /** Verdicts that no grant overrides. */
  readonly verdicts: readonly Verdict[];
}

function examineCommand(command: JudgedCommand): Findings {
  const { commands, reasons } = readCommandLine(command);
  const found = [
    ...reasons,
    ...(commands.length > maxCommands ? [tooManyCommands()] : []),
    ...commands.flatMap(reasonsForCommand),
    ...folderChangeReasons(commands),
    ...hiddenFolderReasons(command.cwd ?? ''),
  ];
  return {
    commands,
    verdicts: [...judgeCommandText(command.commandLine), ...found.map(requireApproval)],
  };
}

function readCommandLine({ shell, commandLine, tree }: JudgedCommand): CommandLine {
  // A tree of another text does not describe this command.
  if (!tree || tree.text.trim() !== commandLine.trim()) {
    return { commands: [], reasons: [commandReasons.syntax()] };
  }
  return shell === 'bash' ? readBash(tree) : readPowerShell(tree);
}

function reasonsForCommand(words: readonly string[]): Reason[] {
  const [program = '', ...args] = words;
  // Rejects paths, empty words, and anything that only looks like a name.
  if (!/^[A-Za-z0-9][A-Za-z0-9._+-]*$/u.test(program)) return [unnamedProgram()];
  const name = programName(program);
  const found = [programReason(name) ?? argumentReason(name, args), cmdletReason(name)];
  return [...found, ...args.map(reachReason)].filter((reason) => reason !== undefined);
}

/**
 * Requires approval for cmdlets whose verb does more than read. Their names state the effect, and
 * there are too many to list.
 */
function cmdletReason(name: string): Reason | undefined {
  const verb = /^(?<verb>[a-z]+)-[a-z]+$/u.exec(name)?.groups?.['verb'];
  return verb !== undefined && changingVerbs.has(verb) ? changingCmdlet() : undefined;
}

const changingVerbs: ReadonlySet<string> = new Set(
  `add clear close copy debug disable disconnect dismount enable enter exit expand export import
   initialize install invoke lock merge mount move new open optimize pop publish push read receive
   register remove rename repair request reset restart restore resume revoke save send set start
   step stop suspend switch sync trace unblock uninstall unlock unpublish unregister update use
   wait watch`.split(/\s+/u),
);

/**
 * Requires approval after a change of folder, unless all other commands only list files. The folder
 * affects what a command does.
 */
function folderChangeReasons(commands: readonly (readonly string[])[]): Reason[] {
  const otherCommands = commands.filter(
    ([name = '']) => !/^(?:cd|chdir)$/u.test(programName(name)),
  );
  const changesFolder = otherCommands.length < commands.length;
  const onlyLists = otherCommands.every((words) => isReadOnlyCommand(words) && !isGit(words));
  return changesFolder && !onlyLists ? [folderChange()] : [];
}

/** Checks for git, which any folder can make run programs through a repository configuration. */
const isGit = ([name = '']: readonly string[]): boolean => programName(name) === 'git';

/**
 * Requires approval in a tool's folder such as `.git`, because it contains files that the tool
 * runs.
 */
const hiddenFolderReasons = (cwd: string): Reason[] =>
  cwd.split(/[/\\]/u).some((name) => /^\.[^.]|^\.\.\./u.test(name)) ? [toolFolder()] : [];

function isGranted(
  words: readonly string[],
  { shell, cwd = '', isWorkspaceRoot = cwd === '' || cwd === '.' }: JudgedCommand,
  grants: CommandGrants,
): boolean {
  const isReadOnly = isReadOnlyCommand(words)
    ? isWorkspaceRoot || !isGit(words)
    : words[0] === 'cd';
  if (grants.allowReadOnly && isReadOnly) return true;
  return grants.prefixes.some((prefix) =>
    isCoveredByPrefix(foldCase(prefix, shell), foldCase(words, shell)),
  );
}

/** PowerShell treats `Get-Item` and `get-item` as the same command. */
const foldCase = (words: readonly string[], shell: ShellKind): readonly string[] =>
  shell === 'bash' ? words : words.map((word) => word.toLowerCase());

const requireApproval = (reason: Reason): Verdict => ({
  decision: 'ask',
  reasons: [reason],
  rememberable: false,
});

function requireApprovalFor(commands: readonly (readonly string[])[]): Verdict {
  const names = commands.map((words) => `\`${commandPrefix(words).join(' ')}\``);
  const text =
    names.length > 0 && names.length <= 5
      ? l10n.t('You have not allowed {0} to run without asking.', [...new Set(names)].join(', '))
      : l10n.t('Commands run with your rights.');
  return { decision: 'ask', reasons: [{ code: 'command', text }], rememberable: true };
}

function withUniqueReasons(verdict: Verdict): Verdict {
  const reasons = [...new Map(verdict.reasons.map((reason) => [reason.text, reason])).values()];
  return { ...verdict, reasons };
}

const tooManyCommands = (): Reason => ({
  code: 'too-long',
  text: l10n.t('It runs more than {0} commands.', maxCommands),
});
const unnamedProgram = (): Reason => ({
  code: 'program',
  text: l10n.t('It runs a program by its path, or by a name that is not plain.'),
});
const changingCmdlet = (): Reason => ({
  code: 'changes-files',
  text: l10n.t('It is a cmdlet that changes something.'),
});
const folderChange = (): Reason => ({
  code: 'directory',
  text: l10n.t('It changes the folder before it runs other commands.'),
});
const toolFolder = (): Reason => ({
  code: 'directory',
  text: l10n.t('It runs in a folder that belongs to a tool.'),
});
