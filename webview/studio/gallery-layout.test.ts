import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { getTotalHeight, createRows, findRowIndex, findRowRange } from './gallery-layout.ts';

const squareImage = { width: 1, height: 1 };
const wideImage = { width: 16, height: 9 };
const gridSpace = { width: 600, rowHeight: 180, gap: 4 };
const shapeArbitrary = fc.record({
  width: fc.integer({ min: 1, max: 8_192 }),
  height: fc.integer({ min: 1, max: 8_192 }),
});
const shapesArbitrary = fc.array(shapeArbitrary, { maxLength: 60 });
const widthArbitrary = fc.integer({ min: 1, max: 3_000 });

test('createRows fills the width with full rows, and makes the last row no taller than the row before', () => {
  const rows = createRows(
    [squareImage, squareImage, squareImage, squareImage, wideImage],
    gridSpace,
  );
  expect(rows.map(({ cells }) => cells.map(({ index }) => index))).toEqual([[0, 1, 2, 3], [4]]);
  expect(rows[0]?.cells.at(-1)).toEqual({ index: 3, left: 453, width: 147 });
  expect(rows[1]).toMatchObject({ top: 151, height: 147 });
  expect(createRows([wideImage], gridSpace)).toMatchObject([
    { height: 180, cells: [{ width: 320 }] },
  ]);
});

test('getTotalHeight returns a height of zero without images', () => {
  expect(createRows([], gridSpace)).toEqual([]);
  expect(getTotalHeight([])).toBe(0);
});

test('createRows places all images in order, within the width, in rows that do not overlap', () => {
  fc.assert(
    fc.property(shapesArbitrary, widthArbitrary, (shapes, gridWidth) => {
      const rows = createRows(shapes, { ...gridSpace, width: gridWidth });
      expect(rows.flatMap(({ cells }) => cells.map(({ index }) => index))).toEqual([
        ...shapes.keys(),
      ]);
      for (const [rowIndex, { top, height, cells }] of rows.entries()) {
        expect(height).toBeGreaterThan(0);
        const previousRow = rows[rowIndex - 1];
        if (previousRow !== undefined)
          expect(top).toBeCloseTo(previousRow.top + previousRow.height + gridSpace.gap);
        const lastCell = cells.at(-1);
        // If the gaps alone exceed the width, the row has the minimum height of 1 pixel and is too wide.
        if (height > 1)
          expect((lastCell?.left ?? 0) + (lastCell?.width ?? 0)).toBeLessThan(gridWidth + 0.01);
      }
    }),
  );
});

test('findRowRange returns exactly the rows that touch the visible range', () => {
  fc.assert(
    fc.property(shapesArbitrary, fc.nat(9_000), fc.nat(2_000), (shapes, top, height) => {
      const rows = createRows(shapes, gridSpace);
      const [startIndex, endIndex] = findRowRange(rows, top, top + height);
      const expectedRows = rows.flatMap((row, rowIndex) =>
        row.top + row.height >= top && row.top <= top + height ? [rowIndex] : [],
      );
      expect(rows.map((_, rowIndex) => rowIndex).slice(startIndex, endIndex)).toEqual(expectedRows);
    }),
  );
});

test('findRowIndex finds the row that contains an image', () => {
  fc.assert(
    fc.property(shapesArbitrary, (shapes) => {
      const rows = createRows(shapes, gridSpace);
      for (const index of shapes.keys()) {
        expect(rows[findRowIndex(rows, index)]?.cells.some((cell) => cell.index === index)).toBe(
          true,
        );
      }
    }),
  );
});
