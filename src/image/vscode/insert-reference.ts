import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { omitUndefined } from '../../base/json.ts';
import type { ImageRecord } from '../image-record.ts';
import { createAltText, getImageSubject } from '../image-text.ts';
import {
  formatImageReference,
  type ReferenceLanguage,
  getReferenceLanguage,
  chooseSupportedFormat,
} from '../image-reference.ts';
import { showInformation, showWarning, showWithActions } from '../../platform/notifications.ts';
import type { ImageFormat } from '../../service/images/image-types.ts';

/** Position in a document that moves with the surrounding text when the document changes. */
export class TrackedPosition implements Disposable {
  readonly document: vscode.TextDocument;
  readonly #registration: vscode.Disposable;
  #offset: number;

  constructor(document: vscode.TextDocument, position: vscode.Position) {
    this.document = document;
    this.#offset = document.offsetAt(position);
    this.#registration = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document) this.#applyChanges(event.contentChanges);
    });
  }

  get position(): vscode.Position {
    return this.document.positionAt(this.#offset);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  /**
   * Adjusts the offset to all changes of one event. The ranges of the changes refer to the document before the event.
   */
  #applyChanges(changes: readonly vscode.TextDocumentContentChangeEvent[]): void {
    const previousOffset = this.#offset;
    for (const { rangeOffset, rangeLength, text } of changes) {
      const end = rangeOffset + rangeLength;
      if (end <= previousOffset) this.#offset += text.length - rangeLength;
      // If the user replaces the surrounding text, the position moves to the end of the new text.
      else if (rangeOffset < previousOffset)
        this.#offset += rangeOffset + text.length - previousOffset;
    }
  }
}

/** Reference that {@link insertReference} added to a document. */
export interface InsertedReference {
  readonly document: vscode.TextDocument;
  readonly text: string;
  readonly imageUri: vscode.Uri;
}

/**
 * Inserts a reference to a saved image in the syntax of the document, as one undo step.
 * @returns undefined if the document cannot be changed. Use {@link insertOrCopyReference} to let the user copy the
 * reference in this case.
 */
export async function insertReference(
  trackedPosition: TrackedPosition,
  record: ImageRecord,
  imageUri: vscode.Uri,
): Promise<InsertedReference | undefined> {
  const { document } = trackedPosition;
  const { text, needsOwnLine } = createReference(document, record, imageUri);
  const { position } = trackedPosition;
  const insertedText = needsOwnLine
    ? placeOnOwnLine(document, position, text)
    : `${getLeadingSpace(document, position)}${text}`;
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, position, insertedText);
  const isApplied = isEditable(document) && (await vscode.workspace.applyEdit(edit));
  return isApplied ? { document, text, imageUri } : undefined;
}

/**
 * Inserts a reference like {@link insertReference}, and observes whether the user undoes the insertion. If the document
 * is closed or cannot be changed, shows a warning with an action that copies the reference.
 */
export async function insertOrCopyReference(
  trackedPosition: TrackedPosition,
  { record, imageUri }: { readonly record: ImageRecord; readonly imageUri: vscode.Uri },
  undoneReferences: UndoneReferences,
): Promise<void> {
  const { document } = trackedPosition;
  const insertedReference = document.isClosed
    ? undefined
    : await insertReference(trackedPosition, record, imageUri);
  if (insertedReference !== undefined) return undoneReferences.trackReference(insertedReference);
  await showWithActions(
    showWarning,
    vscode.l10n.t(
      'The image was saved as {0}, but the document can no longer be changed.',
      vscode.workspace.asRelativePath(imageUri),
    ),
    [
      {
        label: vscode.l10n.t('Copy'),
        run: () => vscode.env.clipboard.writeText(createReference(document, record, imageUri).text),
      },
    ],
  );
}

/**
 * Returns the image format to request for a document: the given format if the document's language supports it,
 * otherwise a supported format.
 */
export function chooseSupportedFormatOption(
  document: vscode.TextDocument | undefined,
  requestedFormat: ImageFormat | undefined,
): { readonly format?: ImageFormat } {
  if (document === undefined) return {};
  return omitUndefined({
    format: chooseSupportedFormat(getDocumentLanguage(document), requestedFormat),
  });
}

/**
 * Checks whether changes of the document can be saved. Returns false for a read-only view, such as an old version of a
 * file.
 */
const isEditable = ({ isUntitled, uri: { scheme } }: vscode.TextDocument): boolean =>
  isUntitled ||
  scheme === 'vscode-notebook-cell' ||
  vscode.workspace.fs.isWritableFileSystem(scheme) === true;

/** Creates the reference to an image, without the spaces and line breaks that the document needs around it. */
function createReference(
  document: vscode.TextDocument,
  record: ImageRecord,
  imageUri: vscode.Uri,
): ReturnType<typeof formatImageReference> {
  const { width, height } = record;
  const alt = createAltText(getImageSubject(record));
  return formatImageReference(getDocumentLanguage(document), {
    path: getReferencePath(document, imageUri),
    alt,
    width,
    height,
  });
}

const getDocumentLanguage = ({ languageId, uri }: vscode.TextDocument): ReferenceLanguage =>
  getReferenceLanguage(languageId, posix.extname(uri.path));

/**
 * Returns the path of the image relative to the document. For an untitled document, returns the path relative to the
 * workspace folder, or an absolute path if no folder is open.
 */
function getReferencePath(document: vscode.TextDocument, imageUri: vscode.Uri): string {
  const { uri } = document;
  const isSameSystem = uri.authority === imageUri.authority && !document.isUntitled;
  // A notebook cell's URI has the path of its notebook.
  const isSameScheme = uri.scheme === imageUri.scheme || uri.scheme === 'vscode-notebook-cell';
  if (isSameSystem && isSameScheme) return posix.relative(posix.dirname(uri.path), imageUri.path);
  const folder = vscode.workspace.getWorkspaceFolder(imageUri);
  if (folder !== undefined) return posix.relative(folder.uri.path, imageUri.path);
  return imageUri.scheme === 'file' ? imageUri.fsPath : imageUri.path;
}

/**
 * Returns the space to insert before a reference if the position follows a word in prose. Otherwise returns an empty
 * string. Code gets no space, because the text before the position can be part of the expression.
 */
function getLeadingSpace(document: vscode.TextDocument, position: vscode.Position): string {
  const textBefore = document.lineAt(position.line).text.slice(0, position.character);
  return proseLanguages.has(document.languageId) && /[\p{L}\p{N})\].,;:!?]$/u.test(textBefore)
    ? ' '
    : '';
}

const proseLanguages: ReadonlySet<string> = new Set([
  'markdown',
  'mdx',
  'quarto',
  'html',
  'plaintext',
]);

function placeOnOwnLine(
  document: vscode.TextDocument,
  position: vscode.Position,
  text: string,
): string {
  const { text: line } = document.lineAt(position);
  const [indent = ''] = /^\s*/u.exec(line) ?? [];
  const separatorBefore = line.slice(0, position.character).trim() === '' ? '' : '\n\n';
  const separatorAfter = line.slice(position.character).trim() === '' ? '' : '\n\n';
  // All lines of the reference get the indentation of the current line.
  const block = text.replaceAll('\n', `\n${indent}`);
  return `${separatorBefore}${separatorBefore === '' ? '' : indent}${block}${separatorAfter}`;
}

/**
 * Maximum number of inserted references that are observed for an undo. Older references are no longer observed, because
 * most users undo an insertion soon after it.
 */
const maxTrackedReferences = 20;

/** Detects that the user undid the insertion of an image reference. Then offers to delete the image file. */
export class UndoneReferences implements Disposable {
  readonly #registrations: vscode.Disposable[];
  #trackedReferences: readonly InsertedReference[] = [];

  constructor() {
    this.#registrations = [
      vscode.workspace.onDidChangeTextDocument((change) => {
        if (change.reason === vscode.TextDocumentChangeReason.Undo)
          this.#promptForUndoneReferences(change.document);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.#trackedReferences = this.#trackedReferences.filter(
          (reference) => reference.document !== document,
        );
      }),
    ];
  }

  trackReference(reference: InsertedReference): void {
    this.#trackedReferences = [...this.#trackedReferences, reference].slice(-maxTrackedReferences);
  }

  dispose(): void {
    for (const registration of this.#registrations) registration.dispose();
  }

  #promptForUndoneReferences(document: vscode.TextDocument): void {
    const references = this.#trackedReferences.filter(
      (reference) => reference.document === document,
    );
    if (references.length === 0) return;
    const text = document.getText();
    const undoneReferences = references.filter((reference) => !text.includes(reference.text));
    this.#trackedReferences = this.#trackedReferences.filter(
      (reference) => !undoneReferences.includes(reference),
    );
    for (const reference of undoneReferences) void promptToDeleteImage(reference.imageUri);
  }
}

async function promptToDeleteImage(imageUri: vscode.Uri): Promise<void> {
  const deleteLabel = vscode.l10n.t('Delete');
  const label = vscode.workspace.asRelativePath(imageUri);
  const answer = await showInformation(
    vscode.l10n.t('The reference was removed. {0} is still there.', label),
    deleteLabel,
  );
  if (answer === deleteLabel) await deleteImage(imageUri);
}

/** Moves the file to the trash. If the system has no trash, deletes the file permanently. */
async function deleteImage(imageUri: vscode.Uri): Promise<void> {
  const { fs } = vscode.workspace;
  try {
    await fs.delete(imageUri, { useTrash: true });
  } catch {
    await fs.delete(imageUri);
  }
}
