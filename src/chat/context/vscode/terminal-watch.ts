import * as vscode from 'vscode';
import { sanitizeLine, sanitizeOutput } from '../../../agent/tool.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { type GatherResult, explainUntrustedWorkspace } from './gather-workspace.ts';

/** Maximum length of the stored output of a command in characters. Of longer output, only the end is stored. */
const maxStoredCharacters = 200_000;
/** Maximum length of the output that is sent to the model, in characters. */
const maxSentCharacters = 30_000;

export type TerminalEvents = Pick<
  typeof vscode.window,
  | 'activeTerminal'
  | 'onDidStartTerminalShellExecution'
  | 'onDidEndTerminalShellExecution'
  | 'onDidCloseTerminal'
>;

interface CommandRun {
  readonly command: string;
  output: string;
  /** Exit code of the command. Undefined while the command runs, or if the shell reports no exit code. */
  exitCode: number | undefined;
  hasEnded: boolean;
}

/**
 * Stores the last command of each terminal and its output in memory. Starts when the chat is first used. Requires the
 * shell integration of VS Code.
 */
export class TerminalWatch implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly #terminalEvents: TerminalEvents;
  readonly #lastRuns = new Map<unknown, CommandRun>();
  readonly #runningCommands = new WeakMap<vscode.TerminalShellExecution, CommandRun>();
  #latestTerminal: vscode.Terminal | undefined;

  constructor(window: TerminalEvents = vscode.window) {
    this.#terminalEvents = window;
    this.#disposables.add(
      window.onDidStartTerminalShellExecution((event) => void this.#onCommandStart(event)),
    );
    this.#disposables.add(
      window.onDidEndTerminalShellExecution((event) => this.#onCommandEnd(event)),
    );
    this.#disposables.add(window.onDidCloseTerminal((terminal) => this.#lastRuns.delete(terminal)));
  }

  /** Checks whether a terminal has a command to attach. */
  get hasCommand(): boolean {
    return this.#lastRuns.size > 0;
  }

  /**
   * Returns the last command of a terminal and its output.
   * @param terminal Terminal whose context menu the user opened. Default: the active terminal if it ran a command,
   * else the terminal that ran one most recently.
   */
  gatherLastCommand(terminal?: unknown): GatherResult {
    const refusal = explainUntrustedWorkspace();
    if (refusal !== undefined) return { refusal };
    const candidates =
      terminal === undefined
        ? [this.#terminalEvents.activeTerminal, this.#latestTerminal]
        : [terminal];
    const [run] = candidates.flatMap((candidate) => this.#lastRuns.get(candidate) ?? []);
    if (run === undefined) return { refusal: getNoCommandMessage() };
    return {
      kind: 'terminal',
      label: vscode.l10n.t('Terminal: {0}', sanitizeLine(run.command, 80)),
      language: '',
      text: formatRun(run),
    };
  }

  dispose(): void {
    this.#disposables.dispose();
    this.#lastRuns.clear();
  }

  async #onCommandStart({
    terminal,
    execution,
  }: vscode.TerminalShellExecutionStartEvent): Promise<void> {
    const run: CommandRun = {
      command: execution.commandLine.value,
      output: '',
      exitCode: undefined,
      hasEnded: false,
    };
    this.#lastRuns.set(terminal, run);
    this.#runningCommands.set(execution, run);
    this.#latestTerminal = terminal;
    // VS Code provides only output that arrives after the call of `read`.
    for await (const data of execution.read()) {
      run.output = (run.output + data).slice(-maxStoredCharacters);
    }
  }

  #onCommandEnd({ execution, exitCode }: vscode.TerminalShellExecutionEndEvent): void {
    const run = this.#runningCommands.get(execution);
    if (run === undefined) return;
    run.exitCode = exitCode;
    run.hasEnded = true;
  }
}

function formatRun({ command, output, exitCode, hasEnded }: CommandRun): string {
  const exitNote = exitCode === undefined ? '' : `\n[It ended with exit code ${exitCode}.]`;
  const statusNote = hasEnded ? exitNote : '\n[It still runs.]';
  return `$ ${sanitizeOutput(command, 2_000)}\n${sanitizeOutput(output, maxSentCharacters).trim()}${statusNote}`;
}

const getNoCommandMessage = (): string =>
  vscode.l10n.t(
    'No command has run in a terminal since the chat was opened, or its shell does not report commands. Run one, or paste its output.',
  );
