import * as l10n from '@vscode/l10n';
import { argumentReason, programName, programReason } from './command-arguments.ts';
import {
  type CommandLine,
  commandReasons,
  type ShellKind,
  type SyntaxNode,
} from './command-line.ts';
import { isOption, readingGit } from './command-options.ts';
import { shapeOf } from './command-shapes.ts';
import { readBash, readPowerShell } from './command-shells.ts';
import { judgeCommandText, reachReason } from './command-text.ts';
import { allowed, type Reason, strictest, type Verdict } from '../../workspace/verdict.ts';

/**
 * The words of a command that stand for what it does: `git log`, `npm run build`, `node check.js`, `tsc`.
 * That is what a person allows for good, and never the whole line.
 */
export function prefixOf(command: readonly string[]): readonly string[] {
  const [program = '', ...args] = command;
  return command.slice(0, shapeOf(programName(program), args)?.words ?? 1);
}

/** Whether a command begins with the words of a prefix; one without words covers nothing. */
export function covers(prefix: readonly string[], command: readonly string[]): boolean {
  return prefix.length > 0 && prefix.every((word, at) => word === command[at]);
}

/**
 * Whether a command is on the built-in list of those that change nothing and show little. That a program is not
 * used to write or run anything is checked elsewhere, for every command.
 */
export function isReadingCommand([program = '', ...args]: readonly string[]): boolean {
  if (program === 'git') return readingGit.has(args.find((arg) => arg !== '--no-pager') ?? '');
  if (filters.has(program)) return args.every((arg) => filterArgument.test(arg));
  if (program === 'grep') return isGrepOfInput(args);
  return names.has(program) || cmdlets.has(program.toLowerCase());
}

const names: ReadonlySet<string> = new Set(
  `pwd ls dir echo true false whoami uname nproc arch basename dirname which find tree du df wc date
   stat`.split(/\s+/u),
);

/** Without their short forms: in another shell these can be programs of any kind. */
const cmdlets: ReadonlySet<string> = new Set(
  `get-childitem get-location get-date test-path split-path join-path measure-object select-object
   sort-object format-table format-list out-string out-null write-output write-host`.split(/\s+/u),
);

const filterArgument = /^(?:[+-]?\d+|-{1,2}[A-Za-z][\w=-]*)$/u;

/** Harmless while they read what the command before them wrote: only with options, never with a file. */
const filters: ReadonlySet<string> = new Set('cat head tail sort uniq nl rev tac'.split(' '));

/** One pattern, no file, not through folders. */
function isGrepOfInput(args: readonly string[]): boolean {
  const options = args.filter((arg) => isOption(arg));
  return (
    args.length - options.length === 1 &&
    options.every((arg) => /^-(?:[ivnowcEFxq]+|[ABC]\d+)$/u.test(arg))
  );
}

/** A command line and what its shell's grammar makes of it. */
export interface JudgedCommand {
  readonly shell: ShellKind;
  readonly commandLine: string;
  /** Of exactly `commandLine`; undefined when it could not be parsed. */
  readonly tree: SyntaxNode | undefined;
  /** Where it runs: relative to the workspace, `.` or empty for its root. */
  readonly cwd?: string;
  /** Whether that is the folder of the workspace itself; by default what `cwd` says. */
  readonly atRoot?: boolean;
}

/** What the person allowed beforehand. Nothing, unless they said so. */
export interface CommandGrants {
  /** First words of commands, each as decoded arguments: `['npm', 'test']`. */
  readonly prefixes: readonly (readonly string[])[];
  /** Whether the built-in list of commands that only read is allowed too. */
  readonly reading: boolean;
}

/** More commands in one line are for the person to read. */
export const maxCommands = 50;

/**
 * Whether a command line may run. Every one asks, unless each of its commands is one that the person allowed and
 * nothing about it is uncertain: all rules are asked, and the strictest answer stands.
 * A verdict that can be remembered is remembered as `commandPrefixes`.
 */
export function judgeCommand(command: JudgedCommand, grants: CommandGrants): Verdict {
  const { commands, verdicts } = examine(command);
  const unknown = commands.filter((words) => !isGranted(words, command, grants));
  const isAllowed = commands.length > 0 && unknown.length === 0;
  const grant = isAllowed ? allowed : asksFor(unknown);
  return withoutRepeats(strictest([...verdicts, grant]));
}

/**
 * What "always allow" would store: the first words of each command of the line, without those that are granted
 * already when `grants` is given. Undefined when the line is not plain enough to be remembered, or holds a secret.
 */
export function commandPrefixes(
  command: JudgedCommand,
  grants: CommandGrants = { prefixes: [], reading: false },
): readonly (readonly string[])[] | undefined {
  const { commands, verdicts } = examine(command);
  if (verdicts.length > 0 || commands.length === 0) return undefined;
  const prefixes = commands.filter((words) => !isGranted(words, command, grants)).map(prefixOf);
  return [...new Map(prefixes.map((words) => [words.join('\n'), words])).values()];
}

interface Findings {
  readonly commands: readonly (readonly string[])[];
  /** Of what no grant outweighs. */
  readonly verdicts: readonly Verdict[];
}

function examine(command: JudgedCommand): Findings {
  const { commands, reasons } = readCommandLine(command);
  const found = [
    ...reasons,
    ...(commands.length > maxCommands ? [tooMany()] : []),
    ...commands.flatMap(reasonsOf),
    ...changesFolder(commands),
    ...hiddenFolder(command.cwd ?? ''),
  ];
  return { commands, verdicts: [...judgeCommandText(command.commandLine), ...found.map(asks)] };
}

function readCommandLine({ shell, commandLine, tree }: JudgedCommand): CommandLine {
  // A tree of other text says nothing about this one.
  if (!tree || tree.text.trim() !== commandLine.trim()) {
    return { commands: [], reasons: [commandReasons.syntax()] };
  }
  return shell === 'bash' ? readBash(tree) : readPowerShell(tree);
}

function reasonsOf(words: readonly string[]): Reason[] {
  const [program = '', ...args] = words;
  // Not a path, not an empty word, nothing that only looks like a name.
  if (!/^[A-Za-z0-9][A-Za-z0-9._+-]*$/u.test(program)) return [unnamed()];
  const name = programName(program);
  const found = [programReason(name) ?? argumentReason(name, args), cmdletReason(name)];
  return [...found, ...args.map(reachReason)].filter((reason) => reason !== undefined);
}

/** Cmdlets are many and their names say what they do: those that do not only read are asked about. */
function cmdletReason(name: string): Reason | undefined {
  const verb = /^(?<verb>[a-z]+)-[a-z]+$/u.exec(name)?.groups?.['verb'];
  return verb !== undefined && cmdletVerbs.has(verb) ? cmdlet() : undefined;
}

const cmdletVerbs: ReadonlySet<string> = new Set(
  `add clear close copy debug disable disconnect dismount enable enter exit expand export import
   initialize install invoke lock merge mount move new open optimize pop publish push read receive
   register remove rename repair request reset restart restore resume revoke save send set start
   step stop suspend switch sync trace unblock uninstall unlock unpublish unregister update use
   wait watch`.split(/\s+/u),
);

/** Where a command runs decides what it does: with a change of folder, only what merely lists is left to grants. */
function changesFolder(commands: readonly (readonly string[])[]): Reason[] {
  const others = commands.filter(([name = '']) => !/^(?:cd|chdir)$/u.test(programName(name)));
  const moves = others.length < commands.length;
  const stays = others.every((words) => isReadingCommand(words) && !isGit(words));
  return moves && !stays ? [folder()] : [];
}

/** Every folder may be a repository with settings of its own, which name programs. */
const isGit = ([name = '']: readonly string[]): boolean => programName(name) === 'git';

/** Folders of tools, such as `.git`, hold what these tools run. */
const hiddenFolder = (cwd: string): Reason[] =>
  cwd.split(/[/\\]/u).some((name) => /^\.[^.]|^\.\.\./u.test(name)) ? [toolFolder()] : [];

function isGranted(
  words: readonly string[],
  { shell, cwd = '', atRoot = cwd === '' || cwd === '.' }: JudgedCommand,
  grants: CommandGrants,
): boolean {
  const reads = isReadingCommand(words) ? atRoot || !isGit(words) : words[0] === 'cd';
  if (grants.reading && reads) return true;
  return grants.prefixes.some((prefix) => covers(folded(prefix, shell), folded(words, shell)));
}

/** PowerShell takes `Get-Item` and `get-item` for the same. */
const folded = (words: readonly string[], shell: ShellKind): readonly string[] =>
  shell === 'bash' ? words : words.map((word) => word.toLowerCase());

const asks = (reason: Reason): Verdict => ({
  decision: 'ask',
  reasons: [reason],
  rememberable: false,
});

function asksFor(commands: readonly (readonly string[])[]): Verdict {
  const names = commands.map((words) => `\`${prefixOf(words).join(' ')}\``);
  const text =
    names.length > 0 && names.length <= 5
      ? l10n.t('You have not allowed {0} to run without asking.', [...new Set(names)].join(', '))
      : l10n.t('Commands run with your rights.');
  return { decision: 'ask', reasons: [{ code: 'command', text }], rememberable: true };
}

function withoutRepeats(verdict: Verdict): Verdict {
  const reasons = [...new Map(verdict.reasons.map((reason) => [reason.text, reason])).values()];
  return { ...verdict, reasons };
}

const tooMany = (): Reason => ({
  code: 'too-long',
  text: l10n.t('It runs more than {0} commands.', maxCommands),
});
const unnamed = (): Reason => ({
  code: 'program',
  text: l10n.t('It runs a program by its path, or by a name that is not plain.'),
});
const cmdlet = (): Reason => ({
  code: 'changes-files',
  text: l10n.t('It is a cmdlet that changes something.'),
});
const folder = (): Reason => ({
  code: 'directory',
  text: l10n.t('It changes the folder before it runs other commands.'),
});
const toolFolder = (): Reason => ({
  code: 'directory',
  text: l10n.t('It runs in a folder that belongs to a tool.'),
});
