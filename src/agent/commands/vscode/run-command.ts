import { posix } from 'node:path';
import * as vscode from 'vscode';
import { getNestedCommandLine, isReadOnlyLine } from '../command-gate.ts';
import { canTypeInShell } from '../command-text.ts';
import type { CommandParser, ShellKind } from '../command-line.ts';
import type { CommandResult, RunningCommand } from './running-command.ts';
import {
  type CommandInvocation,
  type CommandOwner,
  createStartError,
  type RunningCommands,
} from './running-commands.ts';
import { createCommandEnvironment, createReadingEnvironment } from './shell.ts';
import type { Tool, ToolArguments, ToolContext, ToolPlan, ToolResult } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { PathResolver, ResolvedPath } from '../../../workspace/vscode/paths.ts';

/** Time limits of commands in seconds. */
export const commandLimits = {
  timeoutSeconds: 120,
  maxTimeoutSeconds: 600,
  maxWaitSeconds: 60,
} as const;

/** Maximum number of characters in a command line. Operating systems limit the length of one argument. */
const maxCommandLength = 30_000;

export interface RunCommandArguments {
  readonly commandLine: string;
  readonly cwd: string;
  readonly timeoutSeconds: number;
  readonly isBackground: boolean;
}

/** Reads the arguments of a `run_command` call. Ignores unknown arguments, such as a claim that the command is safe. */
export function readRunArguments(args: ToolArguments): RunCommandArguments {
  const { command: commandLine, cwd = '.', background = false } = args;
  if (typeof commandLine !== 'string' || commandLine.trim() === '') {
    throw new ToolError('bad-arguments', 'Give the command as text.');
  }
  if (commandLine.length > maxCommandLength) {
    throw new ToolError(
      'too-large',
      `A command has at most ${maxCommandLength} characters. Put long text into a file.`,
    );
  }
  if (typeof cwd !== 'string' || typeof background !== 'boolean') {
    throw new ToolError('bad-arguments', '`cwd` is text, `background` is true or false.');
  }
  const timeout = readSeconds(args, 'timeout_seconds', commandLimits.timeoutSeconds);
  return {
    commandLine,
    cwd: cwd === '' ? '.' : cwd,
    timeoutSeconds: Math.min(Math.max(timeout, 1), commandLimits.maxTimeoutSeconds),
    isBackground: background,
  };
}

export function readCommandId({ id }: ToolArguments): string {
  if (typeof id !== 'string') throw new ToolError('bad-arguments', 'Give the id of a command.');
  return id;
}

/** Returns the value of `wait_seconds`, limited to the range from 0 to 60 seconds; 0 if the argument is missing. */
export function readWaitSeconds(args: ToolArguments): number {
  const waitSeconds = readSeconds(args, 'wait_seconds', 0);
  return Math.min(Math.max(waitSeconds, 0), commandLimits.maxWaitSeconds);
}

function readSeconds(args: ToolArguments, name: string, fallback: number): number {
  const value = args[name] ?? fallback;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new ToolError('bad-arguments', `\`${name}\` is a number of seconds.`);
}

/** Formats a command for the model: its status, then its output from byte position `startByte`. */
export function formatCommandReport(
  command: RunningCommand,
  status: string,
  startByte = 0,
): string {
  const output = command.output.getText(startByte).trimEnd();
  const emptyNote = startByte === 0 ? '(no output)' : '(no new output)';
  const isUncertain = command.result?.type === 'exit' && !command.isOutputComplete;
  return `${status}\n\n${output === '' ? emptyNote : output}${isUncertain ? uncertainOutputNote : ''}`;
}

const uncertainOutputNote =
  '\n[The terminal may not have reported the end of the output. If it matters, write the output to a file and read that.]';

/** Formats the result of a command, such as `Exit code 1 after 2.3 s.` */
export const formatCommandResult = (
  result: CommandResult,
  { durationMs }: RunningCommand,
): string => `${describeCommandResult(result)} after ${formatSeconds(durationMs)}.`;

export const formatSeconds = (durationMs: number): string => `${(durationMs / 1000).toFixed(1)} s`;

function describeCommandResult(result: CommandResult): string {
  switch (result.type) {
    case 'exit':
      return `Exit code ${result.code}`;
    case 'unknown':
      return 'Ended without an exit code';
    case 'signal':
      return `Ended by ${result.signal}`;
    case 'error':
      return `Not started (${result.code})`;
  }
}

interface RunCommandParts {
  readonly paths: PathResolver;
  readonly commands: RunningCommands;
  readonly shell: ShellKind;
  readonly parser: CommandParser;
  /** Returns the full paths of the workspace folders on disk. */
  readonly listFolders: () => readonly string[];
  /** Checks whether approved commands should run in a terminal that the user can see. */
  readonly prefersTerminal?: () => boolean;
}

/**
 * Returns the environment for a command line, and whether the line can be typed into an interactive shell. Read-only
 * commands may run without approval, so they get an environment in which no workspace file can replace their programs.
 * All other commands get the user's environment.
 */
async function inspectCommand(
  commandLine: string,
  { shell, parser, listFolders }: RunCommandParts,
): Promise<{ readonly environment: Record<string, string>; readonly canBeTyped: boolean }> {
  const tree = await parser.parse(shell, commandLine);
  const nestedLine = getNestedCommandLine({ shell, commandLine, tree });
  const isReading = isReadOnlyLine(
    nestedLine === undefined
      ? { shell, commandLine, tree }
      : { shell, commandLine: nestedLine, tree: await parser.parse(shell, nestedLine) },
  );
  return {
    environment: isReading
      ? createReadingEnvironment(process.env, listFolders(), nestedLine !== undefined)
      : createCommandEnvironment(process.env),
    canBeTyped: canTypeInShell(commandLine, tree),
  };
}

/** Creates the tool that runs a command line and returns its output and exit code. */
export function createRunCommandTool(parts: RunCommandParts): Tool {
  /**
   * Working directory that was approved for each call. If its path leads to a different folder when the call runs, the
   * command does not run.
   */
  const plannedFolders = new WeakMap<ToolArguments, ResolvedPath>();
  return {
    name: 'run_command',
    kind: 'command',
    description: createDescription(parts.shell),
    parameters,
    async plan(args) {
      const { commandLine, cwd, isBackground } = readRunArguments(args);
      const folder = await findFolder(parts.paths, cwd);
      plannedFolders.set(args, folder);
      return createPlan(commandLine, folder, isBackground, parts.shell);
    },
    async run(args, context) {
      const { commandLine, cwd, timeoutSeconds, isBackground } = readRunArguments(args);
      const folder = plannedFolders.get(args) ?? (await findFolder(parts.paths, cwd));
      const inspection = await inspectCommand(commandLine, parts);
      await parts.paths.checkPathUnchanged(folder);
      if (context.signal.aborted) throw new ToolError('stopped', 'Stopped before it began.');
      const invocation: CommandInvocation = {
        commandLine,
        cwd: folder.uri.fsPath,
        environment: inspection.environment,
        isInTerminal:
          context.isApproved === true &&
          inspection.canBeTyped &&
          parts.prefersTerminal?.() === true,
      };
      if (isBackground) return startInBackgroundAndReport(parts.commands, context, invocation);
      const command = await parts.commands.startCommand(invocation, context.signal);
      return waitForCommandResult(command, timeoutSeconds, context);
    },
  };
}

const createDescription = (shell: ShellKind): string =>
  [
    `Runs a ${shell === 'bash' ? 'Bash' : 'PowerShell'} command line in the workspace and returns its exit code and output (long output: beginning and end).`,
    'Each command runs in a new shell: use `cwd` instead of `cd`; variables do not persist.',
    'No input and no terminal: use options such as `--yes`, and never start editors or pagers.',
    'Set `background` for servers and watchers, and read their output with `read_command_output` (through `more_tools`). Other processes are killed when the command ends.',
    'The user confirms each command unless such commands are allowed. Prefer plain commands without redirects, substitutions or variables, and `git diff --no-renames --no-ext-diff --no-textconv` for diffs. Use the file tools to read, search and edit files.',
  ].join(' ');

const parameters = {
  type: 'object',
  properties: {
    command: { type: 'string', description: 'The command line.' },
    cwd: {
      type: 'string',
      description:
        'Working folder, relative to the workspace. Default: the first workspace folder.',
    },
    timeout_seconds: {
      type: 'number',
      minimum: 1,
      maximum: commandLimits.maxTimeoutSeconds,
      description: `Time limit in seconds. Default ${commandLimits.timeoutSeconds}. Not for background commands.`,
    },
    background: {
      type: 'boolean',
      description:
        'Returns immediately with an id; the command continues after your turn. Stopping the turn ends it too.',
    },
  },
  required: ['command'],
} as const;

async function findFolder(paths: PathResolver, cwd: string): Promise<ResolvedPath> {
  const folder = await paths.resolvePath(cwd);
  if (folder.uri.scheme !== 'file') {
    throw new ToolError('refused-path', `${folder.label} is not on this machine's disk.`);
  }
  if (folder.facts.kind !== 'directory') {
    throw new ToolError('not-found', `There is no folder ${folder.label}.`);
  }
  // The permission rules check the folder that the label names.
  const { uri } = await paths.resolvePath(folder.label);
  if (uri.toString() !== folder.uri.toString())
    throw new ToolError('refused-path', `${folder.label} does not clearly name the folder.`);
  return folder;
}

function createPlan(
  commandLine: string,
  { label, uri }: ResolvedPath,
  isBackground: boolean,
  shell: ShellKind,
): ToolPlan {
  return {
    verb: isBackground ? vscode.l10n.t('Start') : vscode.l10n.t('Run'),
    target: commandLine,
    resources: [
      { type: 'command', commandLine, cwd: label, ...(isBackground ? { isBackground: true } : {}) },
    ],
    preview: {
      language: shell === 'bash' ? 'shellscript' : 'powershell',
      text: commandLine,
      // Shows the name of the folder, because a dot does not identify the folder if several windows
      // are open.
      cwd: label === '.' ? posix.basename(uri.path) : label,
      files: [],
    },
  };
}

/**
 * Milliseconds to wait for the end of a new background command, because most commands with a mistake fail immediately.
 */
const startupWatchMs = 500;

async function startInBackgroundAndReport(
  commands: RunningCommands,
  owner: CommandOwner,
  invocation: CommandInvocation,
): Promise<ToolResult> {
  const backgroundCommand = await commands.startInBackground(owner, invocation);
  const { command, id } = backgroundCommand;
  const result = await Promise.race([command.whenEnded, startDelay(startupWatchMs).promise]);
  if (result?.type === 'error') throw createStartError(result.code);
  const status = result
    ? formatCommandResult(result, command)
    : `Running in the background as ${id}.`;
  const output = formatCommandReport(command, status);
  backgroundCommand.readByteCount = command.output.completeLength;
  return { output, hasFailed: result !== undefined && !isSuccess(result) };
}

async function waitForCommandResult(
  command: RunningCommand,
  timeoutSeconds: number,
  { signal }: ToolContext,
): Promise<ToolResult> {
  const timer = startDelay(timeoutSeconds * 1000);
  const cancellation = Promise.withResolvers<'stopped'>();
  const stop = (): void => cancellation.resolve('stopped');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const result = await Promise.race([command.whenEnded, timer.promise, cancellation.promise]);
    if (result === 'stopped') return await stopCommandAndReport(command, 'Stopped by the user');
    if (result === undefined) return await stopCommandAndReport(command, 'Timed out and was ended');
    if (result.type === 'error') throw createStartError(result.code);
    return {
      output: formatCommandReport(command, formatCommandResult(result, command)),
      hasFailed: !isSuccess(result),
    };
  } finally {
    timer.clear();
    signal.removeEventListener('abort', stop);
  }
}

async function stopCommandAndReport(command: RunningCommand, status: string): Promise<ToolResult> {
  await command.stop();
  const text = `${status} after ${formatSeconds(command.durationMs)}.`;
  return { output: formatCommandReport(command, text), hasFailed: true };
}

const isSuccess = (result: CommandResult): boolean =>
  result.type === 'unknown' || (result.type === 'exit' && result.code === 0);

function startDelay(ms: number): {
  readonly promise: Promise<undefined>;
  readonly clear: () => void;
} {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  return { promise, clear: () => clearTimeout(timer) };
}
