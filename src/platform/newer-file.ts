import { type FileHandle, open, readFile } from 'node:fs/promises';
import { parseJson } from '../base/json.ts';
import { isFromNewerVersion } from '../base/newer-version.ts';

/**
 * Number of bytes to read from the start of a file. Enough for the first line of most stored files, which contains the
 * version.
 */
const startLength = 16 * 1024;

/** Error for an attempt to change a file that a newer version of the extension wrote. */
export class NewerVersionError extends Error {
  constructor() {
    super('A newer version of the extension wrote this file. Update the extension to change it.');
    this.name = 'NewerVersionError';
  }
}

/**
 * Checks whether a newer version of the extension wrote the file. Returns false if the file does not exist.
 * @throws if the file exists but cannot be read
 */
export async function isNewerFile(path: string): Promise<boolean> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(startLength), 0, startLength, 0);
    const startText = buffer.toString('utf8', 0, bytesRead);
    // The first line or a JSON text of several lines may be longer than the bytes that were read.
    const isTruncated =
      bytesRead === startLength &&
      /^\s*\{/u.test(startText) &&
      parseJson(startText.split('\n', 1)[0] ?? '') === undefined;
    return isFromNewerVersion(isTruncated ? await readFile(path, 'utf8') : startText);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  } finally {
    await file?.close();
  }
}

/**
 * Checks whether the file must remain unchanged, because a newer version of the extension wrote the file or the file
 * cannot be read.
 */
export async function mayBeNewerFile(path: string): Promise<boolean> {
  return isNewerFile(path).catch(() => true);
}

/**
 * Rejects a file that a newer version of the extension wrote.
 * @throws NewerVersionError for such a file, or another error if the file exists but cannot be read
 */
export async function refuseNewerFile(path: string): Promise<void> {
  if (await isNewerFile(path)) throw new NewerVersionError();
}
