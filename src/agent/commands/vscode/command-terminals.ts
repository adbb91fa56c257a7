import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import {
  endLeftoverProcesses,
  endProcessTree,
  findTreePids,
  isForegroundProgram,
  killProcessTree,
  type TreeRoot,
} from './process-tree.ts';
import {
  CommandOutput,
  type CommandResult,
  markerVariable,
  type RunningCommand,
} from './running-command.ts';
import { createTerminalEnvironment, endMarker } from './shell.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { getVsCodeSetting } from '../../../platform/settings.ts';

/**
 * Milliseconds to wait for shell integration, which is available only after the shell has run the user's start-up
 * files.
 */
const integrationTimeoutMs = 10_000;

/**
 * Milliseconds without commands of other extensions after which the prompt counts as idle. Other extensions may run a
 * command in each new terminal to activate an environment.
 */
const quietMs = 500;

/** Milliseconds to wait for the process id of an idle shell. */
const processIdTimeoutMs = 500;

/** Milliseconds that a command has to end after Ctrl+C before it is killed. */
const interruptGraceMs = 400;

/** Maximum number of open terminals whose command has ended. */
const maxEndedTerminals = 3;

/**
 * Maximum number of terminals to create for one command. If the user types into the first terminal before the command
 * starts, the command runs in a second one.
 */
const maxAttempts = 2;

const ctrlC = '\u0003';

interface TerminalStartOptions {
  /** Path of the shell that runs the command. */
  readonly program: string;
  /** Working directory of the command; an existing folder on disk. */
  readonly cwd: string;
  readonly commandLine: string;
  /** Signal that cancels the start of the command while the terminal is not ready. */
  readonly signal: AbortSignal;
}

/**
 * Runs each command in a new terminal with the user's environment, so that the user can type input or stop the command.
 */
export class CommandTerminals implements Disposable {
  /** Terminals whose command has ended, oldest first. Omits terminals that the user has used since. */
  readonly #endedTerminals: vscode.Terminal[] = [];
  readonly #disposables = new DisposableStore();
  /**
   * Path of the shell whose shell integration did not start. Such a shell is not used again until a setting changes,
   * because each attempt waits for the time limit.
   */
  #programWithoutIntegration: string | undefined;
  readonly #clock: Clock;

  /** @param clock Measures the wait for an idle prompt. */
  constructor(clock = systemClock) {
    this.#clock = clock;
    this.#disposables.add(
      vscode.window.onDidStartTerminalShellExecution(({ terminal }) =>
        this.#releaseTerminal(terminal),
      ),
    );
    this.#disposables.add(
      vscode.window.onDidCloseTerminal((terminal) => this.#releaseTerminal(terminal)),
    );
    this.#disposables.add(
      vscode.workspace.onDidChangeConfiguration(() => {
        this.#programWithoutIntegration = undefined;
      }),
    );
  }

  /**
   * Types the command line into a new terminal and starts it.
   * @returns undefined if no terminal can run the line: shell integration is missing, the terminal uses a different
   *   shell, or the prompt is not idle
   */
  async startCommand(options: TerminalStartOptions): Promise<RunningCommand | undefined> {
    const isIntegrationEnabled = getVsCodeSetting('terminal.integrated.shellIntegration.enabled');
    if (isIntegrationEnabled === false || options.program === this.#programWithoutIntegration)
      return undefined;
    for (let attempt = 0; attempt < maxAttempts && !options.signal.aborted; attempt++) {
      const terminal = new FreshTerminal(options, this.#clock);
      const state = await terminal.waitUntilReady(options);
      if (state.isReady) {
        const command = terminal.runCommandLine(state.integration, options.commandLine);
        void command.whenEnded.then(() => this.#addEndedTerminal(terminal.terminal));
        return command;
      }
      terminal.dispose();
      if (state.hasTimedOut) this.#programWithoutIntegration = options.program;
      if (!state.isTypedInto) return undefined;
    }
    return undefined;
  }

  /** Closes the terminals of ended commands. */
  dispose(): void {
    this.#disposables.dispose();
    for (const terminal of this.#endedTerminals.splice(0)) terminal.dispose();
  }

  #addEndedTerminal(terminal: vscode.Terminal): void {
    if (terminal.exitStatus !== undefined) return;
    this.#endedTerminals.push(terminal);
    for (const oldestTerminal of this.#endedTerminals.splice(
      0,
      this.#endedTerminals.length - maxEndedTerminals,
    ))
      oldestTerminal.dispose();
  }

  /** Stops managing a terminal that the user closed, or in which the user runs another command. */
  #releaseTerminal(terminal: vscode.Terminal): void {
    const index = this.#endedTerminals.indexOf(terminal);
    if (index >= 0) this.#endedTerminals.splice(index, 1);
  }
}

type TerminalState =
  | { readonly isReady: true; readonly integration: vscode.TerminalShellIntegration }
  | {
      readonly isReady: false;
      readonly isTypedInto: boolean;
      /** True if the shell runs, but its shell integration did not start in time. */
      readonly hasTimedOut: boolean;
    };

/** A new terminal in which the agent's command has not started. */
class FreshTerminal implements Disposable {
  readonly terminal: vscode.Terminal;
  readonly #program: string;
  readonly #marker = randomUUID();
  readonly #waitFile = join(tmpdir(), `inference-service-${this.#marker}`);
  readonly #disposables = new DisposableStore();
  /** Called at each change of the terminal's state. */
  #onChange: () => void = () => {};
  #isClosed = false;
  /** Number of running commands of other extensions, such as a command that activates an environment. */
  #runningCount = 0;
  #hasEnded = false;
  #treeRoot: TreeRoot | undefined;
  readonly #clock: Clock;

  constructor({ program, cwd, signal }: TerminalStartOptions, clock: Clock) {
    this.#program = program;
    this.#clock = clock;
    this.#listenForExecution(signal);
    this.terminal = vscode.window.createTerminal({
      name: 'Inference Service',
      iconPath: new vscode.ThemeIcon('terminal'),
      shellPath: program,
      cwd,
      isTransient: true,
      env: {
        ...createTerminalEnvironment(process.env, this.#waitFile),
        [markerVariable]: this.#marker,
      },
    });
    this.terminal.show(true);
  }

  /** Waits until the shell shows an idle prompt. */
  async waitUntilReady({ program, signal }: TerminalStartOptions): Promise<TerminalState> {
    await this.#waitForCondition(
      () => this.terminal.shellIntegration !== undefined,
      integrationTimeoutMs,
    );
    await this.#waitUntilQuiet();
    const pid = await Promise.race([
      this.terminal.processId,
      resolveAfterDelay(processIdTimeoutMs),
    ]);
    const { shellIntegration: integration, state } = this.terminal;
    const isTypedInto = state.isInteractedWith && !this.#hasEnded;
    const isReady =
      !signal.aborted &&
      !this.#isClosed &&
      !isTypedInto &&
      this.#runningCount === 0 &&
      pid !== undefined &&
      isForegroundProgram(pid, program);
    const hasTimedOut = integration === undefined && !isTypedInto && !this.#isClosed;
    if (!isReady || integration === undefined) return { isReady: false, isTypedInto, hasTimedOut };
    const treeRoot = { pid, marker: `${markerVariable}=${this.#marker}` };
    // Agents of keys, for example, that a start-up file started continue after the command.
    this.#treeRoot = { ...treeRoot, sparedPids: new Set([pid, ...findTreePids(treeRoot)]) };
    return { isReady, integration };
  }

  runCommandLine(
    integration: vscode.TerminalShellIntegration,
    commandLine: string,
  ): RunningCommand {
    this.#disposables.dispose();
    const { terminal } = this;
    const options = {
      terminal,
      integration,
      commandLine,
      tree: this.#treeRoot,
      program: this.#program,
    };
    try {
      return new TerminalCommand({ ...options, waitFile: this.#waitFile });
    } catch (error) {
      rmSync(this.#waitFile, { force: true });
      terminal.dispose();
      throw error;
    }
  }

  /** Closes the terminal, unless the user typed into it. */
  dispose(): void {
    this.#disposables.dispose();
    if (!this.terminal.state.isInteractedWith) this.terminal.dispose();
  }

  #listenForExecution(signal: AbortSignal): void {
    const { window } = vscode;
    const applyChange = (terminal: vscode.Terminal, update: () => void): void => {
      if (terminal !== this.terminal) return;
      update();
      this.#onChange();
    };
    for (const subscription of [
      window.onDidChangeTerminalShellIntegration(({ terminal }) => applyChange(terminal, () => {})),
      window.onDidStartTerminalShellExecution(({ terminal }) =>
        applyChange(terminal, () => (this.#runningCount += 1)),
      ),
      window.onDidEndTerminalShellExecution(({ terminal }) =>
        applyChange(terminal, () => {
          this.#runningCount -= 1;
          this.#hasEnded = true;
        }),
      ),
      window.onDidCloseTerminal((terminal) => applyChange(terminal, () => (this.#isClosed = true))),
    ])
      this.#disposables.add(subscription);
    const abort = (): void => {
      this.#isClosed = true;
      this.#onChange();
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#disposables.add({ dispose: () => signal.removeEventListener('abort', abort) });
  }

  /** Waits until no command of another extension has started, run or ended for {@link quietMs}. */
  async #waitUntilQuiet(): Promise<void> {
    const deadline = this.#clock.now() + integrationTimeoutMs;
    while (!this.#isClosed && this.#clock.now() < deadline) {
      let hasChanged = false;
      await this.#waitForCondition(
        () => hasChanged,
        quietMs,
        () => (hasChanged = true),
      );
      if (!hasChanged && this.#runningCount === 0) return;
    }
  }

  /** Waits until a condition is met, the terminal closes, or the time limit expires. */
  async #waitForCondition(
    isMet: () => boolean,
    timeoutMs: number,
    onChange: () => void = () => {},
  ): Promise<void> {
    if (this.#isClosed || isMet()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onChange = () => {
      onChange();
      if (this.#isClosed || isMet()) resolve();
    };
    const cancelTimer = this.#clock.after(timeoutMs, resolve);
    await promise;
    cancelTimer();
    this.#onChange = () => {};
  }
}

interface TerminalCommandOptions {
  readonly terminal: vscode.Terminal;
  readonly integration: vscode.TerminalShellIntegration;
  readonly commandLine: string;
  readonly tree: TreeRoot | undefined;
  /** Full path of the shell. */
  readonly program: string;
  /** Path of a file. While it exists, the shell waits after the command, so that VS Code reports the whole output. */
  readonly waitFile: string;
}

/** Milliseconds to wait for the agent's command to start after another command has ended. */
const startTimeoutMs = 1_000;

/** Milliseconds between checks whether a command still runs after VS Code reported its end. */
const foregroundIntervalMs = 100;

/** A command that runs in a terminal. */
class TerminalCommand implements RunningCommand {
  readonly commandLine: string;
  readonly whenEnded: Promise<CommandResult>;
  readonly #terminal: vscode.Terminal;
  readonly #treeRoot: TreeRoot | undefined;
  readonly #program: string;
  readonly #waitFile: string;
  readonly #startedAt = performance.now();
  #execution: Execution | undefined;
  #hasResult = false;
  #endedAt: number | undefined;
  #result: CommandResult | undefined;

  constructor(options: TerminalCommandOptions) {
    const { terminal, integration, commandLine, tree, program, waitFile } = options;
    this.commandLine = commandLine;
    this.#terminal = terminal;
    this.#treeRoot = tree;
    this.#program = program;
    this.#waitFile = waitFile;
    writeFileSync(waitFile, '');
    const { promise, resolve } = Promise.withResolvers<vscode.TerminalShellExecution>();
    this.whenEnded = this.#waitForEnd(promise);
    resolve(integration.executeCommand(commandLine));
  }

  get output(): CommandOutput {
    return this.#execution?.output ?? noOutput;
  }

  get isOutputComplete(): boolean {
    return this.#execution?.isComplete === true;
  }

  get result(): CommandResult | undefined {
    return this.#result;
  }

  get durationMs(): number {
    return (this.#endedAt ?? performance.now()) - this.#startedAt;
  }

  async stop(): Promise<void> {
    if (this.#result === undefined) {
      this.#terminal.sendText(ctrlC, false);
      await Promise.race([this.whenEnded, resolveAfterDelay(interruptGraceMs)]);
    }
    if (this.#treeRoot) await endProcessTree(this.#treeRoot);
    this.#terminal.dispose();
  }

  kill(): void {
    if (this.#treeRoot) killProcessTree(this.#treeRoot);
    // The end of the terminal is not reported while the window closes.
    rmSync(this.#waitFile, { force: true });
    this.#terminal.dispose();
  }

  /**
   * Waits until the shell reads from the terminal again. The reported end of a command is not reliable, because the
   * command itself can print the sequence with which a shell reports the end.
   * @returns true if the command continued after the reported end
   */
  async #waitForPrompt(): Promise<boolean> {
    if (this.#treeRoot === undefined) return false;
    let isEndForged = false;
    while (!this.#hasResult && !isForegroundProgram(this.#treeRoot.pid, this.#program)) {
      isEndForged = true;
      await resolveAfterDelay(foregroundIntervalMs);
    }
    return isEndForged;
  }

  async #waitForEnd(
    executionPromise: Promise<vscode.TerminalShellExecution>,
  ): Promise<CommandResult> {
    const { promise, resolve } = Promise.withResolvers<CommandResult>();
    const subscriptions = new DisposableStore();
    const { window } = vscode;
    const sentCommand = { execution: undefined as vscode.TerminalShellExecution | undefined };
    void executionPromise.then((execution) => (sentCommand.execution = execution));
    for (const subscription of [
      window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
        if (terminal !== this.#terminal || this.#execution?.isTypedLine === true) return;
        const reportedLine = execution.commandLine.value;
        const isTypedLine =
          execution === sentCommand.execution ||
          (reportedLine !== '' && this.commandLine.includes(reportedLine));
        const removeWaitFile = (): void => rmSync(this.#waitFile, { force: true });
        this.#execution = new Execution(execution, isTypedLine, removeWaitFile);
      }),
      window.onDidEndTerminalShellExecution(({ execution, exitCode }) => {
        const endedExecution = this.#execution;
        if (endedExecution?.execution !== execution) return;
        if (endedExecution.isTypedLine) {
          void this.#waitForPrompt().then((isEndForged) =>
            resolve(isEndForged ? { type: 'unknown' } : toResult(exitCode)),
          );
          return;
        }
        // A shell can report another text, such as an expanded alias. Another extension can run a command, too.
        writeFileSync(this.#waitFile, '');
        setTimeout(() => {
          if (this.#execution === endedExecution) resolve(toResult(exitCode));
        }, startTimeoutMs);
      }),
      window.onDidCloseTerminal((terminal) => {
        if (terminal === this.#terminal) resolve(toCloseResult(terminal.exitStatus));
      }),
    ])
      subscriptions.add(subscription);
    const result = await promise;
    this.#hasResult = true;
    subscriptions.dispose();
    await Promise.race([this.#execution?.whenRead, resolveAfterDelay(1_000)]);
    rmSync(this.#waitFile, { force: true });
    if (this.#treeRoot) await endLeftoverProcesses(this.#treeRoot);
    this.#endedAt = performance.now();
    this.#result = result;
    return result;
  }
}

const noOutput = new CommandOutput();

/** One command line that runs in a terminal, with its output. */
class Execution {
  readonly execution: vscode.TerminalShellExecution;
  /** False if the shell reported a different command line than the agent typed. */
  readonly isTypedLine: boolean;
  readonly output = new CommandOutput();
  readonly whenRead: Promise<void>;
  readonly #onComplete: () => void;
  /**
   * Last characters of the output. They can contain the beginning of an end marker whose rest arrives with the next
   * data.
   */
  #outputEnd = '';
  isComplete = false;

  /** @param onComplete Called when the shell has printed the end marker. */
  constructor(
    execution: vscode.TerminalShellExecution,
    isTypedLine: boolean,
    onComplete: () => void,
  ) {
    this.execution = execution;
    this.isTypedLine = isTypedLine;
    this.#onComplete = onComplete;
    this.whenRead = this.#readOutput();
  }

  async #readOutput(): Promise<void> {
    for await (const data of this.execution.read()) {
      this.output.addChunk(Buffer.from(data));
      const outputText = this.#outputEnd + data;
      this.#outputEnd = outputText.slice(-endMarker.length);
      if (this.isComplete || !outputText.includes(endMarker)) continue;
      this.isComplete = true;
      this.#onComplete();
    }
  }
}

const toResult = (exitCode: number | undefined): CommandResult =>
  exitCode === undefined ? { type: 'unknown' } : { type: 'exit', code: exitCode };

/**
 * Returns the result of a command whose terminal closed: the shell's exit code, or SIGHUP if the user closed the
 * terminal.
 */
const toCloseResult = (status: vscode.TerminalExitStatus | undefined): CommandResult =>
  status?.reason === vscode.TerminalExitReason.Process
    ? toResult(status.code)
    : { type: 'signal', signal: 'SIGHUP' };

const resolveAfterDelay = (ms: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(resolve, ms, undefined));
