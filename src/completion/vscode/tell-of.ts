import type * as vscode from 'vscode';
import type { EditMemory } from '../next-edit/edit-memory.ts';

/**
 * Tells the memory of a change of a document.
 * @param isActive whether the cursor is in it
 */
export function tellOf(
  { contentChanges, document, reason }: vscode.TextDocumentChangeEvent,
  isActive: boolean,
  memory: EditMemory,
): void {
  const uri = document.uri.toString();
  const [change, ...others] = contentChanges;
  if (!change) return;
  if (reason !== undefined) {
    for (const { range } of contentChanges) memory.undone(uri, range.start.line);
  } else if (isActive && others.length === 0 && isWithinLine(change)) {
    const { range, rangeLength, text } = change;
    const { line, character } = range.start;
    memory.changed({
      document: uri,
      line,
      character,
      removedLength: rangeLength,
      inserted: text,
    });
    return;
  }
  for (const each of contentChanges) {
    const delta = countOf(each.text) - (each.range.end.line - each.range.start.line);
    if (delta !== 0) memory.linesMoved(uri, each.range.start.line, delta);
  }
  if (!isActive || others.length === 0) return;
  if (reason !== undefined || !contentChanges.every(isWithinLine)) return memory.disturbed();
  const lines = new Set(contentChanges.map(({ range }) => range.start.line));
  memory.changedAtOnce({ document: uri, lines, lineAt: (line) => document.lineAt(line).text });
}

const isWithinLine = ({ range, text }: vscode.TextDocumentContentChangeEvent): boolean =>
  range.isSingleLine && !text.includes('\n') && !text.includes('\r');

/** How many line ends the text has. */
function countOf(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
