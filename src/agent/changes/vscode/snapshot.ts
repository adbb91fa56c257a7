import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { type Lines, splitLines } from '../three-way.ts';
import type { StoredContent } from '../turn-record.ts';
import { hashBlob } from './checkpoint-files.ts';
import { omitUndefined } from '../../../base/json.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { findOpenDocument } from '../../../workspace/vscode/documents.ts';
import { decodeLossless } from '../../../workspace/vscode/file-text.ts';

/** Text of a file, with the properties that are needed to encode it again. */
export interface FileText {
  readonly lines: Lines;
  readonly eol: '\n' | '\r\n';
  /** Name that VS Code uses for the encoding; undefined for the configured default. */
  readonly encoding: string | undefined;
}

/**
 * Decodes the bytes of a file.
 * @param encoding Encoding of the file's open document; undefined if it is not open.
 * @returns undefined for binary content
 */
export async function decodeText(
  uri: vscode.Uri,
  bytes: Uint8Array,
  encoding?: string,
): Promise<FileText | undefined> {
  const name = encoding ?? (hasByteOrderMark(bytes) ? 'utf8bom' : undefined);
  if (name === undefined && isBinary(bytes)) return undefined;
  try {
    const text =
      name === undefined
        ? await vscode.workspace.decode(bytes, { uri })
        : await vscode.workspace.decode(bytes, { encoding: name });
    const eol = /\r?\n/u.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n';
    return { lines: splitLines(text), eol, encoding: name };
  } catch {
    return undefined;
  }
}

export function encodeText(
  uri: vscode.Uri,
  { lines, eol, encoding }: FileText,
): Thenable<Uint8Array> {
  const text = lines.join(eol);
  return encoding === undefined
    ? vscode.workspace.encode(text, { uri })
    : vscode.workspace.encode(text, { encoding });
}

/**
 * Encodes lines with the encoding, the byte order mark and the first line ending of a file.
 * @param bytes Current content of the file.
 * @returns undefined if decoding and encoding the file again would change its bytes
 */
export async function encodeLikeFile(
  uri: vscode.Uri,
  bytes: Uint8Array,
  lines: Lines,
): Promise<Uint8Array | undefined> {
  const { encoding } = await vscode.workspace.openTextDocument(uri);
  const encodedText = await decodeLossless(bytes, encoding);
  if (encodedText === undefined) return undefined;
  const eol = /\r?\n/u.exec(encodedText.text)?.[0] ?? '\n';
  return encodedText.encode(lines.join(eol));
}

/** Counts the lines of a text. A line ending at the end does not start another line. */
export const countLines = (lines: Lines): number =>
  lines.at(-1) === '' ? lines.length - 1 : lines.length;

/** Checks whether bytes begin with a UTF-8 byte order mark. Decoding drops the mark, so encoding must add it again. */
const hasByteOrderMark = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/**
 * Checks whether the first bytes of a file contain a null byte, which indicates binary content. Returns false for
 * UTF-16 with a byte order mark.
 */
function isBinary(bytes: Uint8Array): boolean {
  const isUtf16 =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !isUtf16 && bytes.subarray(0, 8_000).includes(0);
}

/** Returns the properties of a stored text with accepted changes. Such a text is always stored in UTF-8. */
export const createReviewedContent = (blob: string): StoredContent => ({ blob, encoding: 'utf8' });

/** Maximum size in bytes of a file that can be stored. Tools cannot change larger files. */
const maxFileSize = 20 * 1_024 * 1_024;

export type Snapshot =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly content: StoredContent }
  | { readonly kind: 'folder' }
  /** Nothing exists at the path. `realPath` is the real path of a file that would be created there. */
  | { readonly kind: 'missing'; readonly realPath?: string };

/**
 * Reads a file as the user sees it: unsaved text takes precedence over the disk. A link to a folder or to a missing
 * file counts as an empty file.
 * @throws ToolError `too-large` if the file is too large to store
 * @throws if the file cannot be read
 */
export async function takeSnapshot(uri: vscode.Uri): Promise<Snapshot> {
  const diskProperties = await readDiskProperties(uri);
  const stat = await tryStat(uri);
  if (stat === undefined && diskProperties.link === undefined) {
    return { kind: 'missing', ...omitUndefined({ realPath: diskProperties.realPath }) };
  }
  const isFile = stat !== undefined && (stat.type & vscode.FileType.File) !== 0;
  if (!isFile && diskProperties.link === undefined) return { kind: 'folder' };
  if (stat !== undefined && isFile && stat.size > maxFileSize) throw createFileTooLargeError(uri);
  const document = isFile ? findOpenDocument(uri.toString()) : undefined;
  const bytes = isFile ? await readBytes(uri, document) : new Uint8Array();
  const text = isFile ? await decodeText(uri, bytes, document?.encoding) : undefined;
  const content = omitUndefined({
    blob: hashBlob(bytes),
    encoding: text?.encoding,
    lines: text === undefined ? undefined : countLines(text.lines),
    ...diskProperties,
  });
  return { kind: 'file', bytes, content };
}

/** Returns the type, size and times of a file; undefined if nothing exists at the URI. */
export async function tryStat(uri: vscode.Uri): Promise<vscode.FileStat | undefined> {
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch (error) {
    if (isMissingFileError(error)) return undefined;
    throw error;
  }
}

async function readBytes(
  uri: vscode.Uri,
  document: vscode.TextDocument | undefined,
): Promise<Uint8Array> {
  if (document?.isDirty !== true) return vscode.workspace.fs.readFile(uri);
  return vscode.workspace.encode(document.getText(), { encoding: document.encoding });
}

/**
 * Reads file properties that VS Code's file system does not provide. Returns no properties for files that are not on
 * disk.
 */
async function readDiskProperties(
  uri: vscode.Uri,
): Promise<Pick<StoredContent, 'mode' | 'link' | 'realPath'>> {
  if (uri.scheme !== 'file') return {};
  const path = uri.fsPath;
  const [stat, realFolder] = await Promise.all([
    lstat(path).catch(() => undefined),
    resolveLinks(dirname(path)),
  ]);
  const link = stat?.isSymbolicLink() === true ? await readlink(path) : undefined;
  const mode = stat === undefined || link !== undefined ? undefined : stat.mode & 0o777;
  return omitUndefined({ mode, link, realPath: join(realFolder, basename(path)) });
}

/** Resolves all links in a path. Missing folders at the end of the path stay unchanged. */
async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await resolveLinks(parent), basename(path));
  }
}

const isMissingFileError = (error: unknown): boolean =>
  error instanceof vscode.FileSystemError && error.code === 'FileNotFound';

const createFileTooLargeError = (uri: vscode.Uri): ToolError =>
  new ToolError(
    'too-large',
    `${basename(uri.path)} is larger than 20 MB, so its state before the change cannot be kept for undo. It was not changed.`,
  );
