import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

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
