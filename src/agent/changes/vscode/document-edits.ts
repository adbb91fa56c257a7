import * as vscode from 'vscode';
import { type Lines, linesOf, type Replacement, slice } from '../three-way.ts';
import { diffLines } from '../../../base/line-diff.ts';

/** The least edits that make these lines of the document's text: what stays keeps its cursors and folds. */
export function editsTo(document: vscode.TextDocument, lines: Lines): vscode.TextEdit[] {
  const now = linesOf(document.getText());
  const replacements = diffLines(now, lines).map(({ from, to }) => ({
    range: from,
    by: slice(lines, to),
  }));
  return editsFor(document, replacements);
}

/** Whole lines of a document replaced, as edits that may be applied together. */
export function editsFor(
  document: vscode.TextDocument,
  replacements: readonly Replacement[],
): vscode.TextEdit[] {
  return joined(replacements).map((replacement) => editFor(document, replacement));
}

/** Those that touch would overlap once they are edits. */
function joined(replacements: readonly Replacement[]): readonly Replacement[] {
  const result: Replacement[] = [];
  for (const { range, by } of replacements) {
    const last = result.at(-1);
    if (last === undefined || last.range.end !== range.start) result.push({ range, by });
    else {
      const whole = { start: last.range.start, end: range.end };
      result[result.length - 1] = { range: whole, by: [...last.by, ...by] };
    }
  }
  return result;
}

function editFor(document: vscode.TextDocument, { range, by }: Replacement): vscode.TextEdit {
  const { start, end } = range;
  const isLast = end >= document.lineCount;
  if (!isLast) {
    const text = by.map((line) => `${line}\n`).join('');
    return vscode.TextEdit.replace(new vscode.Range(start, 0, end, 0), text);
  }
  const last = document.lineAt(document.lineCount - 1).range.end;
  // The last line has no line end of its own: the one before it goes or comes with it.
  if (start === 0)
    return vscode.TextEdit.replace(
      new vscode.Range(0, 0, last.line, last.character),
      by.join('\n'),
    );
  const before = document.lineAt(start - 1).range.end;
  const text = by.map((line) => `\n${line}`).join('');
  return vscode.TextEdit.replace(new vscode.Range(before, last), text);
}
