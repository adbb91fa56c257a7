import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import {
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Disposable as Owned } from '../base/disposable.ts';
import { isProcessRunning } from './atomic-file.ts';

export const getLockPath = (folder: string): string => join(folder, 'in-use.lock');

/**
 * Interval in milliseconds at which the owner updates the lock file. A lock that was not updated
 * for `staleAfterMs` is stale.
 */
export const heartbeatMs = 5_000;
export const staleAfterMs = 30_000;

/** Checks whether an open window holds the lock of the folder. */
export async function isFolderLocked(folder: string): Promise<boolean> {
  const path = getLockPath(folder);
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined || Date.now() - stats.mtimeMs >= staleAfterMs) return false;
  return isOwnerRunning(await readFile(path, 'utf8').catch(() => ''));
}

/** Returns the content of a lock file: id of the lock, process id and host name of the owner. */
export const formatLockContent = (id: string): string => [id, process.pid, hostname()].join(' ');

/**
 * Checks whether the process of the lock's owner is running. A process on another machine cannot be
 * checked and counts as running.
 */
function isOwnerRunning(text: string): boolean {
  const [, pid = '', host] = text.split(' ');
  if (host !== hostname() || !/^[1-9]\d{0,9}$/u.test(pid)) return true;
  return isProcessRunning(Number(pid));
}

/** Lock that prevents other windows from starting the same operation. Declare it with `using` to release it. */
export interface WindowLock extends Disposable {
  /** Aborts when the lock is released, or when another window acquires the lock because it was stale. */
  readonly lossSignal: AbortSignal;
}

/**
 * Acquires the lock of `folder`. Returns `undefined` while any window, including this window, holds the lock.
 * @throws if the folder or the lock file cannot be created
 */
export async function acquireWindowLock(folder: string): Promise<WindowLock | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = getLockPath(folder);
  const id = formatLockContent(randomUUID());
  if (!(await createLockFile(path, id))) {
    if (!(await removeStaleLock(folder)) || !(await createLockFile(path, id))) return undefined;
  }
  return new HeldLock(path, id);
}

/**
 * Acquires the lock `name` in `folder`. Returns undefined while any window holds this lock, or if
 * the lock file cannot be created.
 * @param isExclusive If true, also returns undefined while a window holds any other lock in the
 * folder.
 */
export async function acquireNamedLock(
  folder: string,
  name: string,
  isExclusive: boolean,
): Promise<Owned | undefined> {
  const path = join(folder, name);
  const lock = await acquireWindowLock(path).catch(() => undefined);
  if (lock === undefined) return undefined;
  const ownLock = {
    dispose: () => {
      lock[Symbol.dispose]();
      void removeEmptyFolders(path, folder);
    },
  };
  // Checks for other locks after acquiring its own: if two windows acquire locks at the same time, at least one detects
  // the other.
  if (!isExclusive || !(await hasOtherLock(folder, name))) return ownLock;
  ownLock.dispose();
  return undefined;
}

/** Removes the locks in the folders below `root` if the windows that held these locks have closed. */
export async function removeStaleLocks(root: string): Promise<void> {
  for (const folder of await readdir(root).catch(() => [])) {
    for (const name of await readdir(join(root, folder)).catch(() => [])) {
      const path = join(root, folder, name);
      if (!(await isFolderLocked(path))) await removeStaleLock(path);
      await removeEmptyFolders(path, join(root, folder));
    }
  }
}

async function hasOtherLock(folder: string, name: string): Promise<boolean> {
  for (const otherName of await readdir(folder).catch(() => []))
    if (otherName !== name && (await isFolderLocked(join(folder, otherName)))) return true;
  return false;
}

async function removeEmptyFolders(...folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rmdir(folder).catch(() => {});
}

class HeldLock implements WindowLock {
  readonly #path: string;
  readonly #id: string;
  readonly #lossController = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(path: string, id: string) {
    this.#path = path;
    this.#id = id;
    this.#timer = setInterval(() => void this.#updateHeartbeat(), heartbeatMs);
    this.#timer.unref();
  }

  get lossSignal(): AbortSignal {
    return this.#lossController.signal;
  }

  /** Deletes the lock file. Synchronous, because a closing window does not wait for promises. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#lossController.abort();
    try {
      if (readFileSync(this.#path, 'utf8') === this.#id) rmSync(this.#path);
    } catch {
      // The lock file is already deleted.
    }
  }

  async #updateHeartbeat(): Promise<void> {
    if ((await readLockId(this.#path)) !== this.#id) return this.#lossController.abort();
    const now = new Date();
    await utimes(this.#path, now, now).catch(() => {});
  }
}

async function createLockFile(path: string, id: string): Promise<boolean> {
  try {
    await writeFile(path, id, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Renames and deletes a stale lock. If several windows find the same stale lock, only one of them receives true. */
async function removeStaleLock(folder: string): Promise<boolean> {
  const path = getLockPath(folder);
  const id = await readLockId(path);
  if (await isFolderLocked(folder)) return false;
  const stalePath = `${path}.${randomUUID()}`;
  await rename(path, stalePath).catch(() => {});
  const movedId = await readLockId(stalePath);
  if (movedId !== undefined && movedId !== id) {
    // The renamed file was the new lock of another window, so that window gets its lock file back.
    await rename(stalePath, path).catch(() => {});
    return false;
  }
  await rm(stalePath, { force: true });
  return true;
}

const readLockId = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined);
