import { applyHunks } from '../../src/agent/edit/apply-hunks.ts';
import type { Hunk } from '../../src/agent/edit/hunk.ts';
import type { BenchResult } from './result.ts';
import { against, compare, median, rounds } from './rounds.ts';

const file = sourceOf(10_000);
const large = sourceOf(20_000);
const block = file.split('\n').slice(5_000, 5_012).join('\n');

const exact: Hunk = { search: block, replace: block.replace('+ total', '- total') };
const otherIndent: Hunk = {
  search: block.replaceAll('    ', '\t'),
  replace: block.replaceAll('    ', '\t').replace('+ total', '- total'),
};
const typo = block.replace('the sum of', 'a sum of');
const similar: Hunk = { search: typo, replace: typo.replace('+ total', '- total') };
const missing: Hunk = { search: 'return nothing(of, the, kind) + 1;', replace: 'x' };

/** Finding and applying hunks in sources of 10,000 lines, in milliseconds each, and how that grows. */
export async function editBenchmarks(): Promise<BenchResult[]> {
  const limits = [
    await within('exact hunk', 5, () => mustApply(file, [exact])),
    await within('exact hunk, CRLF', 5, () => mustApply(crlf, [exact])),
    await within('hunk with other indentation', 50, () => mustApply(file, [otherIndent])),
    await within('similar hunk', 50, () => mustApply(file, [similar])),
    await within('hunk that is not there', 50, () => mustRefuse(file, missing)),
    await within('line of 5 MB without the search', 250, () => mustRefuse(oneLine, missing)),
    await within('search that repeats itself in 5 MB', 1_000, () =>
      mustRefuse(repeated, selfSimilar),
    ),
  ];
  return [
    ...limits,
    await growth('twice the hunks', 2.5, {
      ours: () => mustApply(file, everyBlock(file, 200)),
      theirs: () => mustApply(file, everyBlock(file, 100)),
    }),
    await growth('twice the file, exact', 2.5, {
      ours: () => mustApply(large, everyBlock(large, 100)),
      theirs: () => mustApply(file, everyBlock(file, 100)),
    }),
    await growth('twice the file, similar', 3, {
      ours: () => mustApply(large, [similar]),
      theirs: () => mustApply(file, [similar]),
    }),
  ];
}

const crlf = file.replaceAll('\n', '\r\n');
const oneLine = 'const value = compute(left, right); '.repeat(145_000);
const repeated = 'a'.repeat(5_000_000);
const selfSimilar: Hunk = { search: `${'a'.repeat(2_000)}b${'a'.repeat(2_000)}`, replace: 'x' };

/** The median of nine runs against a limit. */
async function within(name: string, limit: number, run: () => void): Promise<BenchResult> {
  const figures = await rounds({ ours: () => Promise.resolve(millisecondsOf(run)) }, 9);
  return against(`edits: ${name}, against its limit`, 'ms', 1, [
    median(figures.map(({ ours }) => ours)),
    limit,
  ]);
}

async function growth(
  name: string,
  target: number,
  sides: { readonly ours: () => void; readonly theirs: () => void },
): Promise<BenchResult> {
  const measured = await rounds(
    {
      ours: () => Promise.resolve(millisecondsOf(sides.ours)),
      theirs: () => Promise.resolve(millisecondsOf(sides.theirs)),
    },
    9,
  );
  return compare(`edits: ${name}, against once`, {
    rounds: measured,
    ours: (round) => round.ours,
    theirs: (round) => round.theirs,
    unit: 'ms',
    target,
  });
}

function millisecondsOf(run: () => void): number {
  const started = performance.now();
  run();
  return performance.now() - started;
}

function mustApply(text: string, hunks: readonly Hunk[]): void {
  const result = applyHunks(text, hunks);
  if (result.type === 'refused') throw new Error(`Refused: ${result.code}`);
}

function mustRefuse(text: string, hunk: Hunk): void {
  if (applyHunks(text, [hunk]).type === 'applied') throw new Error('Applied.');
}

/** So many hunks, spread over the whole file. */
function everyBlock(text: string, count: number): Hunk[] {
  const lines = text.split('\n').filter((line) => line.includes('+ total'));
  const step = Math.floor(lines.length / count);
  return Array.from({ length: count }, (_, index) => {
    const search = lines[index * step] ?? '';
    return { search, replace: search.replace('+ total', '- total') };
  });
}

function sourceOf(lines: number): string {
  const functions = Array.from({ length: lines / 5 }, (_, i) => [
    `export function step${i}(left: number, right: number): number {`,
    `    // Gives the sum of what step ${i} was given.`,
    `    const total${i} = left * ${i} + right;`,
    `    return compute${i}(left, right) + total${i};`,
    '}',
  ]);
  return functions.flat().join('\n');
}
