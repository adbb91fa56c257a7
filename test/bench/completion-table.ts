import type { ReplaySums } from './completion-sums.ts';

type Row = readonly [name: string, sums: ReplaySums];

/** Columns of the table. Numbers of requests and tokens are also shown as a multiple of the number in the first row. */
const columns: readonly (readonly [
  header: string,
  formatCell: (sums: ReplaySums, firstSums: ReplaySums) => string,
])[] = [
  ['keys', ({ keyCount }) => `${keyCount}`],
  [
    'requests',
    ({ requestCount }, firstSums) => formatWithRatio(requestCount, firstSums.requestCount),
  ],
  ['per 100 keys', ({ requestsPer100Keys }) => requestsPer100Keys.toFixed(1)],
  ['visible while idle', ({ visibleIdleRatio }) => formatPercent(visibleIdleRatio)],
  ['visible', ({ visibleRatio }) => formatPercent(visibleRatio)],
  ['key to visible p50', ({ appearanceDelayMedian }) => formatMs(appearanceDelayMedian)],
  ['p95', ({ appearanceDelayP95 }) => formatMs(appearanceDelayP95)],
  ['tokens', ({ totalTokens }, firstSums) => formatWithRatio(totalTokens, firstSums.totalTokens)],
  [
    'wasted tokens',
    ({ wastedTokens }, firstSums) => formatWithRatio(wastedTokens, firstSums.wastedTokens),
  ],
  [
    'ineffective tokens',
    ({ ineffectiveTokens }, firstSums) =>
      formatWithRatio(ineffectiveTokens, firstSums.ineffectiveTokens),
  ],
  ['retained characters', ({ retainedCharacterCount }) => `${retainedCharacterCount}`],
  [
    'requests per 100 retained',
    ({ requestCount, retainedCharacterCount }) =>
      formatPerUnit(100 * requestCount, retainedCharacterCount),
  ],
  [
    'wasted per retained',
    ({ wastedTokens, retainedCharacterCount }) =>
      formatPerUnit(wastedTokens, retainedCharacterCount),
  ],
  ['added line start p95', ({ addedLineStartMs }) => formatMs(addedLineStartMs)],
  ['mid-line p95', ({ addedMidLineMs }) => formatMs(addedMidLineMs)],
  ['while visible', ({ requestCountWhileVisible }) => `${requestCountWhileVisible}`],
  ['flickers', ({ flickerCount }) => `${flickerCount}`],
  ['stale', ({ staleCount }) => `${staleCount}`],
  [
    'next ready',
    ({ readyNextSuggestionCount: readyCount, delayedNextSuggestionCount: delayedCount }) =>
      `${readyCount}/${readyCount + delayedCount}`,
  ],
];

/** Prints the table: the column headers and one line per row. */
export function printTable(rows: readonly Row[]): void {
  const [firstRow] = rows;
  if (firstRow === undefined) return;
  const lines = [
    ['', ...columns.map(([header]) => header)],
    ...rows.map(([name, sums]) => [
      name,
      ...columns.map(([, formatCell]) => formatCell(sums, firstRow[1])),
    ]),
  ];
  const widths = lines[0]?.map((_, index) =>
    Math.max(...lines.map((line) => (line[index] ?? '').length)),
  );
  for (const line of lines) {
    const [name = '', ...cells] = line;
    const paddedCells = cells.map((cell, index) => cell.padStart(widths?.[index + 1] ?? 0));
    console.log([name.padEnd(widths?.[0] ?? 0), ...paddedCells].join('  '));
  }
}

const formatWithRatio = (figure: number, firstFigure: number): string =>
  `${figure} (${(figure / firstFigure).toFixed(2)}x)`;
const formatPerUnit = (figure: number, totalCount: number): string =>
  (figure / totalCount).toFixed(1);
const formatPercent = (ratio: number): string => `${(100 * ratio).toFixed(0)} %`;
const formatMs = (figure: number): string => `${figure.toFixed(0)} ms`;
