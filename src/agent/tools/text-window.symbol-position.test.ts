import { expect, test } from 'vitest';
import { findSymbolPosition } from './text-window.ts';

const sourceLines = [
  'import { tide } from "./tide";',
  '',
  'const tides = tide(1);',
  'a.b.tide();',
  'x',
];

test.each<readonly [line: number, symbol: string, expected: readonly [number, number] | undefined]>(
  [
    [1, 'tide', [1, 9]],
    [3, 'tide', [3, 14]],
    [3, 'tides', [3, 6]],
    [4, 'a.b.tide', [4, 4]],
    [4, 'b.tide()', [4, 4]],
    [2, 'tides', [3, 6]],
    [3, 'ide', [3, 7]],
    [5, 'import', undefined],
    [900, 'tide', undefined],
    [1, 'missing', undefined],
  ],
)(
  'findSymbolPosition near line %d finds the symbol %s at [line, column] %j',
  (line, symbol, expected) => {
    const position = findSymbolPosition(sourceLines, line, symbol);
    expect(position && [position.line, position.column]).toEqual(expected);
  },
);
