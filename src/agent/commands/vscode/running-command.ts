import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { commandEnvironment } from './command-environment.ts';
import type { CommandShell } from './shell.ts';
import { endLeftovers, endTree, killTree, type TreeRoot } from './process-tree.ts';
import { ShellOutput } from './shell-output.ts';

export interface CommandStart {
  readonly shell: CommandShell;
  readonly commandLine: string;
  /** An existing folder on disk. */
  readonly cwd: string;
}

/** How a command ended; `error` when it could not be started, with the system's code. */
export type CommandEnd =
  | { readonly type: 'exit'; readonly code: number }
  | { readonly type: 'signal'; readonly signal: string }
  | { readonly type: 'error'; readonly code: string };

/** A program that floods its output is slowed down, so that it does not keep the editor busy: bytes without a pause. */
const breath = 1024 * 1024;

const markName = 'INFERENCE_SERVICE_COMMAND';

/** A command in a process tree of its own, without input. */
export class RunningCommand {
  readonly commandLine: string;
  readonly output = new ShellOutput();
  /** Resolves when the command has ended, and what it left running with it. Never rejects. */
  readonly ended: Promise<CommandEnd>;
  readonly #child: ChildProcess;
  readonly #tree: TreeRoot | undefined;
  readonly #startedAt = performance.now();
  #endedAt: number | undefined;
  #end: CommandEnd | undefined;

  constructor({ shell, commandLine, cwd }: CommandStart) {
    this.commandLine = commandLine;
    // Nobody else's: what is left of one command is ended while others begin.
    const mark = randomUUID();
    const [program, ...args] = shell.invocation(commandLine);
    this.#child = spawn(program, args, {
      cwd,
      env: { ...commandEnvironment(process.env), [markName]: mark },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that one signal reaches nearly everything that it starts.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const { pid } = this.#child;
    this.#tree = pid === undefined ? undefined : { pid, mark: `${markName}=${mark}` };
    this.#capture();
    this.ended = this.#untilEnd();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Undefined while it runs. */
  get end(): CommandEnd | undefined {
    return this.#end;
  }

  get milliseconds(): number {
    return (this.#endedAt ?? performance.now()) - this.#startedAt;
  }

  /** Ends it with all that it started. Resolves within a second. */
  async stop(): Promise<void> {
    if (this.#tree) await endTree(this.#tree);
  }

  /** Ends it with all that it started, now. */
  kill(): void {
    if (this.#tree) killTree(this.#tree);
  }

  #capture(): void {
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      let pauseAt = breath;
      stream?.on('data', (chunk: Buffer) => {
        this.output.add(chunk);
        if (this.output.length < pauseAt) return;
        pauseAt = this.output.length + breath;
        stream.pause();
        setTimeout(() => stream.resume(), 5);
      });
    }
  }

  async #untilEnd(): Promise<CommandEnd> {
    const closed = new Promise<void>((resolve) => this.#child.once('close', () => resolve()));
    const end = await new Promise<CommandEnd>((resolve) => {
      this.#child.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) =>
        resolve({ type: 'error', code }),
      );
      this.#child.once('exit', (code, signal) => resolve(endOf(code, signal)));
    });
    if (this.#tree && end.type !== 'error') {
      await Promise.race([closed, pause(100)]);
      await endLeftovers(this.#tree);
      await Promise.race([closed, pause(100)]);
    }
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#endedAt = performance.now();
    this.#end = end;
    return end;
  }
}

function endOf(code: number | null, signal: NodeJS.Signals | null): CommandEnd {
  return signal === null ? { type: 'exit', code: code ?? -1 } : { type: 'signal', signal };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
