/**
 * Runs programs that end with this process, even if it is killed: a guard process waits at the other end of a pipe, and
 * the system closes the pipe when this process ends. Runs on Node 18 or newer and needs no packages.
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
/**
 * Parent of the temporary folders. On macOS, sockets in the default folder would have paths longer than the system
 * allows.
 */
const temporaryFolder = process.platform === 'darwin' ? '/private/tmp' : tmpdir();
const orphanCheckMs = 300;
/** Environment variable that lists the marks of all runs to which a process belongs. A run can start another run. */
const markVariable = 'INFERENCE_SERVICE_RUNS';

/**
 * Starts a run. The run ends when `end` is called, on a signal, or when npm or the parent process ends. The programs of
 * the run get a random mark in their environment, which identifies them to the guard, and a separate temporary folder,
 * which the guard removes.
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

  /** Ends all programs of the run, then this process with `code`. Later calls have no effect. */
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
    /** Resolves with the exit code of the program. Does not resolve if the run ends first. */
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
 * Calls `callback` once the parent of this process has ended, or once npm has ended if the parent is npm's shell.
 * Requires two checks in a row with this result, because `ps` can fail on a loaded machine.
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
