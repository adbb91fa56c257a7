import type { Sums } from './completion-sums.ts';

type Row = readonly [name: string, sums: Sums];

/** Columns of the table. Costs and request counts include a percentage of the first row. */
const columns: readonly (readonly [head: string, cell: (ours: Sums, first: Sums) => string])[] = [
  ['keybindings', ({ keys }) => `${keys}`],
  ['requests', ({ requests }, first) => withRatio(requests, first.requests)],
  ['per 100 keys', ({ per100Keys }) => per100Keys.toFixed(1)],
  ['shown at rest', ({ shownRestShare }) => percent(shownRestShare)],
  ['shown', ({ shownShare }) => percent(shownShare)],
  ['key to shown p50', ({ appearedMedian }) => ms(appearedMedian)],
  ['p95', ({ appearedP95 }) => ms(appearedP95)],
  ['tokens paid', ({ paid }, first) => withRatio(paid, first.paid)],
  ['produced in vain', ({ wasted }, first) => withRatio(wasted, first.wasted)],
  ['fruitless', ({ fruitless }, first) => withRatio(fruitless, first.fruitless)],
  ['kept chars', ({ keptCharacters }) => `${keptCharacters}`],
  [
    'requests per 100 kept',
    ({ requests, keptCharacters }) => perUnit(100 * requests, keptCharacters),
  ],
  ['in vain per kept', ({ wasted, keptCharacters }) => perUnit(wasted, keptCharacters)],
  ['added line start p95', ({ addedLineStart }) => ms(addedLineStart)],
  ['mid-line p95', ({ addedMidLine }) => ms(addedMidLine)],
  ['along', ({ requestsAlong }) => `${requestsAlong}`],
  ['flickers', ({ flickers }) => `${flickers}`],
  ['stale', ({ stale }) => `${stale}`],
  ['next there', ({ nextThere, nextWaited }) => `${nextThere}/${nextThere + nextWaited}`],
];

/** Prints the table: the column headers and one line per row. */
export function printTable(rows: readonly Row[]): void {
  const [first] = rows;
  if (first === undefined) return;
  const lines = [
    ['', ...columns.map(([head]) => head)],
    ...rows.map(([name, sums]) => [name, ...columns.map(([, cell]) => cell(sums, first[1]))]),
  ];
  const widths = lines[0]?.map((_, index) =>
    Math.max(...lines.map((line) => (line[index] ?? '').length)),
  );
  for (const line of lines) {
    const [name = '', ...cells] = line;
    const padded = cells.map((cell, index) => cell.padStart(widths?.[index + 1] ?? 0));
    console.log([name.padEnd(widths?.[0] ?? 0), ...padded].join('  '));
  }
}

const withRatio = (ours: number, first: number): string =>
  `${ours} (${(ours / first).toFixed(2)}x)`;
const perUnit = (figure: number, total: number): string => (figure / total).toFixed(1);
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
const ms = (figure: number): string => `${figure.toFixed(0)} ms`;
