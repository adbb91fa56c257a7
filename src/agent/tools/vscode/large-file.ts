import { fileContent, isUtf16 } from '../../../workspace/file-content.ts';
import { moreLines, numberLines, windowLimits } from '../text-window.ts';
import type { ToolResult } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';
import { readLineRange } from './line-range.ts';
import { decodedText } from '../../../workspace/vscode/file-text.ts';

/** What is asked for, 1-based and inclusive. */
export interface LineSpan {
  readonly first: number;
  /** May be infinite. */
  readonly last: number;
}

export const largestImage = 4_000_000;
const head = { first: 1, most: { lines: 1_000, bytes: 8_192 } };

/**
 * Lines of a file on the disk that is too large to be opened. Reads as far as the last line that is shown.
 * @throws ToolError for one that is no text, and where the text cannot be read in parts
 */
export async function readLargeFile(
  { label, uri }: ResolvedPath,
  { first, last }: LineSpan,
  { size, signal }: { readonly size: number; readonly signal: AbortSignal },
): Promise<ToolResult> {
  const megabytes = `${Math.round(size / 1e6)} MB`;
  if (uri.scheme !== 'file')
    throw new ToolError('too-large', `${label} has ${megabytes}: it cannot be read from there.`);
  const start = await readable(label, readLineRange(uri.fsPath, { ...head, signal }));
  const content = fileContent(start.bytes);
  if (content.kind === 'image') throw tooLargeImage(label, size);
  if (content.kind === 'binary') throw binaryFile(label, content.what);
  if (isUtf16(start.bytes))
    throw new ToolError('too-large', `${label} has ${megabytes} in UTF-16: use search_text.`);
  const lines = Math.min(windowLimits.lines, last - first + 1);
  const most = { lines, bytes: windowLimits.characters * 4 };
  const range = await readable(label, readLineRange(uri.fsPath, { first, most, signal }));
  if (range.lastLine < first)
    throw new ToolError('bad-arguments', `${label} has only ${range.lastLine} lines.`);
  const { text } = await readable(label, decodedText(uri, range.bytes));
  const read = text.split('\n');
  if (text.endsWith('\n')) read.pop();
  const window = numberLines(read, first);
  const more = range.more || window.last < first + read.length - 1;
  return {
    output: more ? `${window.text}\n${moreLines(window, undefined)}` : window.text,
    target: `${label}:${window.first}-${window.last}`,
  };
}

/** The messages of file systems name places that are nobody's business. */
export async function readable<T>(label: string, read: PromiseLike<T>): Promise<T> {
  try {
    return await read;
  } catch {
    throw new ToolError('failed', `${label} cannot be read.`);
  }
}

export const binaryFile = (label: string, what: string): ToolError =>
  new ToolError('failed', `${label} is ${what}: it cannot be read as text.`);

export const tooLargeImage = (label: string, size: number): ToolError =>
  new ToolError(
    'too-large',
    `${label} is a picture of ${(size / 1e6).toFixed(1)} MB; up to ${largestImage / 1e6} MB can be read.`,
  );
