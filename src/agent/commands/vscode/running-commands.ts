import type { ToolContext } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { CommandShell } from './shell.ts';
import type { CommandTerminals } from './command-terminals.ts';
import {
  type CommandStartOptions,
  ProcessCommand,
  type RunningCommand,
} from './running-command.ts';

/**
 * Maximum numbers of background commands per conversation: running commands, and ended commands whose output is
 * retained.
 */
export const backgroundLimits = { running: 8, ended: 16 } as const;

/**
 * Owner of a background command. Only the conversation of the owner can read the command's output. `signal` fires when
 * the user stops the owner's turn, which stops the command.
 */
export type CommandOwner = Pick<ToolContext, 'conversationId' | 'signal'>;

/** A command line and its folder and environment, to run in the shell of this window. */
export interface CommandInvocation extends Omit<CommandStartOptions, 'shell'> {
  /** True if the command should run in a terminal that the user can see. */
  readonly isInTerminal?: boolean;
}

/**
 * A command that continues after the tool call that started it. The command ends when a tool call of its conversation
 * stops it, the conversation is deleted, the user stops the turn, or the window closes.
 */
export interface BackgroundCommand {
  readonly id: string;
  readonly conversationId: string;
  readonly command: RunningCommand;
  /** Number of output bytes that the model has read. */
  readByteCount: number;
}

/** All commands of this window. Kills them when the window closes. */
export class RunningCommands {
  readonly #shell: CommandShell;
  readonly #terminals: Pick<CommandTerminals, 'startCommand' | 'dispose'> | undefined;
  readonly #allCommands = new Set<RunningCommand>();
  readonly #backgroundCommands = new Map<string, BackgroundCommand>();
  #backgroundCount = 0;

  /** @param terminals Terminals for commands. Omit them to run all commands outside a terminal. */
  constructor(shell: CommandShell, terminals?: Pick<CommandTerminals, 'startCommand' | 'dispose'>) {
    this.#shell = shell;
    this.#terminals = terminals;
  }

  /**
   * Starts a command for the current tool call.
   * @throws ToolError `failed` if the system cannot start the command; `stopped` if `signal` fires before the command
   *   starts
   */
  async startCommand(invocation: CommandInvocation, signal: AbortSignal): Promise<RunningCommand> {
    const command =
      (await this.#startInTerminal(invocation, signal)) ?? this.#spawnCommand(invocation);
    this.#allCommands.add(command);
    void command.whenEnded.then(() => this.#allCommands.delete(command));
    return command;
  }

  /**
   * Starts a command that continues after its tool call.
   * @throws ToolError `failed` if the system cannot start the command, or the conversation has too many running
   *   commands
   */
  async startInBackground(
    { conversationId, signal }: CommandOwner,
    invocation: CommandInvocation,
  ): Promise<BackgroundCommand> {
    const runningCommands = this.#listCommands(conversationId).filter(
      ({ command }) => !command.result,
    );
    if (runningCommands.length >= backgroundLimits.running) {
      throw new ToolError(
        'failed',
        `${runningCommands.length} commands run in the background already. Stop one first:\n${this.#formatCommandList(conversationId)}`,
      );
    }
    const command = await this.startCommand(invocation, signal);
    const id = `command-${++this.#backgroundCount}`;
    const backgroundCommand = { id, conversationId, command, readByteCount: 0 };
    this.#backgroundCommands.set(id, backgroundCommand);
    stopCommandOnAbort(command, signal);
    this.#removeOldestCommands(conversationId);
    return backgroundCommand;
  }

  /**
   * Finds a command of the conversation. Commands of other conversations are not accessible.
   * @throws ToolError `not-found` with a list of the conversation's commands
   */
  findCommand(conversationId: string, id: string): BackgroundCommand {
    const backgroundCommand = this.#backgroundCommands.get(id);
    if (backgroundCommand?.conversationId === conversationId) return backgroundCommand;
    const commandList = this.#formatCommandList(conversationId) || 'There are none.';
    throw new ToolError('not-found', `No background command has the id "${id}".\n${commandList}`);
  }

  /** Kills the conversation's background commands and deletes their output. */
  removeCommands(conversationId: string): void {
    for (const { id, command } of this.#listCommands(conversationId)) {
      this.#backgroundCommands.delete(id);
      if (!command.result) command.kill();
    }
  }

  #listCommands(conversationId: string): BackgroundCommand[] {
    return [...this.#backgroundCommands.values()].filter(
      (command) => command.conversationId === conversationId,
    );
  }

  /** Returns one line for each background command of the conversation; empty if none exist. */
  #formatCommandList(conversationId: string): string {
    return this.#listCommands(conversationId)
      .map(
        ({ id, command }) =>
          `${id}: ${command.result ? 'ended' : 'running'}: ${command.commandLine}`,
      )
      .join('\n');
  }

  /** Kills all commands that are still running. */
  dispose(): void {
    for (const command of this.#allCommands) command.kill();
    this.#allCommands.clear();
    this.#terminals?.dispose();
  }

  async #startInTerminal(
    { isInTerminal = false, commandLine, cwd }: CommandInvocation,
    signal: AbortSignal,
  ): Promise<RunningCommand | undefined> {
    const { terminalProgram: program } = this.#shell;
    if (!isInTerminal || program === undefined) return undefined;
    const command = await this.#terminals?.startCommand({ program, cwd, commandLine, signal });
    if (command === undefined && signal.aborted)
      throw new ToolError('stopped', 'Stopped before it began.');
    return command;
  }

  #spawnCommand(invocation: CommandInvocation): RunningCommand {
    try {
      return new ProcessCommand({ shell: this.#shell, ...invocation });
    } catch (error) {
      throw createStartError((error as NodeJS.ErrnoException).code);
    }
  }

  #removeOldestCommands(conversationId: string): void {
    const endedCommands = this.#listCommands(conversationId).filter(
      ({ command }) => command.result,
    );
    for (const { id } of endedCommands.slice(0, -backgroundLimits.ended))
      this.#backgroundCommands.delete(id);
  }
}

function stopCommandOnAbort(command: RunningCommand, signal: AbortSignal): void {
  const stop = (): void => void command.stop();
  signal.addEventListener('abort', stop, { once: true });
  void command.whenEnded.then(() => signal.removeEventListener('abort', stop));
}

/**
 * Creates the error for a command that could not start. Contains only the system's error code, because the system's
 * message would reveal the path of the shell.
 */
export const createStartError = (code = 'unknown'): ToolError =>
  new ToolError('failed', `The command could not be started (${code}).`);
