import { posix } from 'node:path';
import * as vscode from 'vscode';
import { altText, wordsOf } from '../image-text.ts';
import type { ImageRecord } from '../image-record.ts';
import { imageReference, languageOf } from '../reference.ts';
import type { TrackedPosition } from './tracked-position.ts';

/** A reference as it stands in a document now. */
export interface InsertedReference {
  readonly document: vscode.TextDocument;
  readonly text: string;
  readonly picture: vscode.Uri;
}

/**
 * Writes the reference to a saved picture into the document, in its language's own form, as one step of undo.
 * @returns undefined when the document cannot be changed: {@link referenceText} is for the clipboard then
 */
export async function insertReference(
  place: TrackedPosition,
  record: ImageRecord,
  picture: vscode.Uri,
): Promise<InsertedReference | undefined> {
  const { document } = place;
  const { text, ownLine } = referenceFor(document, record, picture);
  const { position } = place;
  const inserted = ownLine
    ? onOwnLine(document, position, text)
    : `${spaceBefore(document, position)}${text}`;
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, position, inserted);
  const isApplied = isEditable(document) && (await vscode.workspace.applyEdit(edit));
  return isApplied ? { document, text, picture } : undefined;
}

/** What is only shown, such as an old version of a file, would take the edit and forget it. */
const isEditable = ({ isUntitled, uri: { scheme } }: vscode.TextDocument): boolean =>
  isUntitled ||
  scheme === 'vscode-notebook-cell' ||
  vscode.workspace.fs.isWritableFileSystem(scheme) === true;

/** The reference alone, for where it cannot be inserted. */
export const referenceText = (
  document: vscode.TextDocument,
  record: ImageRecord,
  picture: vscode.Uri,
): string => referenceFor(document, record, picture).text;

function referenceFor(
  document: vscode.TextDocument,
  record: ImageRecord,
  picture: vscode.Uri,
): ReturnType<typeof imageReference> {
  const { width, height } = record;
  const language = languageOf(document.languageId, posix.extname(document.uri.path));
  const alt = altText(wordsOf(record));
  return imageReference(language, { path: pathFrom(document, picture), alt, width, height });
}

/** Relative to the document; to the workspace folder when the document has no place yet; else the whole path. */
function pathFrom(document: vscode.TextDocument, picture: vscode.Uri): string {
  const { uri } = document;
  const isSameSystem = uri.authority === picture.authority && !document.isUntitled;
  // A cell of a notebook has the path of its notebook.
  const isPlaced = uri.scheme === picture.scheme || uri.scheme === 'vscode-notebook-cell';
  if (isSameSystem && isPlaced) return posix.relative(posix.dirname(uri.path), picture.path);
  const folder = vscode.workspace.getWorkspaceFolder(picture);
  if (folder !== undefined) return posix.relative(folder.uri.path, picture.path);
  return picture.scheme === 'file' ? picture.fsPath : picture.path;
}

/** Two references, or a word and a reference, run together otherwise. In code, what stands before is part of it. */
function spaceBefore(document: vscode.TextDocument, at: vscode.Position): string {
  const before = document.lineAt(at.line).text.slice(0, at.character);
  return prose.has(document.languageId) && /[\p{L}\p{N})\].,;:!?]$/u.test(before) ? ' ' : '';
}

const prose: ReadonlySet<string> = new Set(['markdown', 'mdx', 'quarto', 'html', 'plaintext']);

function onOwnLine(document: vscode.TextDocument, position: vscode.Position, text: string): string {
  const { text: line } = document.lineAt(position);
  const [indent = ''] = /^\s*/u.exec(line) ?? [];
  const before = line.slice(0, position.character).trim() === '' ? '' : '\n\n';
  const after = line.slice(position.character).trim() === '' ? '' : '\n\n';
  // What belongs to the first line must stand as deep as it does.
  const block = text.replaceAll('\n', `\n${indent}`);
  return `${before}${before === '' ? '' : indent}${block}${after}`;
}
