import * as l10n from '@vscode/l10n';
import { findArgumentReason, getProgramName, findProgramReason } from './command-arguments.ts';
import {
  type CommandLine,
  commandReasons,
  type ShellKind,
  type SyntaxNode,
} from './command-line.ts';
import { findCommandShape } from './command-shapes.ts';
import { type GitAccess, getGitAccess } from './git-commands.ts';
import { readBashCommands, readPowerShellCommands } from './command-shells.ts';
import { checkCommandText, findUnsafeWordReason } from './command-text.ts';
import type { ReadingCommand } from './program-shape.ts';
import { isReadingCmdlet, takesPipedPaths } from './reading-cmdlets.ts';
import { listPathWords, findReadingCommand } from './reading-commands.ts';
import { hasRepeatableOutput } from './substitutions.ts';
import {
  allowedVerdict,
  type Reason,
  combineVerdicts,
  requireApproval,
  type Verdict,
} from '../../workspace/verdict.ts';

/**
 * Returns the words that identify the effect of a command, such as `git log`, `npm run build` or `tsc --noEmit`. A
 * permanent grant stores these words instead of the whole line.
 */
export function getCommandPrefix(command: readonly string[]): readonly string[] {
  const { leadingWords, limitingOptions, extendingOptions, cancelingOptions } =
    identifyCommand(command);
  return [
    ...leadingWords,
    ...new Set([
      ...limitingOptions,
      ...extendingOptions,
      ...(limitingOptions.length > 0 ? cancelingOptions : []),
    ]),
  ];
}

/**
 * Checks whether a stored prefix covers a command. The prefix must contain all words that identify the command, so
 * `git` alone does not cover `git commit`. If the prefix contains an option that limits the effect, such as
 * `--dry-run`, the command must contain it too. If the command contains an option that extends the effect, such as
 * `--amend`, the prefix must contain it too.
 */
export function isCoveredByPrefix(prefix: readonly string[], command: readonly string[]): boolean {
  const { leadingWords, limitingOptions, extendingOptions, cancelingOptions } =
    identifyCommand(command);
  const options = prefix.slice(leadingWords.length);
  const requiredOptions =
    limitingOptions.length > 0 ? [...extendingOptions, ...cancelingOptions] : extendingOptions;
  return (
    leadingWords.length > 0 &&
    leadingWords.every((word, index) => word === prefix[index]) &&
    options.every((option) =>
      [...limitingOptions, ...extendingOptions, ...cancelingOptions].includes(option),
    ) &&
    requiredOptions.every((option) => options.includes(option))
  );
}

interface CommandIdentity {
  readonly leadingWords: readonly string[];
  readonly limitingOptions: readonly string[];
  readonly extendingOptions: readonly string[];
  /**
   * Options such as `--patch` that cancel a limiting option such as `--stat`, so that the command again has its
   * complete effect.
   */
  readonly cancelingOptions: readonly string[];
}

function identifyCommand(command: readonly string[]): CommandIdentity {
  const [program = '', ...args] = command;
  const shape = findCommandShape(getProgramName(program), args);
  const leadingWords = command.slice(0, shape?.wordCount ?? 1);
  const rest = command.slice(leadingWords.length);
  const end = rest.indexOf('--');
  const selectMatches = (
    words: readonly string[],
    pattern: RegExp | undefined,
  ): readonly string[] => (pattern === undefined ? [] : words.filter((word) => pattern.test(word)));
  const limitingOptions = selectMatches(
    end < 0 ? rest : rest.slice(0, end),
    shape?.limitingOptionsPattern,
  );
  return {
    leadingWords,
    limitingOptions,
    // `--` can be the value of an option, so that an extension follows it.
    extendingOptions: selectMatches(rest, shape?.extendingOptionsPattern),
    cancelingOptions: selectMatches(rest, shape?.cancelingOptionsPattern),
  };
}

/** A command line and its syntax tree. */
export interface CheckedCommand {
  readonly shell: ShellKind;
  readonly commandLine: string;
  /** Syntax tree of exactly `commandLine`; undefined if the line could not be parsed. */
  readonly tree: SyntaxNode | undefined;
  /** Working directory relative to the workspace; `.` or empty for its root. */
  readonly cwd?: string;
  /**
   * True if the working directory is the workspace folder itself. Derived from `cwd` by default.
   */
  readonly isWorkspaceRoot?: boolean;
}

/** The user's grants that apply to a command line. */
export interface CommandGrants {
  /** Granted prefixes: the first words of commands, as decoded arguments such as `['npm', 'test']`. */
  readonly prefixes: readonly (readonly string[])[];
  /** True if the commands on the built-in list of read-only commands are allowed without a grant. */
  readonly isReadOnlyAllowed: boolean;
}

/** Maximum number of commands in one command line. A line with more commands always requires approval. */
export const maxCommands = 50;

/**
 * Decides whether a command line may run. The line requires no approval only if `grants` allow all of its commands and
 * the rules can determine the effect of every part of the line. The strictest verdict of all rules applies. If the user
 * can allow the line permanently, {@link listCommandPrefixes} returns the prefixes to store.
 */
export function checkCommand(command: CheckedCommand, grants: CommandGrants): Verdict {
  const { commands, verdicts } = examineCommand(command);
  const ungrantedCommands = commands.filter((words) => !isCommandGranted(words, command, grants));
  const isAllowed = commands.length > 0 && ungrantedCommands.length === 0;
  const grantVerdict = isAllowed ? allowedVerdict : requireApprovalForCommands(ungrantedCommands);
  // A grant has no effect if another rule requires approval.
  const hasReason = verdicts.some(({ reasons }) => reasons.length > 0);
  return removeDuplicateReasons(
    combineVerdicts([...verdicts, hasReason ? { ...grantVerdict, reasons: [] } : grantVerdict]),
  );
}

/**
 * Returns the prefixes that "always allow" would store: the {@link getCommandPrefix} of each command that `grants` does
 * not cover. Returns undefined if the line contains no command, or if a rule refuses the line or always requires
 * approval, for example because of a secret.
 */
export function listCommandPrefixes(
  command: CheckedCommand,
  grants: CommandGrants = { prefixes: [], isReadOnlyAllowed: false },
): readonly (readonly string[])[] | undefined {
  const { commands, verdicts } = examineCommand(command);
  if (verdicts.length > 0 || commands.length === 0) return undefined;
  const prefixes = commands
    .filter((words) => !isCommandGranted(words, command, grants))
    .map(getCommandPrefix);
  return [...new Map(prefixes.map((words) => [words.join('\n'), words])).values()];
}

/** Files and folders that one command of a line can access. They are checked before the command runs. */
export interface CommandAccess {
  /** Words after the program name that could name a file or folder. */
  readonly words: readonly string[];
  /**
   * File access of a command on the built-in list of read-only commands; undefined for a command that only a grant
   * allows.
   */
  readonly readingCommand: ReadingCommand | undefined;
  /** True if a grant of the user covers the command. Ignores the built-in list. */
  readonly isGranted: boolean;
  /** File access of a Git command that only reads files or shows changes; undefined for other commands. */
  readonly gitAccess: GitAccess | undefined;
  /** True if the command reads no input, and prints the same output on each run while no file changes. */
  readonly isRepeatable: boolean;
  /** Words that the rules accept only as names of folders. None of them may name an existing file. */
  readonly folderOnlyWords: readonly string[];
  /**
   * TypeScript configuration files of the command. The rules also check the files that these configurations extend.
   */
  readonly configurationFiles: readonly string[];
  /**
   * Folder that a command such as `cd` changes to, relative to its working directory. All later commands of the line
   * run in the new folder. Undefined for commands that change no folder.
   */
  readonly newFolder: string | undefined;
}

/** Returns the file access of each command of a line, in order. */
export function getCommandAccess(
  command: CheckedCommand,
  grants: CommandGrants,
): readonly CommandAccess[] {
  return readCommandLine(command).commands.map((words) => {
    const args = words.slice(1);
    return {
      words: listPathWords(getProgramName(words[0] ?? ''), args, command.shell),
      readingCommand: findReadingCommand(words, command.shell),
      isGranted: isCoveredByGrant(words, command.shell, grants),
      gitAccess: isGitCommand(words) ? getGitAccess(args) : undefined,
      isRepeatable: hasRepeatableOutput(words),
      folderOnlyWords: isFolderChange(words) ? args : listFolderOperands(words),
      configurationFiles: listConfigurationOperands(words),
      newFolder: isFolderChange(words) ? args[0] : undefined,
    };
  });
}

function listFolderOperands([program = '', ...args]: readonly string[]): readonly string[] {
  const { folderOperandsPattern } = findCommandShape(getProgramName(program), args) ?? {};
  return folderOperandsPattern === undefined
    ? []
    : args.filter((word) => folderOperandsPattern.test(word));
}

function listConfigurationOperands([program = '', ...args]: readonly string[]): readonly string[] {
  const { configurationPath } = findCommandShape(getProgramName(program), args) ?? {};
  return configurationPath === undefined ? [] : [configurationPath];
}

/**
 * Returns `LINE` if the command line is a single command `bash -c LINE` or `bash -lc LINE`; undefined for other command
 * lines. With `-lc`, Bash runs the user's profile before `LINE`, unless all commands of `LINE` are read-only.
 */
export function getNestedCommandLine(command: CheckedCommand): string | undefined {
  if (command.shell !== 'bash') return undefined;
  const { commands, reasons } = readCommandLine(command);
  const [words = []] = commands;
  const [program, option = '', line] = words;
  const isNested = program === 'bash' && /^-l?c$/u.test(option) && words.length === 3;
  return isNested && commands.length === 1 && reasons.length === 0 ? line : undefined;
}

/**
 * Checks whether every command of a line is on the built-in list of read-only commands or changes the working
 * directory.
 */
export function isReadOnlyLine(command: CheckedCommand): boolean {
  const { commands } = readCommandLine(command);
  return (
    commands.length > 0 &&
    commands.every((words) => isFolderChange(words) || findReadingCommand(words, command.shell))
  );
}

interface CommandFindings {
  readonly commands: readonly (readonly string[])[];
  /** Verdicts that apply regardless of grants. */
  readonly verdicts: readonly Verdict[];
}

function examineCommand(command: CheckedCommand): CommandFindings {
  const { commands, pipedCommands, reasons } = readCommandLine(command);
  const areReadingCommands = commands.every((words) => findReadingCommand(words, command.shell));
  const foundReasons = [
    // A read-only command ends by itself and changes nothing, even in the background.
    ...reasons.filter(({ code }) => !areReadingCommands || code !== 'background'),
    ...(commands.length > maxCommands ? [createCommandLimitReason()] : []),
    ...commands.flatMap((words) => findCommandReasons(words, command.shell)),
    ...findFolderChangeReasons(commands, command.shell),
    ...commands.flatMap((words, index) =>
      command.shell === 'powershell' &&
      pipedCommands.has(words) &&
      takesPipedPaths(words[0] ?? '', commands[index - 1]?.[0] ?? '')
        ? [createPipedPathsReason()]
        : [],
    ),
    ...findHiddenFolderReasons(command.cwd ?? ''),
  ];
  return {
    commands,
    verdicts: [...checkCommandText(command.commandLine), ...foundReasons.map(requireApproval)],
  };
}

function readCommandLine({ shell, commandLine, tree }: CheckedCommand): CommandLine {
  // A tree of another text does not describe this command.
  if (!tree || tree.text.trim() !== commandLine.trim()) {
    return { commands: [], pipedCommands: new Set(), reasons: [commandReasons.syntax()] };
  }
  return shell === 'bash' ? readBashCommands(tree) : readPowerShellCommands(tree);
}

function findCommandReasons(words: readonly string[], shell: ShellKind): Reason[] {
  const [program = '', ...args] = words;
  // Rejects paths, empty words, and anything that only looks like a name.
  if (!/^[A-Za-z0-9][A-Za-z0-9._+-]*$/u.test(program)) return [createUnnamedProgramReason()];
  const name = getProgramName(program);
  const foundReasons = [
    findProgramReason(name) ?? findArgumentReason(name, args, shell),
    findCmdletReason(name),
  ];
  const paths = listPathWords(name, args, shell);
  return [...foundReasons, ...paths.map((word) => findUnsafeWordReason(word, shell, name))].filter(
    (reason) => reason !== undefined,
  );
}

/**
 * Returns a reason to require approval of a cmdlet whose verb, such as `Remove`, is on a list of verbs that can do more
 * than read. Checks only the verb, because there are too many cmdlets to list. Returns undefined for other commands.
 */
function findCmdletReason(name: string): Reason | undefined {
  if (isReadingCmdlet(name)) return undefined;
  const verb = /^(?<verb>[a-z]+)-[a-z]+$/u.exec(name)?.groups?.['verb'];
  return verb !== undefined && changingVerbs.has(verb) ? createCmdletReason() : undefined;
}

const changingVerbs: ReadonlySet<string> = new Set(
  `add clear close copy debug disable disconnect dismount enable enter exit expand export import
   initialize install invoke lock merge mount move new open optimize pop publish push read receive
   register remove rename repair request reset restart restore resume revoke save send set start
   step stop suspend switch sync trace unblock uninstall unlock unpublish unregister update use
   wait watch`.split(/\s+/u),
);

/**
 * Returns a reason to require approval of a line that changes the working directory, because the change can alter the
 * effect of later commands. Returns none for a single change if all other commands only read.
 */
function findFolderChangeReasons(
  commands: readonly (readonly string[])[],
  shell: ShellKind,
): Reason[] {
  const otherCommands = commands.filter((words) => !isFolderChange(words));
  const changeCount = commands.length - otherCommands.length;
  const areOthersReadOnly = otherCommands.every(
    (words) => findReadingCommand(words, shell) && !isGitCommand(words),
  );
  return changeCount > 1 || (changeCount === 1 && !areOthersReadOnly)
    ? [createFolderChangeReason()]
    : [];
}

const isFolderChange = ([name = '']: readonly string[]): boolean =>
  /^(?:cd|chdir)$/u.test(getProgramName(name));

/** Checks whether the program is Git, which can run other programs that the configuration of a repository names. */
const isGitCommand = ([name = '']: readonly string[]): boolean => getProgramName(name) === 'git';

/**
 * Returns a reason to require approval of a command that runs in a hidden folder of a tool, such as `.git`. Files in
 * such a folder can contain programs that the tool runs. Returns none for other folders.
 */
const findHiddenFolderReasons = (cwd: string): Reason[] =>
  cwd.split(/[/\\]/u).some((name) => /^\.[^.]|^\.\.\./u.test(name))
    ? [createToolFolderReason()]
    : [];

function isCommandGranted(
  words: readonly string[],
  { shell, cwd = '', isWorkspaceRoot = cwd === '' || cwd === '.' }: CheckedCommand,
  grants: CommandGrants,
): boolean {
  const isReading = findReadingCommand(words, shell)
    ? isWorkspaceRoot || !isGitCommand(words)
    : words[0] === 'cd';
  return (grants.isReadOnlyAllowed && isReading) || isCoveredByGrant(words, shell, grants);
}

const isCoveredByGrant = (
  words: readonly string[],
  shell: ShellKind,
  { prefixes }: CommandGrants,
): boolean =>
  prefixes.some((prefix) =>
    isCoveredByPrefix(normalizeProgramCase(prefix, shell), normalizeProgramCase(words, shell)),
  );

/**
 * Converts the program name to lower case for PowerShell, which treats `Get-Item` and `get-item` as the same command.
 * Options keep their case, because programs distinguish `-n` from `-N`.
 */
const normalizeProgramCase = (words: readonly string[], shell: ShellKind): readonly string[] =>
  shell === 'bash' ? words : words.map((word, index) => (index === 0 ? word.toLowerCase() : word));

function requireApprovalForCommands(commands: readonly (readonly string[])[]): Verdict {
  const names = commands.map((words) => `\`${getCommandPrefix(words).join(' ')}\``);
  const text =
    names.length > 0 && names.length <= 5
      ? l10n.t('You have not allowed {0} to run without asking.', [...new Set(names)].join(', '))
      : l10n.t('Commands can do whatever you can do.');
  return { decision: 'ask', reasons: [{ code: 'command', text }], isRememberable: true };
}

function removeDuplicateReasons(verdict: Verdict): Verdict {
  const reasons = [...new Map(verdict.reasons.map((reason) => [reason.text, reason])).values()];
  return { ...verdict, reasons };
}

const createCommandLimitReason = (): Reason => ({
  code: 'too-long',
  text: l10n.t('It is too long to be checked.'),
});
const createUnnamedProgramReason = (): Reason => ({
  code: 'program',
  text: l10n.t('It runs a program by its path, or by a name that is not plain.'),
});
const createCmdletReason = (): Reason => ({
  code: 'changes-files',
  text: l10n.t('It can change or remove files.'),
});
const createFolderChangeReason = (): Reason => ({
  code: 'directory',
  text: l10n.t('It changes the folder before it runs other commands.'),
});
const createPipedPathsReason = (): Reason => ({
  code: 'argument',
  text: l10n.t(
    'Parts of the command are only known when it runs: variables, wildcards or escapes.',
  ),
});
const createToolFolderReason = (): Reason => ({
  code: 'directory',
  text: l10n.t('It runs in a hidden folder, such as .git.'),
});
