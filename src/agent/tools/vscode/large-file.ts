import { open } from 'node:fs/promises';
import type { ToolResult } from '../../tool.ts';
import { formatContinuationNote, numberLines, windowLimits } from '../text-window.ts';
import { detectFileContent, isUtf16 } from '../../../workspace/file-content.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { decodeText } from '../../../workspace/vscode/file-text.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';

export interface LineRangeContent {
  /** Bytes of the lines that were read, including line feeds. */
  readonly bytes: Uint8Array;
  /** Number of the last line that was read, starting at 1. Lower than requested if the file ends earlier. */
  readonly lastLine: number;
  readonly hasMore: boolean;
}

const chunkSize = 1_024 * 1_024;
const lineFeed = 10;

/**
 * Reads lines of a file that is too large for memory. Stops after the requested lines.
 * @param firstLine Number of the first line, starting at 1.
 * @param limits Maximum number of lines and bytes. The last line is cut at the byte limit.
 * @throws Error if the file cannot be read
 * @throws the signal's reason if the signal aborts
 */
export async function readLineRange(
  path: string,
  {
    firstLine,
    limits,
    signal,
  }: {
    readonly firstLine: number;
    readonly limits: { readonly lines: number; readonly bytes: number };
    readonly signal: AbortSignal;
  },
): Promise<LineRangeContent> {
  await using file = await open(path, 'r');
  const { size: fileSize } = await file.stat();
  const buffer = Buffer.allocUnsafe(chunkSize);
  const chunks: Buffer[] = [];
  let [line, size, position, lastByte] = [1, 0, 0, lineFeed];
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, chunkSize);
    // Text after the last line feed is a line unless it is empty.
    if (bytesRead === 0) {
      const lastLine = lastByte === lineFeed ? line - 1 : line;
      return { bytes: Buffer.concat(chunks), lastLine, hasMore: false };
    }
    const chunk = buffer.subarray(0, bytesRead);
    lastByte = chunk[bytesRead - 1] ?? lineFeed;
    const startPosition = skipLines(chunk, firstLine - line);
    line += startPosition.lineCount;
    if (line < firstLine) continue;
    const endPosition = skipLines(chunk, firstLine + limits.lines - line, startPosition.end);
    const end = Math.min(endPosition.end, startPosition.end + limits.bytes - size);
    chunks.push(Buffer.from(chunk.subarray(startPosition.end, end)));
    size += end - startPosition.end;
    line += endPosition.lineCount;
    if (line >= firstLine + limits.lines || size >= limits.bytes) {
      const hasMore = position + end < fileSize;
      return { bytes: Buffer.concat(chunks), lastLine: Math.max(firstLine, line - 1), hasMore };
    }
    position += bytesRead;
  }
}

/**
 * Skips up to `count` line feeds of the chunk. Returns the number of skipped line feeds, and the offset after the last
 * skipped one.
 */
function skipLines(
  chunk: Buffer,
  count: number,
  startIndex = 0,
): { lineCount: number; end: number } {
  let [lineCount, end] = [0, startIndex];
  while (lineCount < count) {
    const index = chunk.indexOf(lineFeed, end);
    if (index < 0) return { lineCount, end: chunk.length };
    lineCount += 1;
    end = index + 1;
  }
  return { lineCount, end };
}

/** Range of requested lines. Numbers start at 1; `lastLine` is inclusive. */
export interface LineSpan {
  readonly firstLine: number;
  /** Number of the last line; `Infinity` for all remaining lines. */
  readonly lastLine: number;
}

export const maxImageBytes = 4_000_000;
const initialLines = { firstLine: 1, limits: { lines: 1_000, bytes: 8_192 } };

/**
 * Reads lines of a file on disk that is too large to open in VS Code. Stops after the requested lines.
 * @throws ToolError for a binary file, and for an encoding that cannot be read in parts
 */
export async function readLargeFile(
  { label, uri }: ResolvedPath,
  { firstLine, lastLine }: LineSpan,
  { size, signal }: { readonly size: number; readonly signal: AbortSignal },
): Promise<ToolResult> {
  const megabytes = `${Math.round(size / 1e6)} MB`;
  if (uri.scheme !== 'file')
    throw new ToolError('too-large', `${label} has ${megabytes}: it cannot be read from there.`);
  const firstRange = await readOrFail(
    label,
    readLineRange(uri.fsPath, { ...initialLines, signal }),
  );
  const content = detectFileContent(firstRange.bytes);
  if (content.kind === 'image') throw createImageTooLargeError(label, size);
  if (content.kind === 'binary') throw createBinaryFileError(label, content.label);
  if (isUtf16(firstRange.bytes))
    throw new ToolError('too-large', `${label} has ${megabytes} in UTF-16: use search_text.`);
  const lines = Math.min(windowLimits.lines, lastLine - firstLine + 1);
  const limits = { lines, bytes: windowLimits.characters * 4 };
  const range = await readOrFail(label, readLineRange(uri.fsPath, { firstLine, limits, signal }));
  if (range.lastLine < firstLine)
    throw new ToolError('bad-arguments', `${label} has only ${range.lastLine} lines.`);
  const { text } = await readOrFail(label, decodeText(uri, range.bytes));
  const rangeLines = text.split('\n');
  if (text.endsWith('\n')) rangeLines.pop();
  const window = numberLines(rangeLines, firstLine);
  const hasMore = range.hasMore || window.lastLine < firstLine + rangeLines.length - 1;
  return {
    output: hasMore ? `${window.text}\n${formatContinuationNote(window, undefined)}` : window.text,
    target: `${label}:${window.firstLine}-${window.lastLine}`,
  };
}

/**
 * Waits for a read operation. Replaces its error with one that does not reveal the absolute path.
 * @throws ToolError `failed` if the operation fails
 */
export async function readOrFail<T>(label: string, pendingRead: PromiseLike<T>): Promise<T> {
  try {
    return await pendingRead;
  } catch {
    throw new ToolError('failed', `${label} cannot be read.`);
  }
}

export const createBinaryFileError = (label: string, kind: string): ToolError =>
  new ToolError('failed', `${label} is ${kind}: it cannot be read as text.`);

export const createImageTooLargeError = (label: string, size: number): ToolError =>
  new ToolError(
    'too-large',
    `${label} is an image of ${(size / 1e6).toFixed(1)} MB; up to ${maxImageBytes / 1e6} MB can be read.`,
  );
