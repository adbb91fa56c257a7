import * as vscode from 'vscode';
import { type LinePosition, textBefore, textAfter } from '../context/text-lines.ts';
import { type Snapshot, snapshotLimits } from '../snapshot.ts';
import { pathForModel } from '../../workspace/vscode/documents.ts';

/** The options of an editor, which may not know them yet. */
export interface Indentation {
  readonly tabSize?: number | string | undefined;
  /** Of one step, where it is not that of a tab. */
  readonly indentSize?: number | string | undefined;
  readonly insertSpaces?: boolean | string | undefined;
}

/** A part of the text as it would be with another text in its place: what the list of suggestions has selected. */
export interface Replacement {
  readonly range: vscode.Range;
  readonly text: string;
}

/** Takes the same time in every document, whatever its length and that of its lines. */
export function takeSnapshot(
  document: vscode.TextDocument,
  position: vscode.Position,
  indentation: Indentation,
): Snapshot {
  return snapshot(document, { before: position, behind: position, between: '' }, indentation);
}

/** As {@link takeSnapshot}, with the cursor at the end of what was replaced. */
export function takeSnapshotWith(
  document: vscode.TextDocument,
  { range, text }: Replacement,
  indentation: Indentation,
): Snapshot {
  const between = text.replaceAll(/\r\n?/gu, '\n');
  return snapshot(document, { before: range.start, behind: range.end, between }, indentation);
}

/** The text before one place and behind another, and what is thought between them. */
interface Cut {
  readonly before: LinePosition;
  readonly behind: LinePosition;
  readonly between: string;
}

function snapshot(
  document: vscode.TextDocument,
  { before, behind, between }: Cut,
  indentation: Indentation,
): Snapshot {
  const room = Math.max(0, snapshotLimits.prefix - between.length);
  return {
    document: document.uri.toString(),
    languageId: document.languageId,
    path: pathForModel(document),
    position: endOf(between, before),
    prefix: `${textBefore(document, before, room)}${between}`.slice(-snapshotLimits.prefix),
    suffix: textAfter(document, behind, snapshotLimits.suffix),
    indentUnit: indentUnit(indentation),
  };
}

function endOf(text: string, { line, character }: LinePosition): LinePosition {
  const lines = text.split('\n');
  const last = lines.at(-1) ?? '';
  return lines.length === 1
    ? { line, character: character + last.length }
    : { line: line + lines.length - 1, character: last.length };
}

const widestIndent = 16;

function indentUnit({ tabSize, indentSize, insertSpaces }: Indentation): string {
  if (insertSpaces === false) return '\t';
  const width = [indentSize, tabSize].find((size) => typeof size === 'number') ?? 4;
  return ' '.repeat(Math.min(widestIndent, Math.max(1, Math.trunc(width))));
}

/**
 * The text around a cursor; with an item chosen in the list of suggestions, as if it were accepted already. Undefined
 * where the item takes more than a line, which no suggestion can extend.
 */
export function takeSnapshotForEditor(
  document: vscode.TextDocument,
  position: vscode.Position,
  selected: vscode.SelectedCompletionInfo | undefined,
): Snapshot | undefined {
  const editor = vscode.window.visibleTextEditors.find((each) => each.document === document);
  const indentation = editor?.options ?? {};
  if (selected === undefined) return takeSnapshot(document, position, indentation);
  if (!selected.range.isSingleLine || /[\r\n]/.test(selected.text)) return undefined;
  return takeSnapshotWith(document, selected, indentation);
}
