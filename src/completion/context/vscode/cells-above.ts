import type * as vscode from 'vscode';
import { cellOf, pathForModel } from '../../../workspace/vscode/documents.ts';
import type { Piece, PieceSource } from './piece.ts';
import { textBefore } from '../text-lines.ts';

const mostCells = 8;
const longestCell = 2_000;

/** What stands above a cell of a notebook, the nearest first: code and text, never what the code has put out. */
export const cellsAbove: PieceSource = {
  pieces(document) {
    const cell = cellOf(document);
    if (cell === undefined) return [];
    const pieces: Piece[] = [];
    for (let at = cell.index - 1; at >= 0 && pieces.length < mostCells; at -= 1) {
      const above = cell.notebook.cellAt(at).document;
      const text = endOf(above);
      if (text.trim() === '') continue;
      pieces.push({ uri: above.uri, part: { kind: 'cell', path: pathForModel(above), text } });
    }
    return pieces;
  },
};

/** The end is nearest to what comes next. */
function endOf(document: vscode.TextDocument): string {
  const line = document.lineCount - 1;
  const { length } = document.lineAt(line).text;
  return textBefore(document, { line, character: length }, longestCell);
}
