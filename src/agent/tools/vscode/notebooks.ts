import { CellEditing } from './cell-editing.ts';
import { openCell, readOpenCells } from './notebook-file.ts';
import type { EditTools } from './ports.ts';
import { parseNotebook } from '../../edit/notebook.ts';

/** Functions for notebooks, grouped in one object so that their code is loaded on first use. */
export const notebooks = {
  parse: parseNotebook,
  readOpenCells,
  openCell,
  createCellEditing: (tools: EditTools): CellEditing => new CellEditing(tools),
};
