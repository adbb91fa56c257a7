import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Matches the end of a temporary file's name, such as `.0a1b2c3d-815.UUID.tmp`. The optional groups contain the hash of
 * the host name (here `0a1b2c3d`) and the id of the process that created the file (here `815`).
 */
const temporaryFilePattern = /(?:\.([0-9a-f]{8})-([1-9]\d{0,9}))?\.[0-9a-f-]{36}\.tmp$/u;
const hostHash = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const maxRenameAttempts = 5;

/** Returns an unused path beside `path` for a temporary file of this process. */
export const createTemporaryPath = (path: string): string =>
  `${path}.${hostHash}-${process.pid}.${randomUUID()}.tmp`;

/**
 * Replaces the whole content of a file. Creates the file and its folder if they do not exist. Only the owner can read
 * the file. After a crash, the file contains either the complete old content or the complete new content.
 * @throws if the file cannot be written; the old file is then unchanged and no temporary file remains
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporaryPath = createTemporaryPath(path);
  try {
    await writeFileDurably(temporaryPath, content);
    await renameWithRetries(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true }).catch(() => {});
    throw error;
  }
}

/**
 * Creates a file, and its folder if the folder does not exist. Never replaces an existing file. Only the owner can read
 * the file.
 * @throws `EEXIST` if the file exists, or another error if it cannot be written; no part of a new file then remains
 */
export async function createFile(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

async function writeFileDurably(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Renames a file. Retries if the file is locked, for example by a virus scanner on Windows. */
async function renameWithRetries(oldPath: string, newPath: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(oldPath, newPath);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (attempt === maxRenameAttempts || !['EPERM', 'EBUSY', 'EACCES'].includes(code))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 * 2 ** attempt));
    }
  }
}

/**
 * Renames a file whose content cannot be decoded, so that the next write to the original path does not replace this
 * file. Does nothing if the file does not exist.
 * @throws if the file exists but cannot be renamed
 */
export async function renameUnreadableFile(path: string): Promise<void> {
  await rename(path, `${path}.damaged-${Date.now()}`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

/**
 * Removes temporary files that a crash left in `folder`: files of processes that have ended, and
 * files older than `ageMs` milliseconds.
 * @param options `recursive` includes all folders below `folder`.
 */
export async function removeLeftovers(
  folder: string,
  ageMs: number,
  options: { readonly recursive?: boolean } = {},
): Promise<void> {
  const names = await readdir(folder, options).catch(() => []);
  for (const name of names) {
    const match = temporaryFilePattern.exec(name);
    if (match === null) continue;
    const [, host, pid] = match;
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    const hasEnded = host === hostHash && !isProcessRunning(Number(pid));
    if (hasEnded || Date.now() - mtimeMs > ageMs) await rm(path, { force: true }).catch(() => {});
  }
}

/** Checks whether a process with this id is running on this machine. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
