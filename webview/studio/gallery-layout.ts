import type { ImageView } from '../../src/image/studio/protocol/gallery.ts';

/** Size of an image. The gallery layout uses only its aspect ratio. */
interface ImageShape {
  readonly width: number;
  readonly height: number;
}

interface GridSpace {
  /** Width of the grid, in pixels. */
  readonly width: number;
  /** Target height of a row, in pixels. Full rows are scaled to the width of the grid. */
  readonly rowHeight: number;
  readonly gap: number;
}

export interface GridCell {
  /** Index of the image in the list that {@link createRows} receives. */
  readonly index: number;
  readonly left: number;
  readonly width: number;
}

export interface GridRow {
  readonly top: number;
  readonly height: number;
  readonly cells: readonly GridCell[];
}

/** Minimum and maximum aspect ratio of a cell. Images with other aspect ratios are cropped. */
const [minRatio, maxRatio] = [0.5, 2.5];

/**
 * Arranges images in rows. All rows except the last fill the width of the grid. The last row is at most as tall as the
 * row before it.
 */
export function createRows(shapes: readonly ImageShape[], space: GridSpace): GridRow[] {
  const rows: GridRow[] = [];
  let top = 0;
  let start = 0;
  let ratioSum = 0;
  for (const [index, shape] of shapes.entries()) {
    ratioSum += getRatio(shape);
    const gapSum = (index - start) * space.gap;
    const isFull = ratioSum * space.rowHeight + gapSum >= space.width;
    if (!isFull && index < shapes.length - 1) continue;
    const fittingHeight = Math.max(1, (space.width - gapSum) / ratioSum);
    const maxHeight = Math.min(space.rowHeight, rows.at(-1)?.height ?? space.rowHeight);
    const height = isFull ? fittingHeight : Math.min(fittingHeight, maxHeight);
    rows.push({ top, height, cells: createCells(shapes, [start, index], height, space.gap) });
    top += height + space.gap;
    start = index + 1;
    ratioSum = 0;
  }
  return rows;
}

/** Returns the total height of the rows, in pixels. */
export function getTotalHeight(rows: readonly GridRow[]): number {
  const lastRow = rows.at(-1);
  return lastRow === undefined ? 0 : lastRow.top + lastRow.height;
}

/**
 * Returns the range of rows that overlap the area between `top` and `bottom`, in pixels. The range consists of the
 * index of the first row and the index after the last row.
 */
export function findRowRange(
  rows: readonly GridRow[],
  top: number,
  bottom: number,
): readonly [number, number] {
  const firstIndex = findFirstRowIndex(rows, (row) => row.top + row.height >= top);
  return [
    firstIndex,
    Math.max(
      firstIndex,
      findFirstRowIndex(rows, (row) => row.top > bottom),
    ),
  ];
}

/** Returns the index of the row that contains the image at `index`. */
export const findRowIndex = (rows: readonly GridRow[], index: number): number =>
  findFirstRowIndex(rows, (row) => (row.cells.at(-1)?.index ?? -1) >= index);

const getRatio = ({ width, height }: ImageShape): number =>
  Math.min(maxRatio, Math.max(minRatio, width / height || 1));

function createCells(
  shapes: readonly ImageShape[],
  [start, end]: readonly [number, number],
  height: number,
  gap: number,
): GridCell[] {
  let left = 0;
  return shapes.slice(start, end + 1).map((shape, offset) => {
    const cell = { index: start + offset, left, width: getRatio(shape) * height };
    left += cell.width + gap;
    return cell;
  });
}

/**
 * Returns the index of the first row for which `matches` returns true, or the row count if none exists. Uses a binary
 * search, so all later rows must match, too.
 */
function findFirstRowIndex(rows: readonly GridRow[], matches: (row: GridRow) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row !== undefined && matches(row)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const rowsPerPage = 3;

type PressedKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>;

/** Returns the index of the image to which a navigation key moves from `index`. Returns `undefined` for other keys. */
export function getNextIndex(
  rows: readonly GridRow[],
  index: number,
  event: PressedKey,
): number | undefined {
  const lastIndex = rows.at(-1)?.cells.at(-1)?.index ?? 0;
  const shouldSelectAll = event.ctrlKey || event.metaKey;
  const row = findRowIndex(rows, index);
  switch (event.key) {
    case 'ArrowRight':
      return Math.min(lastIndex, index + 1);
    case 'ArrowLeft':
      return Math.max(0, index - 1);
    case 'ArrowDown':
      return findNearestIndexInRow(rows, index, row + 1);
    case 'ArrowUp':
      return findNearestIndexInRow(rows, index, row - 1);
    case 'PageDown':
      return findNearestIndexInRow(rows, index, row + rowsPerPage);
    case 'PageUp':
      return findNearestIndexInRow(rows, index, row - rowsPerPage);
    case 'Home':
      return shouldSelectAll ? 0 : rows[row]?.cells[0]?.index;
    case 'End':
      return shouldSelectAll ? lastIndex : rows[row]?.cells.at(-1)?.index;
    default:
      return undefined;
  }
}

/**
 * Returns the index of the image in row `targetRow` whose center is horizontally nearest to the center of image
 * `index`.
 */
function findNearestIndexInRow(rows: readonly GridRow[], index: number, targetRow: number): number {
  const row = rows[Math.max(0, Math.min(rows.length - 1, targetRow))];
  const currentCell = rows[findRowIndex(rows, index)]?.cells.find((cell) => cell.index === index);
  if (row === undefined || currentCell === undefined || row.cells.includes(currentCell))
    return index;
  const center = getCenter(currentCell);
  const nearestCell = row.cells.reduce((bestCell, cell) =>
    Math.abs(getCenter(cell) - center) < Math.abs(getCenter(bestCell) - center) ? cell : bestCell,
  );
  return nearestCell.index;
}

const getCenter = ({ left, width }: GridCell): number => left + width / 2;

export interface GalleryQuery {
  readonly text: string;
  /** Display name of the model to filter by. Empty to include images of all models. */
  readonly model: string;
}

/**
 * Returns the images of the selected model whose prompts contain all words of the search text. Ignores letter case. The
 * order of the images stays the same.
 */
export function filterImages(images: readonly ImageView[], query: GalleryQuery): ImageView[] {
  const searchWords = query.text.toLowerCase().split(/\s+/u).filter(Boolean);
  return images.filter(({ prompt, model }) => {
    if (query.model !== '' && model !== query.model) return false;
    const text = prompt.toLowerCase();
    return searchWords.every((word) => text.includes(word));
  });
}

/** Returns the distinct model names of the images, sorted. */
export const listModelNames = (images: readonly ImageView[]): string[] =>
  [...new Set(images.map(({ model }) => model))].filter(Boolean).toSorted();
