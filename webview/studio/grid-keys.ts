import { type Cell, type Row, rowOf } from './gallery-layout.ts';

const pageRows = 3;

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>;

/** The picture that a key leads to from the one at `index`, or `undefined` for a key that leads nowhere. */
export function nextIndex(rows: readonly Row[], index: number, event: Key): number | undefined {
  const last = rows.at(-1)?.cells.at(-1)?.index ?? 0;
  const all = event.ctrlKey || event.metaKey;
  const row = rowOf(rows, index);
  switch (event.key) {
    case 'ArrowRight':
      return Math.min(last, index + 1);
    case 'ArrowLeft':
      return Math.max(0, index - 1);
    case 'ArrowDown':
      return inRow(rows, index, row + 1);
    case 'ArrowUp':
      return inRow(rows, index, row - 1);
    case 'PageDown':
      return inRow(rows, index, row + pageRows);
    case 'PageUp':
      return inRow(rows, index, row - pageRows);
    case 'Home':
      return all ? 0 : rows[row]?.cells[0]?.index;
    case 'End':
      return all ? last : rows[row]?.cells.at(-1)?.index;
    default:
      return undefined;
  }
}

/** The picture of another row that is below or above the middle of this one. */
function inRow(rows: readonly Row[], index: number, to: number): number {
  const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
  const from = rows[rowOf(rows, index)]?.cells.find((cell) => cell.index === index);
  if (row === undefined || from === undefined || row.cells.includes(from)) return index;
  const middle = centre(from);
  const nearest = row.cells.reduce((best, cell) =>
    Math.abs(centre(cell) - middle) < Math.abs(centre(best) - middle) ? cell : best,
  );
  return nearest.index;
}

const centre = ({ left, width }: Cell): number => left + width / 2;
