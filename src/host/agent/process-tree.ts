import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** How long a process may take to end after it was asked to, in milliseconds. */
const grace = 300;

/** A process that was started as the leader of a group, and all that it started. */
export interface TreeRoot {
  readonly pid: number;
  /** `NAME=value` in the environment of the whole tree: finds those that left the group, and their parents. */
  readonly mark: string;
}

/** Asks all processes to end and makes them after 300 ms. Resolves when they are gone, at the latest 500 ms later. */
export async function endTree(root: TreeRoot): Promise<void> {
  if (process.platform === 'win32') return killTree(root);
  signalAll(root, 'SIGTERM');
  for (let waited = 0; waited < grace && isAlive(root); waited += 25) await pause(25);
  for (let tries = 0; tries < 10 && isAlive(root); tries++) {
    killTree(root);
    await pause(20);
  }
}

/** Ends all processes at once, without a chance to tidy up. */
export function killTree(root: TreeRoot): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/PID', String(root.pid), '/T', '/F'], { windowsHide: true });
    return;
  }
  signalAll(root, 'SIGKILL');
}

/** Ends what a command left running in its group; what made itself independent stays. */
export async function endGroup({ pid }: TreeRoot): Promise<void> {
  if (process.platform === 'win32' || !signal(-pid, 0)) return;
  signal(-pid, 'SIGTERM');
  for (let waited = 0; waited < grace && signal(-pid, 0); waited += 25) await pause(25);
  signal(-pid, 'SIGKILL');
}

function signalAll(root: TreeRoot, name: NodeJS.Signals): void {
  // Found before the first signal: a process whose parent has ended belongs to nobody.
  const members = membersOf(root);
  signal(-root.pid, name);
  for (const pid of members) signal(pid, name);
}

const isAlive = (root: TreeRoot): boolean => signal(-root.pid, 0) || membersOf(root).length > 0;

/** Whether it could be sent. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

const membersOf = (root: TreeRoot): number[] =>
  process.platform === 'linux' ? marked(root.mark) : descendants(root.pid);

/** By their environment, which they inherit even when their parents have ended. */
function marked(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name) && environmentOf(name).includes(mark))
    .map(Number);
}

/** Empty when it has ended, also when its parent has not noticed, or is not ours. */
function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

function descendants(root: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/u).map(Number));
  const found = [root];
  for (const parent of found) {
    found.push(...rows.flatMap(([pid, ppid]) => (ppid === parent && pid ? [pid] : [])));
  }
  return found.slice(1);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
