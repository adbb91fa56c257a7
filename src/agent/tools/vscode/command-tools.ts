import type { ShellKind } from '../../commands/command-line.ts';
import type { Tool } from '../../tool.ts';
import type { Disposable } from '../../../base/disposable.ts';
import {
  createReadOutputTool,
  createStopCommandTool,
} from '../../commands/vscode/background-commands.ts';
import { findCommandShell } from '../../commands/vscode/shell.ts';
import type { Paths } from '../../../workspace/vscode/paths.ts';
import { createRunCommandTool } from '../../commands/vscode/run-command.ts';
import { RunningCommands } from '../../commands/vscode/running-commands.ts';

export interface CommandToolsOptions {
  readonly paths: Paths;
  /** Whether a folder of the workspace lies on this machine's disk: only there a command can run. */
  readonly onDisk: () => boolean;
}

export interface CommandTools extends Disposable {
  /** None while no folder is on disk. */
  readonly tools: readonly Tool[];
  /** Of the shell that runs commands: for the rules, and for what the model is told. */
  readonly shell: ShellKind;
  /** The conversation was deleted: ends what it has in the background. */
  forget(conversationId: string): void;
}

/** The tools that run commands. Disposing ends every command, those in the background too. */
export function createCommandTools({ paths, onDisk }: CommandToolsOptions): CommandTools {
  const shell = findCommandShell();
  const commands = new RunningCommands(shell);
  const tools = [
    createRunCommandTool({ paths, commands, shell: shell.kind }),
    createReadOutputTool(commands),
    createStopCommandTool(commands),
  ];
  return {
    get tools() {
      return onDisk() ? tools : [];
    },
    shell: shell.kind,
    forget: (conversationId) => commands.forget(conversationId),
    dispose: () => commands.dispose(),
  };
}
