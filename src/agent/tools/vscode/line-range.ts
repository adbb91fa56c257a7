import { open } from 'node:fs/promises';

export interface LineRange {
  /** The lines with their line feeds. */
  readonly bytes: Uint8Array;
  /** The number of the last line that was passed or taken: less than asked for when the file ends before. */
  readonly lastLine: number;
  readonly more: boolean;
}

const chunkSize = 1_024 * 1_024;
const lineFeed = 10;

/**
 * Reads lines of a file that is too large to be kept, and no further than needed.
 * @param first 1-based.
 * @param most Lines and bytes that are taken at most; a line is cut where the bytes end.
 * @throws Error when the file cannot be read, or the signal's reason
 */
export async function readLineRange(
  path: string,
  {
    first,
    most,
    signal,
  }: {
    readonly first: number;
    readonly most: { readonly lines: number; readonly bytes: number };
    readonly signal: AbortSignal;
  },
): Promise<LineRange> {
  await using file = await open(path, 'r');
  const { size: fileSize } = await file.stat();
  const buffer = Buffer.allocUnsafe(chunkSize);
  const taken: Buffer[] = [];
  let [line, size, position, lastByte] = [1, 0, 0, lineFeed];
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, chunkSize);
    // What follows the last line feed is a line only if there is something.
    if (bytesRead === 0) {
      const lastLine = lastByte === lineFeed ? line - 1 : line;
      return { bytes: Buffer.concat(taken), lastLine, more: false };
    }
    const chunk = buffer.subarray(0, bytesRead);
    lastByte = chunk[bytesRead - 1] ?? lineFeed;
    const passed = passLines(chunk, first - line);
    line += passed.lines;
    if (line < first) continue;
    const rest = passLines(chunk, first + most.lines - line, passed.end);
    const end = Math.min(rest.end, passed.end + most.bytes - size);
    taken.push(Buffer.from(chunk.subarray(passed.end, end)));
    size += end - passed.end;
    line += rest.lines;
    if (line >= first + most.lines || size >= most.bytes) {
      const more = position + end < fileSize;
      return { bytes: Buffer.concat(taken), lastLine: Math.max(first, line - 1), more };
    }
    position += bytesRead;
  }
}

/** How far `wanted` line feeds reach in the chunk: how many there are, and the place behind the last one. */
function passLines(chunk: Buffer, wanted: number, from = 0): { lines: number; end: number } {
  let [lines, end] = [0, from];
  while (lines < wanted) {
    const at = chunk.indexOf(lineFeed, end);
    if (at < 0) return { lines, end: chunk.length };
    lines += 1;
    end = at + 1;
  }
  return { lines, end };
}
