import * as vscode from 'vscode';
import type { Snapshot } from '../snapshot.ts';
import { snapshotOf, snapshotWith } from './take-snapshot.ts';

/**
 * The text around a cursor; with an item chosen in the list of suggestions, as if it were accepted already. Undefined
 * where the item takes more than a line, which no suggestion can extend.
 */
export function snapshotFor(
  document: vscode.TextDocument,
  position: vscode.Position,
  selected: vscode.SelectedCompletionInfo | undefined,
): Snapshot | undefined {
  const editor = vscode.window.visibleTextEditors.find((each) => each.document === document);
  const indentation = editor?.options ?? {};
  if (selected === undefined) return snapshotOf(document, position, indentation);
  if (!selected.range.isSingleLine || /[\r\n]/.test(selected.text)) return undefined;
  return snapshotWith(document, selected, indentation);
}
