import type { Kept } from '../turn-record.ts';
import * as vscode from 'vscode';
import { type Lines, linesOf } from '../three-way.ts';

/** Bytes read as text, with what it takes to write them back in the same way. */
export interface FileText {
  readonly lines: Lines;
  readonly eol: '\n' | '\r\n';
  /** As the editor names it; undefined for the one that the settings choose. */
  readonly encoding: string | undefined;
}

/**
 * @param encoding What the editor uses for the file, when it has it open.
 * @returns undefined for bytes that are no text.
 */
export async function textOf(
  uri: vscode.Uri,
  bytes: Uint8Array,
  encoding?: string,
): Promise<FileText | undefined> {
  const name = encoding ?? (hasMark(bytes) ? 'utf8bom' : undefined);
  if (name === undefined && looksBinary(bytes)) return undefined;
  try {
    const text =
      name === undefined
        ? await vscode.workspace.decode(bytes, { uri })
        : await vscode.workspace.decode(bytes, { encoding: name });
    const eol = /\r?\n/u.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n';
    return { lines: linesOf(text), eol, encoding: name };
  } catch {
    return undefined;
  }
}

export function bytesOfText(
  uri: vscode.Uri,
  { lines, eol, encoding }: FileText,
): Thenable<Uint8Array> {
  const text = lines.join(eol);
  return encoding === undefined
    ? vscode.workspace.encode(text, { uri })
    : vscode.workspace.encode(text, { encoding });
}

/** A final newline ends a line, it does not begin one. */
export const countLines = (lines: Lines): number =>
  lines.at(-1) === '' ? lines.length - 1 : lines.length;

/** The mark that says UTF-8. Reading drops it; writing must put it back. */
const hasMark = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/** As most tools tell: a zero near the beginning, but not in UTF-16, which says so itself. */
function looksBinary(bytes: Uint8Array): boolean {
  const isUtf16 =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !isUtf16 && bytes.subarray(0, 8_000).includes(0);
}

/** It was written by `accept`. */
export const reviewedKept = (blob: string): Kept => ({ blob, encoding: 'utf8' });
