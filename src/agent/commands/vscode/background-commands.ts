import * as vscode from 'vscode';
import type { Tool, ToolPlan } from '../../tool.ts';
import {
  formatCommandReport,
  commandLimits,
  formatCommandResult,
  readCommandId,
  readWaitSeconds,
  formatSeconds,
} from './run-command.ts';
import type { BackgroundCommand, RunningCommands } from './running-commands.ts';

const commandIdSchema = { type: 'string', description: 'Id that `run_command` returned.' } as const;

/** Creates the tool that returns new output of a background command. */
export function createReadOutputTool(commands: RunningCommands): Tool {
  return {
    name: 'read_command_output',
    summary: 'new output of a background command',
    kind: 'read',
    description: 'Returns the new output of a background command of `run_command`, and its state.',
    parameters: {
      type: 'object',
      properties: {
        id: commandIdSchema,
        wait_seconds: {
          type: 'number',
          minimum: 0,
          maximum: commandLimits.maxWaitSeconds,
          description: 'Maximum wait for the end of the command. Default: no wait.',
        },
      },
      required: ['id'],
    },
    plan: async (args, { conversationId }) => {
      readWaitSeconds(args);
      return createPlan(commands.findCommand(conversationId, readCommandId(args)), {
        verb: vscode.l10n.t('Read output of'),
      });
    },
    async run(args, { conversationId, signal }) {
      const backgroundCommand = commands.findCommand(conversationId, readCommandId(args));
      await waitForCommandEnd(backgroundCommand, readWaitSeconds(args) * 1000, signal);
      return { output: readNewOutput(backgroundCommand) };
    },
  };
}

/**
 * Creates the tool that stops a background command of the conversation. The tool affects nothing else, so its calls
 * require no approval.
 */
export function createStopCommandTool(commands: RunningCommands): Tool {
  return {
    name: 'stop_command',
    summary: 'stops a background command',
    kind: 'command',
    description:
      'Stops a background command of `run_command` with all its processes, and returns its new output.',
    parameters: { type: 'object', properties: { id: commandIdSchema }, required: ['id'] },
    plan: async (args, { conversationId }) => ({
      ...createPlan(commands.findCommand(conversationId, readCommandId(args)), {
        verb: vscode.l10n.t('Stop'),
      }),
      resources: [{ type: 'own-process' }],
    }),
    async run(args, { conversationId }) {
      const backgroundCommand = commands.findCommand(conversationId, readCommandId(args));
      if (!backgroundCommand.command.result) {
        await backgroundCommand.command.stop();
        await backgroundCommand.command.whenEnded;
      }
      return { output: readNewOutput(backgroundCommand) };
    },
  };
}

const createPlan = ({ command }: BackgroundCommand, verbs: Pick<ToolPlan, 'verb'>): ToolPlan => ({
  ...verbs,
  target: command.commandLine,
  resources: [],
});

function readNewOutput(backgroundCommand: BackgroundCommand): string {
  const { command, readByteCount, id } = backgroundCommand;
  const status = command.result
    ? formatCommandResult(command.result, command)
    : `${id} has been running for ${formatSeconds(command.durationMs)}.`;
  const text = formatCommandReport(command, status, readByteCount);
  backgroundCommand.readByteCount = command.output.completeLength;
  return text;
}

/** Resolves when the command ends, when the user stops the turn, or after `durationMs` at the latest. */
async function waitForCommandEnd(
  { command }: BackgroundCommand,
  durationMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (durationMs === 0 || signal.aborted) return;
  const expiration = Promise.withResolvers<void>();
  const timer = setTimeout(expiration.resolve, durationMs);
  const stop = (): void => expiration.resolve();
  signal.addEventListener('abort', stop, { once: true });
  await Promise.race([command.whenEnded, expiration.promise]);
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
}
