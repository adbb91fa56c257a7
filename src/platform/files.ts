import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';

/**
 * Appends whole lines or nothing: what a full disk took of them is cut off again. Does not create the file: what
 * was removed meanwhile must not come back as a part.
 * @throws what the disk says.
 */
export async function appendToFile(path: string, lines: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_APPEND);
  try {
    const { size } = await file.stat();
    const newline = size > 0 && !(await endsWithNewline(file, size));
    try {
      await file.appendFile(newline ? `\n${lines}` : lines);
      await file.sync();
    } catch (error) {
      await file.truncate(size).catch(() => {});
      throw error;
    }
  } finally {
    await file.close();
  }
}

/** A crash may have cut the last line off; the next one must not become a part of it. */
async function endsWithNewline(
  file: Awaited<ReturnType<typeof open>>,
  size: number,
): Promise<boolean> {
  const { buffer } = await file.read(new Uint8Array(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

export interface Reading {
  /** A longer file is not read, in bytes. */
  readonly longest: number;
  /** So many bytes of its beginning are wanted; all of them when absent. */
  readonly first?: number;
}

/** Why a file is not read: it is no file (a folder, a device, a pipe), is empty, or is too long. */
export type Unread = 'no-file' | 'empty' | 'too-long';

/**
 * Reads a file that somebody else named. A name can be a link to a device or a pipe that never ends, or never answers:
 * those are told apart before anything is read, and no more is read than the file had when it was opened.
 * @throws what the disk says
 */
export async function readRegularFile(
  path: string,
  { longest, first = longest }: Reading,
): Promise<Uint8Array | Unread> {
  // Opening alone does something to some devices, so the name is looked at first; it can change until it is opened.
  if (!(await stat(path)).isFile()) return 'no-file';
  // Waits for nobody who would write into a pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return 'no-file';
    if (stats.size === 0) return 'empty';
    if (stats.size > longest) return 'too-long';
    return await readFirst(file, Math.min(stats.size, first));
  } finally {
    await file.close();
  }
}

/** Fewer when the file was cut off meanwhile. */
async function readFirst(file: FileHandle, count: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count;) {
    const { bytesRead } = await file.read(bytes, at, count - at, at);
    if (bytesRead === 0) return bytes.subarray(0, at);
    at += bytesRead;
  }
  return bytes;
}
