import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';

/**
 * Appends lines to an existing file. If the write fails, for example on a full disk, truncates the file to its former
 * size. Never creates a file, because a file that was deleted would reappear with incomplete content.
 * @returns the number of bytes that were added
 * @throws if the file does not exist or cannot be written
 */
export async function appendToFile(path: string, lines: string): Promise<number> {
  const file = await open(path, constants.O_RDWR | constants.O_APPEND);
  try {
    const { size } = await file.stat();
    const needsNewline = size > 0 && !(await endsWithNewline(file, size));
    const text = needsNewline ? `\n${lines}` : lines;
    try {
      await file.appendFile(text);
      await file.sync();
      return Buffer.byteLength(text);
    } catch (error) {
      await file.truncate(size).catch(() => {});
      throw error;
    }
  } finally {
    await file.close();
  }
}

/**
 * Checks whether the last byte of a file is a newline. A crash may have truncated the file's last line, and appended
 * text must start on a new line.
 */
async function endsWithNewline(
  file: Awaited<ReturnType<typeof open>>,
  size: number,
): Promise<boolean> {
  const { buffer } = await file.read(new Uint8Array(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

export interface ReadFileOptions {
  /** Maximum size of the file in bytes. Larger files are not read. */
  readonly maxFileBytes: number;
}

/** Reason why a file is not read. `no-file`: the path is a folder, a device or a pipe. */
export type UnreadableReason = 'no-file' | 'empty' | 'too-long';

/**
 * Reads a file with an untrusted name. Rejects links to devices and pipes, because reading from a device or pipe may
 * never end. Reads at most the number of bytes that the file has when it is opened.
 * @throws if the file cannot be opened or read
 */
export async function readRegularFile(
  path: string,
  { maxFileBytes }: ReadFileOptions,
): Promise<Uint8Array | UnreadableReason> {
  // The path is checked before opening, because opening some devices has side effects. The open
  // file is checked as well, because the path can change in the meantime.
  if (!(await stat(path)).isFile()) return 'no-file';
  // Without this flag, opening a pipe would wait until another program opens the pipe for writing.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return 'no-file';
    if (stats.size === 0) return 'empty';
    if (stats.size > maxFileBytes) return 'too-long';
    return await readFirstBytes(file, stats.size);
  } finally {
    await file.close();
  }
}

/** Reads the first `count` bytes of an open file, or fewer if the file has become shorter. */
async function readFirstBytes(file: FileHandle, count: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(count);
  for (let offset = 0; offset < count;) {
    const { bytesRead } = await file.read(bytes, offset, count - offset, offset);
    if (bytesRead === 0) return bytes.subarray(0, offset);
    offset += bytesRead;
  }
  return bytes;
}
