import { readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

export const lockPath = (folder: string): string => join(folder, 'in-use.lock');

/** A window shows this often that it is still at it, in milliseconds; one that did not for `staleMs` is gone. */
export const beatMs = 5_000;
export const staleMs = 30_000;

/** Whether a window that lives is at what the folder is for. */
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
