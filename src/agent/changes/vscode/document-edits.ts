import * as vscode from 'vscode';
import { type Lines, splitLines, type LineReplacement, sliceLines } from '../three-way.ts';
import { diffLines } from '../../../base/line-diff.ts';

/** Returns minimal edits that change a document's text to these lines. Minimal edits preserve cursors and folds. */
export function computeEditsToLines(
  document: vscode.TextDocument,
  lines: Lines,
): vscode.TextEdit[] {
  const currentLines = splitLines(document.getText());
  const replacements = diffLines(currentLines, lines).map(({ from, to }) => ({
    range: from,
    lines: sliceLines(lines, to),
  }));
  return toTextEdits(document, replacements);
}

/** Converts line replacements to text edits that can be applied together. */
export function toTextEdits(
  document: vscode.TextDocument,
  replacements: readonly LineReplacement[],
): vscode.TextEdit[] {
  return joinAdjacentReplacements(replacements).map((replacement) =>
    toTextEdit(document, replacement),
  );
}

/** Joins the replacements of adjacent lines, because their text edits would overlap. */
function joinAdjacentReplacements(
  replacements: readonly LineReplacement[],
): readonly LineReplacement[] {
  const result: LineReplacement[] = [];
  for (const { range, lines } of replacements) {
    const lastReplacement = result.at(-1);
    if (lastReplacement === undefined || lastReplacement.range.end !== range.start)
      result.push({ range, lines });
    else {
      const joinedRange = { start: lastReplacement.range.start, end: range.end };
      result[result.length - 1] = {
        range: joinedRange,
        lines: [...lastReplacement.lines, ...lines],
      };
    }
  }
  return result;
}

function toTextEdit(
  document: vscode.TextDocument,
  { range, lines }: LineReplacement,
): vscode.TextEdit {
  const { start, end } = range;
  const includesLastLine = end >= document.lineCount;
  if (!includesLastLine) {
    const text = lines.map((line) => `${line}\n`).join('');
    return vscode.TextEdit.replace(new vscode.Range(start, 0, end, 0), text);
  }
  const documentEnd = document.lineAt(document.lineCount - 1).range.end;
  // The last line has no line ending, so the preceding line ending is added or removed with the
  // last line.
  if (start === 0)
    return vscode.TextEdit.replace(
      new vscode.Range(0, 0, documentEnd.line, documentEnd.character),
      lines.join('\n'),
    );
  const lineEnd = document.lineAt(start - 1).range.end;
  const text = lines.map((line) => `\n${line}`).join('');
  return vscode.TextEdit.replace(new vscode.Range(lineEnd, documentEnd), text);
}
