import type { ToolArguments } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';

/** In seconds. */
export const commandTimes = { timeout: 120, longestTimeout: 600, longestWait: 60 } as const;

/** Longer ones do not fit into what a system takes as one argument. In characters. */
const longestCommand = 30_000;

export interface RunCommandArguments {
  readonly commandLine: string;
  readonly cwd: string;
  /** In seconds. */
  readonly timeout: number;
  readonly background: boolean;
}

/** What else the model says, such as that a command were safe, is not looked at. */
export function readRunArguments(args: ToolArguments): RunCommandArguments {
  const { command: commandLine, cwd = '.', background = false } = args;
  if (typeof commandLine !== 'string' || commandLine.trim() === '') {
    throw new ToolError('bad-arguments', 'Give the command as text.');
  }
  if (commandLine.length > longestCommand) {
    throw new ToolError(
      'too-large',
      `A command has at most ${longestCommand} characters. Put long text into a file.`,
    );
  }
  if (typeof cwd !== 'string' || typeof background !== 'boolean') {
    throw new ToolError('bad-arguments', '`cwd` is text, `background` is true or false.');
  }
  const timeout = seconds(args, 'timeout_seconds', commandTimes.timeout);
  return {
    commandLine,
    cwd: cwd === '' ? '.' : cwd,
    timeout: Math.min(Math.max(timeout, 1), commandTimes.longestTimeout),
    background,
  };
}

export function readId({ id }: ToolArguments): string {
  if (typeof id !== 'string') throw new ToolError('bad-arguments', 'Give the id of a command.');
  return id;
}

/** In seconds, 0 to 60. */
export function readWait(args: ToolArguments): number {
  const wait = seconds(args, 'wait_seconds', 0);
  return Math.min(Math.max(wait, 0), commandTimes.longestWait);
}

function seconds(args: ToolArguments, name: string, otherwise: number): number {
  const value = args[name] ?? otherwise;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new ToolError('bad-arguments', `\`${name}\` is a number of seconds.`);
}
