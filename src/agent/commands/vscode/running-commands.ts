import type { ToolContext } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { CommandShell } from './shell.ts';
import { RunningCommand } from './running-command.ts';

/** Of one conversation: so many run in the background at once, and the output of so many that ended is kept. */
export const backgroundLimits = { running: 8, ended: 16 } as const;

/** Who starts a command: only the same conversation reads it, and `signal` fires when its turn is stopped. */
export type CommandOwner = Pick<ToolContext, 'conversationId' | 'signal'>;

/**
 * A command that outlives the turn that started it; its output is read in parts. It ends by itself, when that turn is
 * stopped, when its conversation stops it or is deleted, and with the window.
 */
export interface BackgroundCommand {
  readonly id: string;
  readonly conversationId: string;
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

  /** @throws ToolError `failed` also when too many of the conversation run already */
  startInBackground(
    { conversationId, signal }: CommandOwner,
    commandLine: string,
    cwd: string,
  ): BackgroundCommand {
    const running = this.#commandsOf(conversationId).filter(({ command }) => !command.end);
    if (running.length >= backgroundLimits.running) {
      throw new ToolError(
        'failed',
        `${running.length} commands run in the background already. Stop one first:\n${this.#list(conversationId)}`,
      );
    }
    const command = this.start(commandLine, cwd);
    const id = `command-${this.#started}`;
    const background = { id, conversationId, command, position: 0 };
    this.#background.set(id, background);
    stopOnAbort(command, signal);
    this.#forgetOldest(conversationId);
    return background;
  }

  /** @throws ToolError `not-found` with those that the conversation has; another one's are not there for it */
  find(conversationId: string, id: string): BackgroundCommand {
    const found = this.#background.get(id);
    if (found?.conversationId === conversationId) return found;
    const list = this.#list(conversationId) || 'There are none.';
    throw new ToolError('not-found', `No background command has the id "${id}".\n${list}`);
  }

  /** Ends what a conversation has in the background, at once, and forgets what it printed. */
  forget(conversationId: string): void {
    for (const { id, command } of this.#commandsOf(conversationId)) {
      this.#background.delete(id);
      if (!command.end) command.kill();
    }
  }

  #commandsOf(conversationId: string): BackgroundCommand[] {
    return [...this.#background.values()].filter(
      (command) => command.conversationId === conversationId,
    );
  }

  /** One line for each in the background; empty when there is none. */
  #list(conversationId: string): string {
    return this.#commandsOf(conversationId)
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
    try {
      return new RunningCommand({ shell: this.#shell, commandLine, cwd });
    } catch (error) {
      throw startFailure((error as NodeJS.ErrnoException).code);
    }
  }

  #forgetOldest(conversationId: string): void {
    const ended = this.#commandsOf(conversationId).filter(({ command }) => command.end);
    for (const { id } of ended.slice(0, -backgroundLimits.ended)) this.#background.delete(id);
  }
}

function stopOnAbort(command: RunningCommand, signal: AbortSignal): void {
  const stop = (): void => void command.stop();
  signal.addEventListener('abort', stop, { once: true });
  void command.ended.then(() => signal.removeEventListener('abort', stop));
}

/** The system's own message would tell where the shell is. */
export const startFailure = (code = 'unknown'): ToolError =>
  new ToolError('failed', `The command could not be started (${code}).`);
