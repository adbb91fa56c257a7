import { spawn } from 'node:child_process';

export interface RipgrepRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Text for its standard input; without any, it gets none. */
  readonly input?: string;
  /** Output as it comes, cut anywhere but inside a character. False when no more is wanted: it is killed at once. */
  readonly onText: (text: string) => boolean;
}

export type RipgrepEnd =
  | { readonly kind: 'ended' | 'enough' | 'aborted' }
  /** It did not start. */
  | { readonly kind: 'missing' }
  /** It refused its arguments, or could not go on; `message` is what it said. */
  | { readonly kind: 'failed'; readonly message: string };

const longestMessage = 4_000;

/** Runs ripgrep without a shell and without its configuration file. Never rejects; leaves no process behind. */
export function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  if (run.signal.aborted) return Promise.resolve({ kind: 'aborted' });
  return new Promise((resolve) => {
    const child = spawn(run.program, ['--no-config', ...run.args], {
      cwd: run.cwd,
      env: environment(),
      stdio: [run.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let message = '';
    const finish = (end: RipgrepEnd): void => {
      run.signal.removeEventListener('abort', abort);
      resolve(end);
    };
    const stop = (kind: 'enough' | 'aborted'): void => {
      child.kill('SIGKILL');
      child.stdout?.destroy();
      finish({ kind });
    };
    const abort = (): void => stop('aborted');
    run.signal.addEventListener('abort', abort, { once: true });
    child.once('error', () => finish({ kind: 'missing' }));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (!run.onText(text)) stop('enough');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      message = (message + text).slice(0, longestMessage);
    });
    child.once('close', (code) => {
      // 1 is for nothing found; with 2, what it said tells whether it is more than a file it could not read.
      const failed = (code ?? 2) > 1 && message !== '';
      finish(failed ? { kind: 'failed', message } : { kind: 'ended' });
    });
    // One that stops early closes its end; what it found until then counts.
    child.stdin?.once('error', () => {});
    child.stdin?.end(run.input);
  });
}

function environment(): NodeJS.ProcessEnv {
  const { RIPGREP_CONFIG_PATH: _, ...rest } = process.env;
  return rest;
}
