import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  endLeftoverProcesses,
  endProcessTree,
  killProcessTree,
  type TreeRoot,
} from './process-tree.ts';
import type { CommandShell } from './shell.ts';
import { stripEscapeSequences } from '../../../base/hidden-characters.ts';
import { setTimeout as pause } from 'node:timers/promises';

/** Numbers of bytes to retain from the beginning and the end of a command's output. The middle is dropped. */
export interface OutputLimits {
  readonly headBytes: number;
  readonly tailBytes: number;
}

export const outputLimits: OutputLimits = { headBytes: 64 * 1024, tailBytes: 192 * 1024 };

/** Output of a command, stored in bounded memory. Positions count bytes from the start of the output. */
export class CommandOutput {
  readonly #limits: OutputLimits;
  readonly #headChunks: Buffer[] = [];
  #headLength = 0;
  readonly #tailChunks: Buffer[] = [];
  #tailLength = 0;

  /** Number of bytes that the command has printed so far. */
  byteCount = 0;

  constructor(limits = outputLimits) {
    this.#limits = limits;
  }

  /**
   * Number of bytes up to the end of the last complete character. The next read of the output starts at this position.
   */
  get completeLength(): number {
    const lastBytes = Buffer.concat([
      ...this.#headChunks.slice(-1),
      ...this.#tailChunks.slice(-1),
    ]).subarray(-3);
    return this.byteCount - countIncompleteBytes(lastBytes);
  }

  addChunk(chunk: Buffer): void {
    this.byteCount += chunk.length;
    const remainingBytes = this.#limits.headBytes - this.#headLength;
    const headChunk = chunk.subarray(0, remainingBytes);
    if (headChunk.length > 0) appendChunk(this.#headChunks, headChunk);
    this.#headLength += headChunk.length;
    this.#addToTail(chunk.subarray(headChunk.length));
  }

  /** Returns the text from byte position `startByte` on, with a note about omitted bytes. */
  getText(startByte = 0): string {
    const head = Buffer.concat(this.#headChunks);
    const tail = Buffer.concat(this.#tailChunks);
    const tailStart = this.byteCount - tail.length;
    const omittedByteCount = tailStart - Math.max(startByte, head.length);
    const tailText = decodeOutput(tail.subarray(Math.max(0, startByte - tailStart)));
    const headText = startByte < head.length ? decodeOutput(head.subarray(startByte)) : '';
    if (omittedByteCount <= 0) return decodeOutput(Buffer.concat([head, tail]).subarray(startByte));
    return `${headText}\n[… ${omittedByteCount.toLocaleString('en-US')} bytes left out …]\n${tailText}`;
  }

  #addToTail(chunk: Buffer): void {
    if (chunk.length === 0) return;
    appendChunk(this.#tailChunks, chunk);
    this.#tailLength += chunk.length;
    for (let excessByteCount; (excessByteCount = this.#tailLength - this.#limits.tailBytes) > 0;) {
      const [firstChunk = chunk] = this.#tailChunks;
      if (firstChunk.length <= excessByteCount) this.#tailChunks.shift();
      else this.#tailChunks[0] = firstChunk.subarray(excessByteCount);
      this.#tailLength -= Math.min(firstChunk.length, excessByteCount);
    }
  }
}

/** Appends a chunk to a list. Merges small chunks, because a few large buffers need less memory. */
function appendChunk(chunks: Buffer[], chunk: Buffer): void {
  const lastChunk = chunks.at(-1);
  if (lastChunk && lastChunk.length + chunk.length <= 4_096) {
    chunks[chunks.length - 1] = Buffer.concat([lastChunk, chunk]);
  } else chunks.push(chunk);
}

/**
 * Decodes UTF-8 bytes that may be cut anywhere. Drops partial characters at both ends, escape sequences and overwritten
 * lines.
 */
function decodeOutput(bytes: Buffer): string {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isUtf8ContinuationByte(bytes[start])) start += 1;
  const decoder = new TextDecoder();
  // Bytes that remain in the decoder begin a character that is still incomplete.
  return removeOverwrittenText(
    stripEscapeSequences(decoder.decode(bytes.subarray(start), { stream: true })),
  );
}

/** Counts the bytes of an incomplete UTF-8 character at the end of the data. */
function countIncompleteBytes(lastBytes: Buffer): number {
  const leadIndex = lastBytes.findLastIndex((byte) => !isUtf8ContinuationByte(byte));
  const leadByte = lastBytes[leadIndex] ?? 0;
  const expectedLength = leadByte >= 0xf0 ? 4 : leadByte >= 0xe0 ? 3 : leadByte >= 0xc0 ? 2 : 1;
  const actualLength = lastBytes.length - leadIndex;
  return leadIndex >= 0 && actualLength < expectedLength ? actualLength : 0;
}

const isUtf8ContinuationByte = (byte = 0): boolean => byte >= 0x80 && byte <= 0xbf;

/** Removes text that a program later overwrites on the same line, such as previous states of a progress bar. */
function removeOverwrittenText(text: string): string {
  if (!text.includes('\r')) return text;
  const lines = text.replaceAll(/\r+\n/gu, '\n').split('\n');
  return lines.map((line) => line.split('\r').findLast((part) => part !== '') ?? '').join('\n');
}

export interface CommandStartOptions {
  readonly shell: CommandShell;
  readonly commandLine: string;
  /** Working directory of the command; an existing folder on disk. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Result of a command: `error` with the system's error code if the command could not start; `unknown` if its terminal
 * reported no exit code.
 */
export type CommandResult =
  | { readonly type: 'exit'; readonly code: number }
  | { readonly type: 'unknown' }
  | { readonly type: 'signal'; readonly signal: string }
  | { readonly type: 'error'; readonly code: string };

/**
 * Number of bytes after which reading the output pauses. The pauses slow down programs that print a lot, so that the
 * extension host stays responsive.
 */
const pauseAfterBytes = 1024 * 1024;

export const markerVariable = 'INFERENCE_SERVICE_COMMAND';

/** A command that runs or has ended. */
export interface RunningCommand {
  readonly commandLine: string;
  readonly output: CommandOutput;
  /** False if a terminal did not report where the output ends. */
  readonly isOutputComplete: boolean;
  /** Resolves when the command and the processes it left running have ended. Never rejects. */
  readonly whenEnded: Promise<CommandResult>;
  /** Result of the command; undefined while it runs. */
  readonly result: CommandResult | undefined;
  readonly durationMs: number;
  /** Ends the command and all processes that it started. Resolves within a second. */
  stop(): Promise<void>;
  /** Immediately kills the command and all processes that it started. */
  kill(): void;
}

/** A command that runs in its own process tree and receives no input. */
export class ProcessCommand implements RunningCommand {
  readonly commandLine: string;
  readonly output = new CommandOutput();
  readonly isOutputComplete = true;
  readonly whenEnded: Promise<CommandResult>;
  readonly #child: ChildProcess;
  readonly #treeRoot: TreeRoot | undefined;
  readonly #startedAt = performance.now();
  #endedAt: number | undefined;
  #result: CommandResult | undefined;

  constructor({ shell, commandLine, cwd, environment }: CommandStartOptions) {
    this.commandLine = commandLine;
    // Unique, because leftovers of one command are ended while others start.
    const marker = randomUUID();
    const [program, ...args] = shell.createInvocation(commandLine);
    this.#child = spawn(program, args, {
      cwd,
      env: { ...environment, [markerVariable]: marker },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A separate process group, so that one signal reaches nearly all processes.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const { pid } = this.#child;
    this.#treeRoot = pid === undefined ? undefined : { pid, marker: `${markerVariable}=${marker}` };
    this.#captureOutput();
    this.whenEnded = this.#waitForEnd();
  }

  get result(): CommandResult | undefined {
    return this.#result;
  }

  get durationMs(): number {
    return (this.#endedAt ?? performance.now()) - this.#startedAt;
  }

  async stop(): Promise<void> {
    if (this.#treeRoot) await endProcessTree(this.#treeRoot);
  }

  kill(): void {
    if (this.#treeRoot) killProcessTree(this.#treeRoot);
  }

  #captureOutput(): void {
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      let pauseAt = pauseAfterBytes;
      stream?.on('data', (chunk: Buffer) => {
        this.output.addChunk(chunk);
        if (this.output.byteCount < pauseAt) return;
        pauseAt = this.output.byteCount + pauseAfterBytes;
        stream.pause();
        setTimeout(() => stream.resume(), 5);
      });
    }
  }

  async #waitForEnd(): Promise<CommandResult> {
    const whenClosed = new Promise<void>((resolve) => this.#child.once('close', () => resolve()));
    const result = await new Promise<CommandResult>((resolve) => {
      this.#child.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) =>
        resolve({ type: 'error', code }),
      );
      this.#child.once('exit', (code, signal) => resolve(toCommandResult(code, signal)));
    });
    if (this.#treeRoot && result.type !== 'error') {
      await Promise.race([whenClosed, pause(100)]);
      await endLeftoverProcesses(this.#treeRoot);
      await Promise.race([whenClosed, pause(100)]);
    }
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#endedAt = performance.now();
    this.#result = result;
    return result;
  }
}

function toCommandResult(code: number | null, signal: NodeJS.Signals | null): CommandResult {
  return signal === null ? { type: 'exit', code: code ?? -1 } : { type: 'signal', signal };
}
