import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

export const lockPath = (folder: string): string => join(folder, 'in-use.lock');

/** A window shows this often that it is still at it, in milliseconds; one that did not for `staleMs` is gone. */
export const heartbeatMs = 5_000;
export const staleAfterMs = 30_000;

/** Whether a window that lives is at what the folder is for. */
export async function isLocked(folder: string): Promise<boolean> {
  const path = lockPath(folder);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || Date.now() - found.mtimeMs >= staleAfterMs) return false;
  return isAlive(await readFile(path, 'utf8').catch(() => ''));
}

/** What stands in a lock: who has it, where its process can be looked for. */
export const lockContent = (id: string): string => [id, process.pid, hostname()].join(' ');

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

/** Keeps other windows from starting a flow of their own, of the kind that the folder is for. Let go with `using`. */
export interface WindowLock extends Disposable {
  /** Aborts when it is let go, or another window took over, which it does when this one has not moved for long. */
  readonly lost: AbortSignal;
}

/** `undefined` while another window, or another flow of this one, has it. @throws what the disk says */
export async function acquireWindowLock(folder: string): Promise<WindowLock | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = lockPath(folder);
  const id = lockContent(randomUUID());
  if (!(await create(path, id))) {
    if (!(await removeStale(folder)) || !(await create(path, id))) return undefined;
  }
  return new HeldLock(path, id);
}

class HeldLock implements WindowLock {
  readonly #path: string;
  readonly #id: string;
  readonly #canceller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(path: string, id: string) {
    this.#path = path;
    this.#id = id;
    this.#timer = setInterval(() => void this.#beat(), heartbeatMs);
    this.#timer.unref();
  }

  get lost(): AbortSignal {
    return this.#canceller.signal;
  }

  /** At once, because a window that closes waits for nothing. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#canceller.abort();
    try {
      if (readFileSync(this.#path, 'utf8') === this.#id) rmSync(this.#path);
    } catch {
      // It is gone already.
    }
  }

  async #beat(): Promise<void> {
    if ((await holder(this.#path)) !== this.#id) return this.#canceller.abort();
    const now = new Date();
    await utimes(this.#path, now, now).catch(() => {});
  }
}

async function create(path: string, id: string): Promise<boolean> {
  try {
    await writeFile(path, id, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Of two windows that find the same one, only one can move it away. */
async function removeStale(folder: string): Promise<boolean> {
  const path = lockPath(folder);
  const id = await holder(path);
  if (await isLocked(folder)) return false;
  const away = `${path}.${randomUUID()}`;
  await rename(path, away).catch(() => {});
  const moved = await holder(away);
  if (moved !== undefined && moved !== id) {
    // It was a new one already: the other window keeps it.
    await rename(away, path).catch(() => {});
    return false;
  }
  await rm(away, { force: true });
  return true;
}

const holder = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined);
