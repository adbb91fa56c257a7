import * as vscode from 'vscode';
import { diffLines } from '../../base/line-diff.ts';
import type { LineSpan } from '../line-span.ts';
import { editsFor } from '../../agent/changes/vscode/document-edits.ts';
import { linesIn } from './place-words.ts';

/** Where a change stands in the undo history: alone, or joined with what came before. */
export interface UndoStops {
  readonly undoStopBefore: boolean;
  readonly undoStopAfter: boolean;
}

/** The smallest edits that make the lines of a document others. */
export function lineEdits(
  document: vscode.TextDocument,
  span: LineSpan,
  lines: readonly string[],
): readonly vscode.TextEdit[] {
  const replacements = diffLines(linesIn(document, span), lines).map(({ from, to }) => ({
    range: { start: span.start + from.start, end: span.start + from.end },
    by: lines.slice(to.start, to.end),
  }));
  return editsFor(document, replacements);
}

/** In the editor that shows the document. False when the document changed meanwhile, or cannot be changed. */
export async function applyInEditor(
  editor: vscode.TextEditor,
  edits: readonly vscode.TextEdit[],
  stops: UndoStops,
): Promise<boolean> {
  try {
    return await editor.edit((builder) => {
      for (const { range, newText } of edits) builder.replace(range, newText);
    }, stops);
  } catch {
    // The editor was closed.
    return false;
  }
}

/** For a document that no editor shows. A step of its own in the undo history. */
export function applyUnseen(
  { uri }: vscode.TextDocument,
  edits: readonly vscode.TextEdit[],
): Thenable<boolean> {
  const all = new vscode.WorkspaceEdit();
  all.set(uri, [...edits]);
  return vscode.workspace.applyEdit(all);
}

/** Whether a change of the document is exactly these edits. */
export function areSame(
  changes: readonly vscode.TextDocumentContentChangeEvent[],
  edits: readonly vscode.TextEdit[],
): boolean {
  if (changes.length !== edits.length) return false;
  const wanted = edits.map(({ range, newText }) => nameOf(range, newText)).toSorted();
  const made = changes.map(({ range, text }) => nameOf(range, text)).toSorted();
  return wanted.every((each, index) => each === made[index]);
}

const nameOf = ({ start, end }: vscode.Range, text: string): string =>
  `${start.line}:${start.character}-${end.line}:${end.character} ${text.replaceAll('\r\n', '\n')}`;

/** The editor that shows the document, the one in front first. */
export function editorOf(document: vscode.TextDocument): vscode.TextEditor | undefined {
  const active = vscode.window.activeTextEditor;
  if (active?.document === document) return active;
  return vscode.window.visibleTextEditors.find((editor) => editor.document === document);
}
