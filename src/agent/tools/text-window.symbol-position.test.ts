import { expect, test } from 'vitest';
import { findSymbolPosition } from './text-window.ts';

const sourceLines = [
  'import { tide } from "./tide";',
  '',
  'const tides = tide(1);',
  'a.b.tide();',
  'x',
];

test.each([
  [1, 'tide', 1, 9],
  [3, 'tide', 3, 14],
  [3, 'tides', 3, 6],
  [4, 'a.b.tide', 4, 4],
  [4, 'b.tide()', 4, 4],
  [2, 'tides', 3, 6],
  [3, 'ide', 3, 7],
])(
  'near line %d, findSymbolPosition finds the symbol "%s" in line %d, column %d',
  (line, symbol, expectedLine, expectedColumn) => {
    const position = findSymbolPosition(sourceLines, line, symbol);
    expect(position && [position.line, position.column]).toEqual([expectedLine, expectedColumn]);
  },
);

test.each([
  [5, 'import'],
  [900, 'tide'],
  [1, 'missing'],
])('near line %d, findSymbolPosition does not find the symbol "%s"', (line, symbol) => {
  expect(findSymbolPosition(sourceLines, line, symbol)).toBeUndefined();
});
