import { stat as statOnDisk } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { computeMinimalEdits, applyEdits } from '../../edit/find-exact.ts';
import type { TextEdit } from '../../edit/hunk.ts';
import { isRecord } from '../../../base/json.ts';
import { detectFileContent } from '../../../workspace/file-content.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import {
  type EncodedText,
  decodeLossless,
  haveSameBytes,
} from '../../../workspace/vscode/file-text.ts';
import { findOpenDocument, needsDiskWrite } from '../../../workspace/vscode/documents.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';
import { createToolFailedError } from './ports.ts';

/** A text file whose encoding, byte order mark and line endings stay the same when its text changes. */
export interface TextFile {
  /** Current text, including unsaved changes, without a byte order mark. Line endings are those of the file. */
  readonly text: string;
  /**
   * True if {@link text} contains unsaved changes of an editor. A write saves these changes too.
   */
  readonly isUnsaved: boolean;
  /** URI under which language services report errors in the text, if it differs from the URI of the file. */
  readonly documentUri?: vscode.Uri;
  /**
   * Saves unsaved changes before the edit, so that the file content that is stored for undo includes them.
   * @throws ToolError `failed` if the changes could not be saved
   */
  saveChanges?(): Promise<void>;
  /**
   * Applies edits to {@link text}, saves the file, and reads the file again.
   * @returns the saved text, which can differ from the requested text if VS Code formats on save
   * @throws ToolError `changed` if the text changed after it was read; `failed` if the file could not be saved. The
   *   file is then unchanged.
   */
  write(edits: readonly TextEdit[]): Promise<string>;
}

/**
 * Returns the diff for the approval request. If the file has unsaved changes, a note before the diff states that the
 * edit also saves them, because the diff does not contain them.
 */
export const formatPreview = ({ isUnsaved }: Pick<TextFile, 'isUnsaved'>, diff: string): string =>
  isUnsaved
    ? `${vscode.l10n.t('The file has unsaved changes, which will be saved with this edit.')}\n\n${diff}`
    : diff;

/**
 * A file that is edited through its VS Code document. Such an edit preserves cursors, folds and unsaved text, and the
 * user can revert the edit with one undo.
 */
export class DocumentFile implements TextFile {
  readonly text: string;
  readonly isUnsaved: boolean;
  readonly #document: vscode.TextDocument;
  readonly #bytes: Uint8Array;
  readonly #label: string;

  /** @param bytes Content on disk, without unsaved changes of the document. */
  constructor(document: vscode.TextDocument, bytes: Uint8Array, label: string) {
    this.text = document.getText();
    this.isUnsaved = document.isDirty;
    this.#document = document;
    this.#bytes = bytes;
    this.#label = label;
  }

  async write(edits: readonly TextEdit[]): Promise<string> {
    const document = this.#document;
    const diskBytes = await vscode.workspace.fs.readFile(document.uri);
    if (!haveSameBytes(diskBytes, this.#bytes)) throw createChangedFileError(this.#label);
    // VS Code compares the version again when it applies the edit.
    if (document.isClosed || document.getText() !== this.text)
      throw createChangedFileError(this.#label);
    if (!(await applyTextEdits(document, edits))) throw createChangedFileError(this.#label);
    const expectedText = applyEdits(this.text, edits);
    const editedText = document.getText();
    await document.save();
    if (document.isDirty) {
      if (document.getText() === editedText && editedText === expectedText)
        await setText(document, this.text);
      throw new ToolError(
        'failed',
        `${this.#label} could not be saved: it may be read-only or have changed on disk. The edit was taken back.`,
      );
    }
    return this.#readSavedText();
  }

  async #readSavedText(): Promise<string> {
    const document = this.#document;
    const bytes = await vscode.workspace.fs.readFile(document.uri);
    const savedText = await decodeLossless(bytes, document.encoding);
    if (savedText?.text === document.getText()) return savedText.text;
    throw new ToolError(
      'failed',
      `${this.#label} was saved as ${document.encoding} and its text changed. Read it again.`,
    );
  }
}

/** Replaces the text of a document with minimal edits. Returns false if VS Code rejects the edits. */
export async function setText(document: vscode.TextDocument, text: string): Promise<boolean> {
  const edits = computeMinimalEdits(document.getText(), text);
  return edits.length === 0 || applyTextEdits(document, edits);
}

/** Applies edits to a document as one undo step. Returns false if VS Code rejects the edits. */
export async function applyTextEdits(
  document: vscode.TextDocument,
  edits: readonly TextEdit[],
): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  edit.set(
    document.uri,
    edits.map(({ start, end, text }) => {
      const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
      return vscode.TextEdit.replace(range, text);
    }),
  );
  return vscode.workspace.applyEdit(edit);
}

/**
 * Waits until the document contains the text, for at most `timeoutMs`. Returns true if the document then contains the
 * text and has no unsaved changes.
 */
export async function waitForText(
  document: vscode.TextDocument,
  text: string,
  timeoutMs: number,
): Promise<boolean> {
  const hasText = (): boolean => document.getText() === text;
  if (hasText()) return true;
  const textOrTimeout = Promise.withResolvers<void>();
  const timer = setTimeout(textOrTimeout.resolve, timeoutMs);
  const subscription = vscode.workspace.onDidChangeTextDocument((event) => {
    if (event.document === document && hasText()) textOrTimeout.resolve();
  });
  try {
    await textOrTimeout.promise;
  } finally {
    clearTimeout(timer);
    subscription.dispose();
  }
  return hasText() && !document.isDirty;
}

export const createChangedFileError = (label: string): ToolError =>
  new ToolError('changed', `${label} was changed by someone else. Read it again.`);

/** Maximum size in bytes of a file that tools edit. Larger files cannot be stored for undo. */
const maxFileSize = 20 * 1_024 * 1_024;
/** Maximum time in milliseconds to wait until an editor has reloaded a file that changed on disk. */
const reloadTimeoutMs = 1_000;

/**
 * Opens a text file for an edit, either through its document or on disk.
 * @throws ToolError unless the path is a writable text file
 */
export async function openTextFile(resolvedPath: ResolvedPath): Promise<TextFile> {
  const { uri, label } = resolvedPath;
  const bytes = await readWritableFile(resolvedPath);
  if (detectFileContent(bytes).kind !== 'text')
    throw createToolFailedError(`${label} is no text file.`);
  if (findOpenNotebook(uri) !== undefined)
    throw createToolFailedError(`${label} is open as a notebook. Set "cell" to the id of a cell.`);
  const document = await openDocument(resolvedPath);
  if (isReadOnlyBySetting(document))
    throw createToolFailedError(`${label} is read-only. It was not changed.`);
  if (document.isDirty) return new DocumentFile(document, bytes, label);
  const encodedText = await decodeLossless(bytes, document.encoding);
  if (encodedText === undefined) {
    throw createToolFailedError(
      `${label} has bytes that are lost when saved as ${document.encoding}. It was not changed.`,
    );
  }
  if (encodedText.text.includes('\0')) throw createToolFailedError(`${label} is no text file.`);
  // A document has only one kind of line ending, and would change the others.
  const needsBytes = hasMixedLineEndings(encodedText.text) || needsDiskWrite(uri);
  if (!needsBytes && (await waitForText(document, encodedText.text, reloadTimeoutMs))) {
    return new DocumentFile(document, bytes, label);
  }
  if (document.isDirty) return new DocumentFile(document, bytes, label);
  return new BytesFile(resolvedPath, bytes, encodedText);
}

/**
 * Returns the URI that identifies a notebook cell in `FileVersions`, which records the texts that the model read or
 * wrote.
 */
export const createCellUri = (uri: vscode.Uri, id: string): vscode.Uri =>
  uri.with({ fragment: id });

/** Converts line endings to line feeds, because `FileVersions` records texts with line feeds. */
export const convertToLineFeeds = (text: string): string =>
  text.includes('\r') ? text.replaceAll(/\r\n?/gu, '\n') : text;

/** Returns the notebook document of a file that is open in VS Code; undefined if it is not open. */
export const findOpenNotebook = (uri: vscode.Uri): vscode.NotebookDocument | undefined =>
  vscode.workspace.notebookDocuments.find(
    (notebook) => !notebook.isClosed && notebook.uri.toString() === uri.toString(),
  );

/**
 * Reads the bytes of a file before an edit.
 * @throws ToolError unless the path is a writable file that is small enough to be stored for undo
 */
export async function readWritableFile({ uri, label }: ResolvedPath): Promise<Uint8Array> {
  const stat = await vscode.workspace.fs.stat(uri).then(undefined, () => undefined);
  if (stat === undefined) {
    throw new ToolError('not-found', `There is no file ${label}. Use create_file for a new one.`);
  }
  if ((stat.type & vscode.FileType.Directory) !== 0) {
    throw new ToolError('bad-arguments', `${label} is a folder.`);
  }
  if (stat.size > maxFileSize) {
    throw new ToolError('too-large', `${label} is larger than 20 MB. It was not changed.`);
  }
  if (await isReadOnly(uri, stat))
    throw createToolFailedError(`${label} is read-only. It was not changed.`);
  return vscode.workspace.fs.readFile(uri);
}

/**
 * Checks whether a file is read-only. Also checks the file mode, because a privileged user could write a file with a
 * read-only mode.
 */
async function isReadOnly(uri: vscode.Uri, { permissions }: vscode.FileStat): Promise<boolean> {
  if (permissions || vscode.workspace.fs.isWritableFileSystem(uri.scheme) === false) return true;
  if (uri.scheme !== 'file') return false;
  const { mode } = await statOnDisk(uri.fsPath);
  return (mode & 0o222) === 0;
}

/**
 * Checks whether the settings `files.readonlyInclude` and `files.readonlyExclude` make a file read-only. VS Code does not
 * save such a document, but writes the file when an extension requests it.
 */
function isReadOnlyBySetting(document: vscode.TextDocument): boolean {
  const settings = vscode.workspace.getConfiguration('files', document.uri);
  return (
    matchesGlob(document, settings.get('readonlyInclude')) &&
    !matchesGlob(document, settings.get('readonlyExclude'))
  );
}

/**
 * Checks whether one of the enabled globs matches a document. As in VS Code, globs match the path in the workspace
 * folder, and also the absolute path if one of the globs is absolute or the document is in no workspace folder.
 * @param globs Value of a setting with globs as keys, and `true` for each enabled glob.
 */
function matchesGlob(document: vscode.TextDocument, globs: unknown): boolean {
  if (!isRecord(globs)) return false;
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const matchesAbsolutePath =
    folder === undefined || Object.keys(globs).some((glob) => isAbsolute(glob));
  return Object.entries(globs).some(([glob, isEnabled]) => {
    if (isEnabled !== true) return false;
    const selectors = [
      ...(folder ? [{ pattern: new vscode.RelativePattern(folder, glob) }] : []),
      // Paths of documents have a drive letter in lower case.
      ...(matchesAbsolutePath
        ? [{ pattern: glob.replace(/^[A-Z]:/u, (drive) => drive.toLowerCase()) }]
        : []),
    ];
    return vscode.languages.match(selectors, document) > 0;
  });
}

async function openDocument({ uri, label }: ResolvedPath): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    throw createToolFailedError(`${label} cannot be opened as text.`);
  }
}

/** Checks for mixed line endings, and for single carriage returns, which editors treat as line endings. */
function hasMixedLineEndings(text: string): boolean {
  const carriageReturnCount = text.split('\r').length - 1;
  if (carriageReturnCount === 0) return false;
  const crlfCount = text.split('\r\n').length - 1;
  return carriageReturnCount !== crlfCount || crlfCount !== text.split('\n').length - 1;
}

/**
 * A file that is written on disk instead of through its text document, because the document is outdated, would change
 * line endings, or belongs to a notebook that no tab shows as text. VS Code reloads the document after the write.
 */
class BytesFile implements TextFile {
  readonly text: string;
  readonly isUnsaved = false;
  readonly #resolvedPath: ResolvedPath;
  readonly #bytes: Uint8Array;
  readonly #encodedText: EncodedText;

  constructor(resolvedPath: ResolvedPath, bytes: Uint8Array, encodedText: EncodedText) {
    this.text = encodedText.text;
    this.#resolvedPath = resolvedPath;
    this.#bytes = bytes;
    this.#encodedText = encodedText;
  }

  async write(edits: readonly TextEdit[]): Promise<string> {
    const { uri, label } = this.#resolvedPath;
    const editedText = applyEdits(this.text, edits);
    const bytes = await this.#encodedText.encode(editedText);
    if (!haveSameBytes(await vscode.workspace.fs.readFile(uri), this.#bytes))
      throw createChangedFileError(label);
    if (findOpenDocument(uri.toString())?.isDirty === true || findOpenNotebook(uri) !== undefined)
      throw createChangedFileError(label);
    try {
      await vscode.workspace.fs.writeFile(uri, bytes);
    } catch {
      throw createToolFailedError(`${label} could not be written.`);
    }
    if (haveSameBytes(await vscode.workspace.fs.readFile(uri), bytes)) return editedText;
    throw createToolFailedError(
      `${label} was written, but holds something else now. Read it again.`,
    );
  }
}
