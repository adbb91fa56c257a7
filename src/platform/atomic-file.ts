import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const temporary = /\.[0-9a-f-]{36}\.tmp$/u;
const renameTries = 5;

/**
 * Replaces a file as a whole, readable by its owner only: after a crash at any moment it holds the old content or
 * the new one, never a part. Creates the folder.
 * @throws what the disk says; the old file is then untouched and no temporary file stays.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeDurably(draft, content);
    await renameWithPatience(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

/**
 * Creates a file, readable by its owner only, and its folder. Never replaces a file.
 * @throws `EEXIST` when the file exists, or what the disk reports; then no part of a new file remains.
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

async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** On Windows a scanner may hold the file for a moment. */
async function renameWithPatience(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (attempt === renameTries || !['EPERM', 'EBUSY', 'EACCES'].includes(code)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 * 2 ** attempt));
    }
  }
}

/** Removes temporary files that a crash left in `folder`, when they are older than `ageMs`. */
export async function removeLeftovers(folder: string, ageMs: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => temporary.test(each))) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > ageMs) await rm(path, { force: true }).catch(() => {});
  }
}
