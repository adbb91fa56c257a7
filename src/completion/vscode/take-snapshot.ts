import * as vscode from 'vscode';
import { type LinePosition, getTextBefore, getTextAfter } from '../context/text-lines.ts';
import { type Snapshot, snapshotLimits } from '../snapshot.ts';
import { getPathForModel } from '../../workspace/vscode/documents.ts';

/** Indentation options of an editor. An option is absent if its value is unknown. */
export interface Indentation {
  readonly tabSize?: number | string | undefined;
  /** Width of one indentation level in columns, if it differs from the tab size. */
  readonly indentSize?: number | string | undefined;
  readonly insertSpaces?: boolean | string | undefined;
}

/** Selected item of the suggest widget: the replaced range and the new text. */
export interface Replacement {
  readonly range: vscode.Range;
  readonly text: string;
}

/**
 * Creates a snapshot of the text around a position. The duration does not depend on the length of the document or its
 * lines.
 */
export function takeSnapshot(
  document: vscode.TextDocument,
  position: vscode.Position,
  indentation: Indentation,
): Snapshot {
  return createSnapshot(
    document,
    { before: position, after: position, insertedText: '' },
    indentation,
  );
}

/** Creates a snapshot as if the replacement were applied and the cursor were at its end. */
export function takeSnapshotAfterReplacement(
  document: vscode.TextDocument,
  { range, text }: Replacement,
  indentation: Indentation,
): Snapshot {
  const insertedText = text.replaceAll(/\r\n?/gu, '\n');
  return createSnapshot(
    document,
    { before: range.start, after: range.end, insertedText },
    indentation,
  );
}

/** Text of a document before one position, text after another position, and the text to insert between them. */
interface SplitText {
  readonly before: LinePosition;
  readonly after: LinePosition;
  readonly insertedText: string;
}

function createSnapshot(
  document: vscode.TextDocument,
  { before, after, insertedText }: SplitText,
  indentation: Indentation,
): Snapshot {
  const maxPrefixLength = Math.max(0, snapshotLimits.prefix - insertedText.length);
  return {
    documentUri: document.uri.toString(),
    languageId: document.languageId,
    path: getPathForModel(document),
    position: computeEndPosition(insertedText, before),
    prefix: `${getTextBefore(document, before, maxPrefixLength)}${insertedText}`.slice(
      -snapshotLimits.prefix,
    ),
    suffix: getTextAfter(document, after, snapshotLimits.suffix),
    indentUnit: getIndentUnit(indentation),
  };
}

function computeEndPosition(text: string, { line, character }: LinePosition): LinePosition {
  const lines = text.split('\n');
  const lastLine = lines.at(-1) ?? '';
  return lines.length === 1
    ? { line, character: character + lastLine.length }
    : { line: line + lines.length - 1, character: lastLine.length };
}

const maxIndent = 16;

function getIndentUnit({ tabSize, indentSize, insertSpaces }: Indentation): string {
  if (insertSpaces === false) return '\t';
  const width = [indentSize, tabSize].find((size) => typeof size === 'number') ?? 4;
  return ' '.repeat(Math.min(maxIndent, Math.max(1, Math.trunc(width))));
}

/**
 * Creates a snapshot with the indentation of the editor. If the suggest widget has a selected item, the snapshot
 * contains the item as if the user had accepted it. Returns undefined for an item of several lines, because no
 * suggestion can extend the item.
 */
export function takeSnapshotForEditor(
  document: vscode.TextDocument,
  position: vscode.Position,
  selectedItem: vscode.SelectedCompletionInfo | undefined,
): Snapshot | undefined {
  const editor = vscode.window.visibleTextEditors.find(
    (visibleEditor) => visibleEditor.document === document,
  );
  const indentation = editor?.options ?? {};
  if (selectedItem === undefined) return takeSnapshot(document, position, indentation);
  if (!selectedItem.range.isSingleLine || /[\r\n]/.test(selectedItem.text)) return undefined;
  return takeSnapshotAfterReplacement(document, selectedItem, indentation);
}
