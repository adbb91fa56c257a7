import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds that processes have to end after SIGTERM before they receive SIGKILL. */
const graceMs = 300;

/** First process of a command, which leads a process group, and the marker that all its descendants inherit. */
export interface TreeRoot {
  readonly pid: number;
  /**
   * `NAME=value` in the environment of all descendants. Identifies processes that left the process group or lost their
   * parent.
   */
  readonly marker: string;
  /** Ids of processes that must not receive a signal. If they include `pid`, its process group receives none either. */
  readonly sparedPids?: ReadonlySet<number>;
}

/**
 * Sends SIGTERM to all processes of the tree, and kills those that still run after 300 ms. Resolves within a second.
 */
export async function endProcessTree(root: TreeRoot): Promise<void> {
  if (process.platform === 'win32') return killProcessTree(root);
  const signaledPids = signalAllProcesses(root, 'SIGTERM');
  await waitUntilProcessesEnd([...(isRootSpared(root) ? [] : [-root.pid]), ...signaledPids]);
  // Searches again, because processes may have started since the first search.
  for (let attempt = 0; attempt < 3 && signalAllProcesses(root, 'SIGKILL').length > 0; attempt++)
    await pause(20);
}

/** Kills all processes of the tree immediately, so they cannot clean up. */
export function killProcessTree(root: TreeRoot): void {
  if (process.platform === 'win32') {
    if (isRootSpared(root)) return;
    spawnSync('taskkill', ['/PID', String(root.pid), '/T', '/F'], { windowsHide: true });
    return;
  }
  signalAllProcesses(root, 'SIGKILL');
}

/**
 * Ends the processes that a command left running. Includes processes that left the command's process group but still
 * have the marker.
 */
export async function endLeftoverProcesses(root: TreeRoot): Promise<void> {
  if (process.platform === 'win32') return;
  const hasGroup = !isRootSpared(root) && trySignal(-root.pid, 0);
  if (hasGroup || findTreePids(root).length > 0) await endProcessTree(root);
}

const isRootSpared = ({ pid, sparedPids }: TreeRoot): boolean => sparedPids?.has(pid) === true;

/**
 * Checks whether a process runs the program and receives the input of its terminal. Always false on Windows, which has
 * no process groups.
 * @param program Full path, which can be a link.
 */
export function isForegroundProgram(pid: number, program: string): boolean {
  if (process.platform === 'win32') return false;
  try {
    const { groupId, foregroundGroupId, path } =
      process.platform === 'linux' ? readLinuxProcess(pid) : readProcess(pid);
    return groupId === foregroundGroupId && realpathSync(path) === realpathSync(program);
  } catch {
    return false;
  }
}

interface TerminalProcess {
  readonly groupId: string | undefined;
  /** Process group to which the terminal sends input; undefined if it cannot be read. */
  readonly foregroundGroupId: string | undefined;
  readonly path: string;
}

function readLinuxProcess(pid: number): TerminalProcess {
  // The process name comes first and may contain any character, including brackets.
  const fields = /.*\) (?<fields>.*)/su.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const [, , groupId, , , foregroundGroupId] = fields?.groups?.['fields']?.split(' ') ?? [];
  return { groupId, foregroundGroupId, path: `/proc/${pid}/exe` };
}

function readProcess(pid: number): TerminalProcess {
  const row = execFileSync('ps', ['-p', String(pid), '-o', 'pgid=,tpgid=,comm='], {
    encoding: 'utf8',
  });
  const [groupId, foregroundGroupId, ...path] = row.trim().split(/\s+/u);
  return { groupId, foregroundGroupId, path: path.join(' ') };
}

/**
 * Sends a signal to all processes of the tree.
 * @returns the ids of the processes found in the tree
 */
function signalAllProcesses(root: TreeRoot, signalName: NodeJS.Signals): readonly number[] {
  // Finds the processes before the first signal: without its parent, a process may not be found
  // later.
  const memberPids = findTreePids(root);
  if (!isRootSpared(root)) trySignal(-root.pid, signalName);
  for (const pid of memberPids) trySignal(pid, signalName);
  return memberPids;
}

/** Waits until the processes have ended, but at most for the grace period. */
async function waitUntilProcessesEnd(pids: readonly number[]): Promise<void> {
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline && pids.some((pid) => trySignal(pid, 0))) await pause(20);
}

/** Sends a signal to a process. Returns false if the signal could not be sent. */
function trySignal(pid: number, signalName: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signalName);
  } catch {
    return false;
  }
}

/**
 * Finds the processes of a tree by their marker and by their parents. Both are necessary, because a program may clear
 * its environment, and a parent may end before its children.
 */
export function findTreePids({ pid, marker, sparedPids }: TreeRoot): number[] {
  const markedPids = process.platform === 'linux' ? findMarkedPids(marker) : [];
  return [...new Set([...markedPids, ...findDescendantPids([pid, ...markedPids])])].filter(
    (memberPid) => sparedPids?.has(memberPid) !== true,
  );
}

/** Finds processes by the marker in their environment. Processes inherit the marker even if their parent has ended. */
function findMarkedPids(marker: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name) && readEnvironment(name).includes(marker))
    .map(Number);
}

/**
 * Returns the environment of a process as `NAME=value` entries. Empty for ended processes, zombies, and processes of
 * other users.
 */
function readEnvironment(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

/**
 * Finds the processes that the given processes started, directly or indirectly.
 * @returns their ids, without the given ids
 */
function findDescendantPids(rootPids: readonly number[]): number[] {
  const rows = readParentIds();
  const foundPids = [...rootPids];
  for (const parentPid of foundPids) {
    for (const [pid, ppid] of rows)
      if (ppid === parentPid && !foundPids.includes(pid)) foundPids.push(pid);
  }
  return foundPids.slice(rootPids.length);
}

function readParentIds(): readonly (readonly [pid: number, ppid: number])[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/u.test(name))
      .map((pid) => [Number(pid), readParentId(pid)]);
  }
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/u).map(Number))
    .map(([pid = 0, ppid = 0]) => [pid, ppid]);
}

/** Returns the id of the parent process; 0 for a zombie and for a process that has ended. */
function readParentId(pid: string): number {
  try {
    // The process name comes first and may contain any character, including brackets.
    const fields = /.*\) (?<state>\S) (?<parent>\d+) /su.exec(
      readFileSync(`/proc/${pid}/stat`, 'latin1'),
    );
    return /[ZX]/u.test(fields?.groups?.['state'] ?? 'X') ? 0 : Number(fields?.groups?.['parent']);
  } catch {
    return 0;
  }
}
