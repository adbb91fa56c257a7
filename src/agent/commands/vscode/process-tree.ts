import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** How long a process may take to end after it was asked to, in milliseconds. */
const graceMs = 300;

/** A process that was started as the leader of a group, and all that it started. */
export interface TreeRoot {
  readonly pid: number;
  /** `NAME=value` in the environment of the whole tree: finds those that left the group, and their parents. */
  readonly mark: string;
}

/** Asks all processes to end and makes them after 300 ms. Resolves when they are gone, well within a second. */
export async function endTree(root: TreeRoot): Promise<void> {
  if (process.platform === 'win32') return killTree(root);
  const signaled = signalAll(root, 'SIGTERM');
  await waitUntilEnded([-root.pid, ...signaled]);
  // Looked for again: what was started meanwhile, and what was killed while it started something.
  for (let tries = 0; tries < 3 && signalAll(root, 'SIGKILL').length > 0; tries++) await pause(20);
}

/** Ends all processes at once, without a chance to tidy up. */
export function killTree(root: TreeRoot): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/PID', String(root.pid), '/T', '/F'], { windowsHide: true });
    return;
  }
  signalAll(root, 'SIGKILL');
}

/** Ends what a command left running, also what left its group, as long as it kept the mark. */
export async function endLeftovers(root: TreeRoot): Promise<void> {
  if (process.platform === 'win32') return;
  if (trySignal(-root.pid, 0) || membersOf(root).length > 0) await endTree(root);
}

/** @returns the processes that were found, dead ones not among them. */
function signalAll(root: TreeRoot, name: NodeJS.Signals): readonly number[] {
  // Found before the first signal: a process whose parent has ended belongs to nobody.
  const members = membersOf(root);
  trySignal(-root.pid, name);
  for (const pid of members) trySignal(pid, name);
  return members;
}

/** At most as long as they are given. */
async function waitUntilEnded(pids: readonly number[]): Promise<void> {
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline && pids.some((pid) => trySignal(pid, 0))) await pause(20);
}

/** Whether it could be sent. */
function trySignal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** By the mark, and by their parents: a program may drop its environment, and parents end. */
function membersOf({ pid, mark }: TreeRoot): number[] {
  const found = process.platform === 'linux' ? markedProcesses(mark) : [];
  return [...new Set([...found, ...descendants([pid, ...found])])];
}

/** By their environment, which they inherit even when their parents have ended. */
function markedProcesses(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name) && readEnvironment(name).includes(mark))
    .map(Number);
}

/** Empty when it has ended, also when its parent has not noticed, or is not ours. */
function readEnvironment(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

/** @returns those below any of the roots, without the roots. */
function descendants(roots: readonly number[]): number[] {
  const rows = parentRows();
  const found = [...roots];
  for (const parent of found) {
    for (const [pid, ppid] of rows) if (ppid === parent && !found.includes(pid)) found.push(pid);
  }
  return found.slice(roots.length);
}

function parentRows(): readonly (readonly [pid: number, ppid: number])[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/u.test(name))
      .map((pid) => [Number(pid), readParent(pid)]);
  }
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/u).map(Number))
    .map(([pid = 0, ppid = 0]) => [pid, ppid]);
}

/** 0 when it has ended, also when its parent has not noticed. */
function readParent(pid: string): number {
  try {
    // The name before it may hold anything, brackets too.
    const fields = /.*\) (?<state>\S) (?<parent>\d+) /su.exec(
      readFileSync(`/proc/${pid}/stat`, 'latin1'),
    );
    return /[ZX]/u.test(fields?.groups?.['state'] ?? 'X') ? 0 : Number(fields?.groups?.['parent']);
  } catch {
    return 0;
  }
}
