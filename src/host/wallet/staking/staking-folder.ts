import { readdir, readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../../host.ts';

/** Where records of unfinished flows are kept, for all windows. */
export const stakingFolder = ({ context }: Pick<Host, 'context'>): string =>
  join(context.globalStorageUri.fsPath, 'staking');

/** Chain and account. */
export const fileNamePattern = /^\d{1,16}-0x[0-9a-f]{40}\.json$/u;

export const lockPath = (folder: string): string => join(folder, 'in-use.lock');

/** A window shows this often that it is still at it, in milliseconds; one that did not for `staleMs` is gone. */
export const beatMs = 5_000;
export const staleMs = 30_000;

/** Whether a flow was begun and not ended, and no window is at it now. */
export async function hasUnfinished(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => fileNamePattern.test(name)) && !(await isLocked(folder));
}

export async function isLocked(folder: string): Promise<boolean> {
  const path = lockPath(folder);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || Date.now() - found.mtimeMs >= staleMs) return false;
  return isAlive(await readFile(path, 'utf8').catch(() => ''));
}

/** What stands in a lock: who has it, where its process can be looked for. */
export const holderText = (id: string): string => [id, process.pid, hostname()].join(' ');

/** A process of this machine that has ended has nothing any more; of another machine nothing is known. */
function isAlive(text: string): boolean {
  const [, pid = '', host] = text.split(' ');
  if (host !== hostname() || !/^[1-9]\d{0,9}$/u.test(pid)) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
