import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Environment variables in addition to those of this process. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Path of the log file, which receives all output. */
  readonly logFile: string;
}

/** Functions that kill a running process tree, one per tree. */
const treeKillers = new Set<() => void>();

function killTrees(): void {
  for (const kill of treeKillers) kill();
}

process.once('exit', killTrees);

/**
 * Ends all process trees when a signal ends this process. Do not call this function in a process that must end its
 * trees in a specific order.
 */
export function endTreesOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      killTrees();
      process.kill(process.pid, signal);
    });
  }
}

/** Child process with all its descendants. `stop` ends all of them. */
export class ProcessTree implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exitPromise: Promise<void>;
  #output = '';

  constructor(options: ProcessOptions) {
    this.#child = spawn(options.command, options.args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Start a separate process group, so that one signal reaches every descendant.
      detached: true,
    });
    this.#exitPromise = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#output += String(error);
        resolve();
      });
      this.#child.once('close', () => resolve());
    });
    this.#captureOutput(options.logFile);
    treeKillers.add(this.#killGroup);
  }

  /** Output since the start. Stdout and stderr are interleaved. */
  get output(): string {
    return this.#output;
  }

  /**
   * Resolves with the first match of the pattern in the output.
   * @throws an error with the output if the process ends or `timeoutMs` milliseconds pass without a match
   */
  async waitForOutput(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const match = pattern.exec(this.#output);
      if (match) return match;
      const remainingMs = deadline - performance.now();
      const hasEnded = this.#child.exitCode !== null || this.#child.signalCode !== null;
      if (remainingMs <= 0 || hasEnded) {
        throw new Error(`${this.#child.spawnfile} did not print ${pattern}:\n${this.#output}`);
      }
      await this.#waitForOutputChange(Math.min(remainingMs, 1_000));
    }
  }

  /** Returns the ids of the descendants whose command line contains `text`. */
  listDescendants(text: string): number[] {
    return findDescendants(this.#child.pid ?? -1)
      .filter((row) => row.commandLine.includes(text))
      .map((row) => row.pid);
  }

  /** Ends all processes of the tree with SIGTERM. Sends SIGKILL to processes that still run after five seconds. */
  async stop(): Promise<void> {
    this.#signalGroup('SIGTERM');
    const timer = setTimeout(this.#killGroup, 5_000);
    await this.#exitPromise;
    clearTimeout(timer);
    this.#killGroup();
    treeKillers.delete(this.#killGroup);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #captureOutput(logFile: string): void {
    // The log may contain a server's access token, so only this user may read the file.
    mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
    const logStream = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        logStream.write(text);
      });
    }
    void this.#exitPromise.then(() => logStream.end());
  }

  #waitForOutputChange(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#child.stdout?.off('data', finish);
        resolve();
      };
      const timer = setTimeout(finish, timeoutMs);
      this.#child.stdout?.once('data', finish);
    });
  }

  #signalGroup(signal: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
    } catch {
      // The process group has already ended.
    }
  }

  readonly #killGroup = (): void => this.#signalGroup('SIGKILL');
}

interface ProcessRow {
  readonly pid: number;
  readonly parentPid: number;
  readonly commandLine: string;
}

function findDescendants(rootPid: number): ProcessRow[] {
  const rows = listProcesses();
  const processIds = new Set([rootPid]);
  // The list can contain a child before its parent, so repeat the search until it finds no new process.
  for (let previousSize = 0; previousSize !== processIds.size;) {
    previousSize = processIds.size;
    for (const row of rows) if (processIds.has(row.parentPid)) processIds.add(row.pid);
  }
  return rows.filter((row) => row.pid !== rootPid && processIds.has(row.pid));
}

function listProcesses(): ProcessRow[] {
  const processTable = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], {
    encoding: 'utf8',
  });
  return processTable.split('\n').flatMap((line) => {
    const [, pid, parentId, commandLine] = /^\s*(\d+)\s+(\d+)\s+(.*)$/u.exec(line) ?? [];
    return commandLine ? [{ pid: Number(pid), parentPid: Number(parentId), commandLine }] : [];
  });
}
