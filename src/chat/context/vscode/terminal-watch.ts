import * as vscode from 'vscode';
import { sanitizeLine, sanitizeOutput } from '../../../agent/tool.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { type Gathered, trustRefusal } from './gather-workspace.ts';

/** Maximum length of output that is stored while a command runs, counted from its end, and of output that is sent. */
const keptCharacters = 200_000;
const sentCharacters = 30_000;

/** Terminal events of VS Code. */
export type TerminalEvents = Pick<
  typeof vscode.window,
  | 'activeTerminal'
  | 'onDidStartTerminalShellExecution'
  | 'onDidEndTerminalShellExecution'
  | 'onDidCloseTerminal'
>;

interface Ran {
  readonly command: string;
  output: string;
  /** Undefined while the command runs, or when the shell does not report it. */
  exitCode: number | undefined;
  ended: boolean;
}

/**
 * Last command of each terminal and its output, if the shell integration reports them. Stored in memory only, from the
 * first use of the chat on.
 */
export class TerminalWatch implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #window: TerminalEvents;
  readonly #ran = new Map<vscode.Terminal, Ran>();
  readonly #running = new WeakMap<vscode.TerminalShellExecution, Ran>();
  #latest: vscode.Terminal | undefined;

  constructor(window: TerminalEvents = vscode.window) {
    this.#window = window;
    this.#owned.add(window.onDidStartTerminalShellExecution((event) => void this.#started(event)));
    this.#owned.add(window.onDidEndTerminalShellExecution((event) => this.#ended(event)));
    this.#owned.add(window.onDidCloseTerminal((terminal) => this.#ran.delete(terminal)));
  }

  /** Checks whether there is a command to attach. */
  get hasCommand(): boolean {
    return this.#ran.size > 0;
  }

  /** Returns the last command of the active terminal, else the command that ran last in any terminal. */
  gather(): Gathered {
    const refusal = trustRefusal();
    if (refusal !== undefined) return { refusal };
    const { activeTerminal } = this.#window;
    const own = activeTerminal === undefined ? undefined : this.#ran.get(activeTerminal);
    const ran = own ?? (this.#latest === undefined ? undefined : this.#ran.get(this.#latest));
    if (ran === undefined) return { refusal: nothingKnown() };
    return {
      kind: 'terminal',
      label: vscode.l10n.t('Terminal: {0}', sanitizeLine(ran.command, 80)),
      language: '',
      text: terminalText(ran),
    };
  }

  dispose(): void {
    this.#owned.dispose();
    this.#ran.clear();
  }

  async #started({ terminal, execution }: vscode.TerminalShellExecutionStartEvent): Promise<void> {
    const ran: Ran = {
      command: execution.commandLine.value,
      output: '',
      exitCode: undefined,
      ended: false,
    };
    this.#ran.set(terminal, ran);
    this.#running.set(execution, ran);
    this.#latest = terminal;
    // Output before the first read is lost.
    for await (const data of execution.read()) {
      ran.output = (ran.output + data).slice(-keptCharacters);
    }
  }

  #ended({ execution, exitCode }: vscode.TerminalShellExecutionEndEvent): void {
    const ran = this.#running.get(execution);
    if (ran === undefined) return;
    ran.exitCode = exitCode;
    ran.ended = true;
  }
}

function terminalText({ command, output, exitCode, ended }: Ran): string {
  const end = exitCode === undefined ? '' : `\n[It ended with exit code ${exitCode}.]`;
  const state = ended ? end : '\n[It still runs.]';
  return `$ ${sanitizeOutput(command, 2_000)}\n${sanitizeOutput(output, sentCharacters).trim()}${state}`;
}

const nothingKnown = (): string =>
  vscode.l10n.t(
    'No command has run in a terminal since the chat was opened, or its shell does not tell of them. Run one, or paste its output.',
  );
