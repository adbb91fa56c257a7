/**
 * `node guard.mjs FOLDER MARK`: waits until its standard input closes, then ends all processes whose environment
 * contains MARK and all their descendants, and removes FOLDER. Process groups are not sufficient, because some programs
 * start a separate session.
 */
import { once } from 'node:events';
import { lstatSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { listProcesses } from './processes.mjs';

/** Delays in milliseconds. */
const delays = { betweenSweeps: 100, untilKill: 5_000, untilGiveUp: 20_000 };

const [folder = '', mark = ''] = process.argv.slice(2);
if (!isRunFolder(folder) || !/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u.test(mark)) {
  console.error('Usage: node guard.mjs FOLDER MARK, both made by guarded-run.mjs');
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
// An error of the pipe also means that the run has ended.
await once(process.stdin.resume(), 'close').catch(() => {});
if (process.platform !== 'win32') await endProcesses();
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/**
 * Checks that `path` is a folder with a name that a run gives its temporary folder, and not a link. The guard deletes
 * only such a folder.
 */
function isRunFolder(path) {
  if (!/^inference-run-\w{6}$/u.test(basename(path))) return false;
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Ends the processes of the run. Sends SIGTERM once to each process, and SIGKILL to processes that still run after five
 * seconds.
 */
async function endProcesses() {
  const signaled = new Set();
  const start = performance.now();
  // A process that starts during a sweep can be missed, so two empty sweeps in a row are required.
  for (let emptySweeps = 0; emptySweeps < 2; await delay(delays.betweenSweeps)) {
    const elapsed = performance.now() - start;
    if (elapsed > delays.untilGiveUp) return;
    const running = runningFamily(signaled);
    if (running === undefined) continue;
    emptySweeps = running.length === 0 ? emptySweeps + 1 : 0;
    for (const entry of running) {
      if (elapsed > delays.untilKill) send(entry.pid, 'SIGKILL');
      else if (!signaled.has(identityOf(entry))) send(entry.pid, 'SIGTERM');
      signaled.add(identityOf(entry));
    }
  }
}

/**
 * Returns the processes with the mark, the processes in `signaled`, and the descendants of both. Returns undefined if
 * the system cannot list its processes at the moment.
 */
function runningFamily(signaled) {
  let others;
  try {
    others = listProcesses().filter(({ pid }) => pid > 1 && pid !== process.pid);
  } catch {
    return undefined;
  }
  // A desktop window has no mark, so that a web browser it opens inherits none.
  const dataFolder = `--user-data-dir=${folder}/`;
  const isMember = (entry) =>
    signaled.has(identityOf(entry)) ||
    entry.environment.includes(mark) ||
    entry.args.includes(dataFolder);
  const members = new Set(others.filter(isMember).map(({ pid }) => pid));
  for (let size = -1; size !== members.size;) {
    size = members.size;
    for (const { pid, parent } of others) if (members.has(parent)) members.add(pid);
  }
  return others.filter(({ pid }) => members.has(pid));
}

/** Returns a string that identifies a process by its id and its start time. The system can reuse a process id. */
function identityOf({ pid, started }) {
  return `${pid} ${started}`;
}

function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}
