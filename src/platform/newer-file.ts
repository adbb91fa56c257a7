import { type FileHandle, open, readFile } from 'node:fs/promises';
import { parseJson } from '../base/json.ts';
import { isFromNewerVersion } from '../base/newer-version.ts';

/** Longer than the first line of most stores. */
const startBytes = 16 * 1024;

/** Rejects a change of a file that a newer version of the extension wrote. */
export class NewerVersionError extends Error {
  constructor() {
    super('A newer version of the extension wrote this file. Update the extension to change it.');
    this.name = 'NewerVersionError';
  }
}

/**
 * Checks whether a newer version of the extension wrote the file. False when there is no such file.
 * @throws the error of the file system.
 */
export async function isNewerFile(path: string): Promise<boolean> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0);
    const start = buffer.toString('utf8', 0, bytesRead);
    // The first line may continue after the bytes read, or the JSON may span several lines.
    const isCut =
      bytesRead === startBytes &&
      /^\s*\{/u.test(start) &&
      parseJson(start.split('\n', 1)[0] ?? '') === undefined;
    return isFromNewerVersion(isCut ? await readFile(path, 'utf8') : start);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  } finally {
    await file?.close();
  }
}

/** Checks whether the file must be left alone: a newer version wrote it, or it can't be read. */
export async function mayBeNewerFile(path: string): Promise<boolean> {
  return isNewerFile(path).catch(() => true);
}

/** @throws NewerVersionError, or the error of the file system. */
export async function refuseNewerFile(path: string): Promise<void> {
  if (await isNewerFile(path)) throw new NewerVersionError();
}
