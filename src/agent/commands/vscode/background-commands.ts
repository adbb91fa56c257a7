import * as vscode from 'vscode';
import type { Tool, ToolPlan } from '../../tool.ts';
import {
  commandReport,
  commandTimes,
  endText,
  readId,
  readWait,
  secondsText,
} from './run-command.ts';
import type { BackgroundCommand, RunningCommands } from './running-commands.ts';

const id = { type: 'string', description: 'As `run_command` returned it.' } as const;

/** Reads on in the output of a command that was started in the background. */
export function createReadOutputTool(commands: RunningCommands): Tool {
  return {
    name: 'read_command_output',
    kind: 'read',
    description:
      'Returns what a background command of `run_command` printed since it was last read, and whether it still runs.',
    parameters: {
      type: 'object',
      properties: {
        id,
        wait_seconds: {
          type: 'number',
          minimum: 0,
          maximum: commandTimes.longestWait,
          description: 'Waits so long at most for the command to end; not at all by default.',
        },
      },
      required: ['id'],
    },
    plan: async (args, { conversationId }) => {
      readWait(args);
      return planOf(commands.find(conversationId, readId(args)), {
        verb: vscode.l10n.t('Read output of'),
        done: vscode.l10n.t({ message: 'Read output of', comment: ['past'] }),
      });
    },
    async run(args, { conversationId, signal }) {
      const background = commands.find(conversationId, readId(args));
      await untilEnd(background, readWait(args) * 1000, signal);
      return { output: newOutput(background) };
    },
  };
}

/** Ends a command that the conversation started in the background. It touches nothing else, so nobody is asked. */
export function createStopCommandTool(commands: RunningCommands): Tool {
  return {
    name: 'stop_command',
    kind: 'command',
    description:
      'Ends a background command of `run_command` with everything that it started, and returns what it printed since it was last read.',
    parameters: { type: 'object', properties: { id }, required: ['id'] },
    plan: async (args, { conversationId }) => ({
      ...planOf(commands.find(conversationId, readId(args)), {
        verb: vscode.l10n.t('Stop'),
        done: vscode.l10n.t('Stopped'),
      }),
      resources: [{ type: 'own-process' }],
    }),
    async run(args, { conversationId }) {
      const background = commands.find(conversationId, readId(args));
      if (!background.command.end) {
        await background.command.stop();
        await background.command.ended;
      }
      return { output: newOutput(background) };
    },
  };
}

const planOf = (
  { command }: BackgroundCommand,
  words: Pick<ToolPlan, 'verb' | 'done'>,
): ToolPlan => ({
  ...words,
  target: command.commandLine,
  resources: [],
});

function newOutput(background: BackgroundCommand): string {
  const { command, position, id } = background;
  const how = command.end
    ? endText(command.end, command)
    : `${id} has been running for ${secondsText(command.milliseconds)}.`;
  const text = commandReport(command, how, position);
  background.position = command.output.wholeLength;
  return text;
}

/** Resolves at the end of the command, after `ms`, or when the person stops the turn. */
async function untilEnd(
  { command }: BackgroundCommand,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  if (ms === 0 || signal.aborted) return;
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  const stop = (): void => over.resolve();
  signal.addEventListener('abort', stop, { once: true });
  await Promise.race([command.ended, over.promise]);
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
}
