/**
 * Runs programs that end together with this process, even if this process is killed. A guard process waits at the other
 * end of a pipe, which the system closes when this process ends. Requires Node 18 or newer, and no packages.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readProcess } from './processes.mjs';

const windows = process.platform === 'win32';
const guardScript = fileURLToPath(new URL('guard.mjs', import.meta.url));
/** Parent folder of the temporary folders. On macOS, the paths of sockets in the default folder would be too long. */
const temporaryFolder = process.platform === 'darwin' ? '/private/tmp' : tmpdir();
const orphanCheckMs = 300;
/**
 * Environment variable with the marks of all runs to which a process belongs. A process of a run can start another run.
 */
const markVariable = 'INFERENCE_SERVICE_RUNS';

/**
 * Starts a run. The run ends when `end` is called, when this process receives a signal, or when npm or the parent
 * process ends. The environment of its programs contains a random mark, by which the guard finds them. The programs use
 * a separate temporary folder, which the guard removes.
 */
export function startRun() {
  const folder = mkdtempSync(join(temporaryFolder, 'inference-run-'));
  const mark = randomUUID();
  const guard = spawn(process.execPath, [guardScript, folder, mark], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Keeps the terminal's signals away from it.
    detached: true,
  });
  const guardEnds = once(guard, 'close');
  let child;
  let ending;

  /** Ends all programs of the run, and then this process with the exit code `code`. Further calls have no effect. */
  const end = (code) => (ending ??= endAll(code));
  const endAll = async (code) => {
    // The guard can't recognize processes on Windows.
    if (windows && child) spawnSync('taskkill', ['/PID', String(child.pid), '/T', '/F']);
    guard.stdin.end();
    await guardEnds;
    process.exit(code);
  };

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => void end(128 + constants.signals[signal]));
  if (!windows) onceOrphaned(() => void end(1));

  return {
    end,
    /** Resolves with the exit code of the program. Never resolves if the run ends first. */
    run: (command, args, options = {}) =>
      new Promise((resolve) => {
        const env = {
          ...process.env,
          ...options.env,
          ...{ TMPDIR: folder, TEMP: folder, TMP: folder },
          [markVariable]: `${process.env[markVariable] ?? ''} ${mark}`,
        };
        child = spawn(command, args, { stdio: 'inherit', ...options, env });
        child.once('error', (error) => {
          console.error(error.message);
          child = undefined;
          if (!ending) resolve(1);
        });
        child.once('exit', (code, signal) => {
          child = undefined;
          if (!ending) resolve(code ?? 128 + constants.signals[signal]);
        });
      }),
  };
}

/**
 * Calls `callback` once the parent of this process has ended. If the parent is npm's shell, calls it once npm has
 * ended. Two consecutive checks must have this result, because `ps` can fail on a busy machine.
 */
function onceOrphaned(callback) {
  const parent = process.ppid;
  const shell = readProcess(parent);
  const isShell = / -c /u.test(shell?.args ?? '');
  const isOrphaned = () =>
    process.ppid !== parent || (isShell && readProcess(parent)?.parent !== shell.parent);
  let orphanedChecks = 0;
  const timer = setInterval(() => {
    orphanedChecks = isOrphaned() ? orphanedChecks + 1 : 0;
    if (orphanedChecks < 2) return;
    clearInterval(timer);
    callback();
  }, orphanCheckMs);
  timer.unref();
}
