import { applyHunks } from '../../src/agent/edit/apply-hunks.ts';
import type { Hunk } from '../../src/agent/edit/hunk.ts';
import { type BenchOptions, scaled } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareWithFixed, compare, median, rounds } from './rounds.ts';

const missing: Hunk = { search: 'return nothing(of, the, kind) + 1;', replace: 'x' };

/**
 * Measures the time to find and apply hunks in sources of 10,000 lines, in milliseconds, and its growth with the source
 * length.
 */
export async function editBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  return [...(await limits(options)), ...(await growths(options))];
}

async function limits(options: BenchOptions): Promise<BenchResult[]> {
  const { scale } = options;
  const file = sourceOf(scaled(10_000, scale));
  const { exact, otherIndent, similar } = hunksOf(file);
  const crlf = file.replaceAll('\n', '\r\n');
  const oneLine = 'const value = compute(left, right); '.repeat(scaled(145_000, scale));
  const repeated = 'a'.repeat(scaled(5_000_000, scale));
  const limitWithin = limitOf(options);
  return [
    await limitWithin('exact hunk', 5, () => mustApply(file, [exact])),
    await limitWithin('exact hunk, CRLF', 5, () => mustApply(crlf, [exact])),
    await limitWithin('hunk with other indentation', 50, () => mustApply(file, [otherIndent])),
    await limitWithin('similar hunk', 50, () => mustApply(file, [similar])),
    await limitWithin('hunk that is not there', 50, () => mustRefuse(file, missing)),
    await limitWithin('line of 5 MB without the search', 250, () => mustRefuse(oneLine, missing)),
    await limitWithin('search that repeats itself in 5 MB', 1_000, () =>
      mustRefuse(repeated, selfSimilar),
    ),
  ];
}

async function growths(options: BenchOptions): Promise<BenchResult[]> {
  const { scale } = options;
  const file = sourceOf(scaled(10_000, scale));
  const large = sourceOf(2 * scaled(10_000, scale));
  const { similar } = hunksOf(file);
  const onceCount = scaled(100, scale);
  const growth = growthOf(options);
  return [
    await growth('twice the hunks', 2.5, {
      ours: () => mustApply(file, everyBlock(file, 2 * onceCount)),
      theirs: () => mustApply(file, everyBlock(file, onceCount)),
    }),
    await growth('twice the file, exact', 2.5, {
      ours: () => mustApply(large, everyBlock(large, onceCount)),
      theirs: () => mustApply(file, everyBlock(file, onceCount)),
    }),
    await growth('twice the file, similar', 3, {
      ours: () => mustApply(large, [similar]),
      theirs: () => mustApply(file, [similar]),
    }),
  ];
}

const selfSimilar: Hunk = { search: `${'a'.repeat(2_000)}b${'a'.repeat(2_000)}`, replace: 'x' };

/** Returns a function that compares the median duration of `run` with a limit in milliseconds. */
const limitOf =
  (options: BenchOptions) =>
  async (name: string, limit: number, run: () => void): Promise<BenchResult> => {
    const figures = await rounds({ ours: () => Promise.resolve(millisecondsOf(run)) }, options);
    return compareWithFixed(`edits: ${name}, against its limit`, 'ms', 1, [
      median(figures.map(({ ours }) => ours)),
      limit,
    ]);
  };

const growthOf =
  (options: BenchOptions) =>
  async (
    name: string,
    target: number,
    sides: { readonly ours: () => void; readonly theirs: () => void },
  ): Promise<BenchResult> => {
    const measured = await rounds(
      {
        ours: () => Promise.resolve(millisecondsOf(sides.ours)),
        theirs: () => Promise.resolve(millisecondsOf(sides.theirs)),
      },
      options,
    );
    return compare(`edits: ${name}, against once`, {
      rounds: measured,
      ours: (round) => round.ours,
      theirs: (round) => round.theirs,
      unit: 'ms',
      target,
    });
  };

/**
 * Returns hunks for the same twelve lines in the middle of `file`: one exact, one with other indentation, and one with
 * a typing error.
 */
function hunksOf(file: string): Readonly<Record<'exact' | 'otherIndent' | 'similar', Hunk>> {
  const lines = file.split('\n');
  // A function has five lines, so this index is the first line of a function.
  const middle = 5 * Math.floor(lines.length / 10);
  const block = lines.slice(middle, middle + 12).join('\n');
  const tabs = block.replaceAll('    ', '\t');
  const typo = block.replace('the sum of', 'a sum of');
  const hunk = (search: string): Hunk => ({
    search,
    replace: search.replace('+ total', '- total'),
  });
  return { exact: hunk(block), otherIndent: hunk(tabs), similar: hunk(typo) };
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

/** Creates `count` hunks at regular intervals over the whole file. */
function everyBlock(text: string, count: number): Hunk[] {
  const lines = text.split('\n').filter((line) => line.includes('+ total'));
  const step = Math.floor(lines.length / count);
  return Array.from({ length: count }, (_, index) => {
    const search = lines[index * step] ?? '';
    return { search, replace: search.replace('+ total', '- total') };
  });
}

function sourceOf(lines: number): string {
  const functions = Array.from({ length: Math.ceil(lines / 5) }, (_, i) => [
    `export function step${i}(left: number, right: number): number {`,
    `    // Gives the sum of what step ${i} was given.`,
    `    const total${i} = left * ${i} + right;`,
    `    return compute${i}(left, right) + total${i};`,
    '}',
  ]);
  return functions.flat().join('\n');
}
