import { ToolError } from '../../agent/tool.ts';
import type { CommandShell } from './command-shell.ts';
import { RunningCommand } from './running-command.ts';

/** So many run in the background at once, and the output of so many that ended is kept. */
export const backgroundLimits = { running: 8, ended: 16 } as const;

/** A command that goes on while the conversation does; its output is read in parts. */
export interface BackgroundCommand {
  readonly id: string;
  readonly command: RunningCommand;
  /** Bytes of its output that were read already. */
  position: number;
}

/** All commands of this window. None outlives it. */
export class RunningCommands {
  readonly #shell: CommandShell;
  readonly #all = new Set<RunningCommand>();
  readonly #background = new Map<string, BackgroundCommand>();
  #started = 0;

  constructor(shell: CommandShell) {
    this.#shell = shell;
  }

  /** @throws ToolError `failed` when the system does not start it */
  start(commandLine: string, cwd: string): RunningCommand {
    const command = this.#spawn(commandLine, cwd);
    this.#all.add(command);
    void command.ended.then(() => this.#all.delete(command));
    return command;
  }

  /** @throws ToolError `failed` also when too many run already */
  startInBackground(commandLine: string, cwd: string): BackgroundCommand {
    const running = [...this.#background.values()].filter(({ command }) => !command.end);
    if (running.length >= backgroundLimits.running) {
      throw new ToolError(
        'failed',
        `${running.length} commands run in the background already. Stop one first:\n${this.list()}`,
      );
    }
    const command = this.start(commandLine, cwd);
    const background = { id: `command-${this.#started}`, command, position: 0 };
    this.#background.set(background.id, background);
    this.#forgetOldest();
    return background;
  }

  /** @throws ToolError `not-found` with those that there are */
  find(id: string): BackgroundCommand {
    const found = this.#background.get(id);
    if (found) return found;
    const list = this.list() || 'There are none.';
    throw new ToolError('not-found', `No background command has the id "${id}".\n${list}`);
  }

  /** One line for each in the background; empty when there is none. */
  list(): string {
    return [...this.#background.values()]
      .map(
        ({ id, command }) => `${id}: ${command.end ? 'ended' : 'running'}: ${command.commandLine}`,
      )
      .join('\n');
  }

  /** Ends everything that still runs, at once. */
  dispose(): void {
    for (const command of this.#all) command.kill();
    this.#all.clear();
  }

  #spawn(commandLine: string, cwd: string): RunningCommand {
    this.#started += 1;
    const id = String(this.#started);
    try {
      return new RunningCommand({ shell: this.#shell, commandLine, cwd, id });
    } catch (error) {
      throw notStarted((error as NodeJS.ErrnoException).code);
    }
  }

  #forgetOldest(): void {
    const ended = [...this.#background.values()].filter(({ command }) => command.end);
    for (const { id } of ended.slice(0, -backgroundLimits.ended)) this.#background.delete(id);
  }
}

/** The system's own message would tell where the shell is. */
export const notStarted = (code = 'unknown'): ToolError =>
  new ToolError('failed', `The command could not be started (${code}).`);
