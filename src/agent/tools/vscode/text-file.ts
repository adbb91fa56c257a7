import { stat as statOnDisk } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Place } from '../../edit/hunk.ts';
import { withPlaces } from '../../edit/find-exact.ts';
import { fileContent } from '../../../workspace/file-content.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';
import { changedError, DocumentFile, textReached } from './document-file.ts';
import { type EncodedText, losslessText, sameBytes } from './encoding.ts';
import type { TextFile } from './edits-text-file.ts';

/** Larger ones are not kept for an undo either. */
const largest = 20 * 1_024 * 1_024;
/** What an editor gets to notice that its file was changed on disk. Milliseconds. */
const patience = 1_000;

/** @throws ToolError for anything but a file of text that can be written */
export async function openTextFile(place: ResolvedPath): Promise<TextFile> {
  const { uri, label } = place;
  const bytes = await readBytes(place);
  if (fileContent(bytes).kind !== 'text') throw failed(`${label} is no text file.`);
  if (vscode.workspace.notebookDocuments.some((each) => each.uri.toString() === uri.toString())) {
    throw failed(`${label} is open as a notebook. Its cells cannot be edited by this tool.`);
  }
  const document = await opened(place);
  if (document.isDirty) return new DocumentFile(document, bytes, label);
  const encoded = await losslessText(bytes, document.encoding);
  if (encoded === undefined) {
    throw failed(
      `${label} has bytes that are lost when it is saved as ${document.encoding}. It was not changed.`,
    );
  }
  if (encoded.text.includes('\0')) throw failed(`${label} is no text file.`);
  // An editor has one kind of line ending for a file, and would change the others.
  const hasOneEnding = !hasOtherEndings(encoded.text);
  if (hasOneEnding && (await textReached(document, encoded.text, patience))) {
    return new DocumentFile(document, bytes, label);
  }
  if (document.isDirty) return new DocumentFile(document, bytes, label);
  return new BytesFile(place, bytes, encoded);
}

async function readBytes({ uri, label }: ResolvedPath): Promise<Uint8Array> {
  const stat = await vscode.workspace.fs.stat(uri).then(undefined, () => undefined);
  if (stat === undefined) {
    throw new ToolError(
      'not-found',
      `There is no file ${label}. New ones are made with create_file.`,
    );
  }
  if ((stat.type & vscode.FileType.Directory) !== 0) {
    throw new ToolError('bad-arguments', `${label} is a folder.`);
  }
  if (stat.size > largest) {
    throw new ToolError('too-large', `${label} is larger than 20 MB. It was not changed.`);
  }
  if (await isReadOnly(uri, stat)) throw failed(`${label} is read-only. It was not changed.`);
  return vscode.workspace.fs.readFile(uri);
}

/** By what the file system says, or by the file's own mode: who may write everything could write it all the same. */
async function isReadOnly(uri: vscode.Uri, { permissions }: vscode.FileStat): Promise<boolean> {
  if (permissions || vscode.workspace.fs.isWritableFileSystem(uri.scheme) === false) return true;
  if (uri.scheme !== 'file') return false;
  const { mode } = await statOnDisk(uri.fsPath);
  return (mode & 0o222) === 0;
}

async function opened({ uri, label }: ResolvedPath): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    throw failed(`${label} cannot be opened as text.`);
  }
}

/** Both kinds, or old ones that editors take for line endings too. */
function hasOtherEndings(text: string): boolean {
  const carriageReturns = text.split('\r').length - 1;
  if (carriageReturns === 0) return false;
  const pairs = text.split('\r\n').length - 1;
  return carriageReturns !== pairs || pairs !== text.split('\n').length - 1;
}

/** A file whose line endings an editor would not keep, or whose editor lags behind. It reads the file again by itself. */
class BytesFile implements TextFile {
  readonly text: string;
  readonly isUnsaved = false;
  readonly #place: ResolvedPath;
  readonly #bytes: Uint8Array;
  readonly #encoded: EncodedText;

  constructor(place: ResolvedPath, bytes: Uint8Array, encoded: EncodedText) {
    this.text = encoded.text;
    this.#place = place;
    this.#bytes = bytes;
    this.#encoded = encoded;
  }

  async write(places: readonly Place[]): Promise<string> {
    const { uri, label } = this.#place;
    const after = withPlaces(this.text, places);
    const bytes = await this.#encoded.encode(after);
    if (!sameBytes(await vscode.workspace.fs.readFile(uri), this.#bytes)) throw changedError(label);
    try {
      await vscode.workspace.fs.writeFile(uri, bytes);
    } catch {
      throw failed(`${label} could not be written.`);
    }
    if (sameBytes(await vscode.workspace.fs.readFile(uri), bytes)) return after;
    throw failed(`${label} was written, but holds something else now. Read it again.`);
  }
}

const failed = (message: string): ToolError => new ToolError('failed', message);
