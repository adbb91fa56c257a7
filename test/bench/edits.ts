import { applyHunks } from '../../src/agent/edit/apply-hunks.ts';
import type { Hunk } from '../../src/agent/edit/hunk.ts';
import { createEditCases, readSources } from '../support/edit-cases/edit-cases.ts';
import { measureBlocks, measureEdits, sumFigures } from '../support/edit-cases/measure.ts';
import type { Rating } from '../support/model-answers/rate-answer.ts';
import { measureHeldOutAnswers } from './held-answers.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareWithBaseline, compareRounds, computeMedian, runRounds } from './rounds.ts';

const missingHunk: Hunk = { search: 'return nothing(of, the, kind) + 1;', replace: 'x' };

/**
 * Measures the time to find and apply hunks in files of 10,000 lines, and the growth of this time with the file length
 * and the number of hunks. Also measures the accuracy of edits.
 */
export async function runEditBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  return [
    ...(await measureLimits(options)),
    ...(await measureGrowths(options)),
    ...measureAccuracy(options),
    ...measureAnswerAccuracy(),
  ];
}

/**
 * Measures how often edits of real files produce the intended text. The edits contain typical errors of models, and are
 * the same in every run.
 */
function measureAccuracy({ scale }: BenchOptions): BenchResult[] {
  const cases = createEditCases(readSources(), { seed: 20, count: scaleCount(4_600, scale) });
  const { correctCount, wrongCount, refusedCount, refusedWithLinesCount } = sumFigures(
    measureEdits(cases).values(),
  );
  const totalCount = correctCount + wrongCount + refusedCount;
  const blockCounts = measureBlocks(cases);
  return [
    compareWithBaseline('edits: edits with another result than intended', 'share', 1, [
      wrongCount / totalCount,
      0.001,
    ]),
    compareWithBaseline('edits: refused edits', 'share', 1, [refusedCount / totalCount, 0.08]),
    compareWithBaseline('edits: refusals without the first intended line', 'share', 1, [
      (refusedCount - refusedWithLinesCount) / Math.max(1, refusedCount),
      0.04,
    ]),
    compareWithBaseline('edits: refused code blocks without an intended line', 'share', 1, [
      (blockCounts.refusedCount - blockCounts.refusedWithLinesCount) /
        Math.max(1, blockCounts.refusedCount),
      0.04,
    ]),
  ];
}

/**
 * Measures how many model answers of the held-out corpus are applied incorrectly, and how many are refused although
 * only one reading is possible.
 */
function measureAnswerAccuracy(): BenchResult[] {
  const results = Object.values(measureHeldOutAnswers()).flat();
  const createShareResult = (
    ratings: readonly Rating[],
    maxShare: number,
    name: string,
  ): BenchResult =>
    compareWithBaseline(`edits: ${name}`, 'share', 1, [
      results.filter(({ rating }) => ratings.includes(rating)).length / results.length,
      maxShare,
    ]);
  return [
    createShareResult(['wrong'], 0.005, 'answers of the held-out corpus that are written wrong'),
    createShareResult(['lost'], 0.02, 'clear answers of the held-out corpus that are refused'),
  ];
}

async function measureLimits(options: BenchOptions): Promise<BenchResult[]> {
  const { scale } = options;
  const file = createSource(scaleCount(10_000, scale));
  const {
    exact: exactHunk,
    otherIndent: indentedHunk,
    similar: similarHunk,
  } = createHunksByKind(file);
  const crlfFile = file.replaceAll('\n', '\r\n');
  const oneLineFile = 'const value = compute(left, right); '.repeat(scaleCount(145_000, scale));
  const repeatedText = 'a'.repeat(scaleCount(5_000_000, scale));
  const measureWithLimit = createLimitMeasure(options);
  return [
    await measureWithLimit('exact hunk', 5, () => assertHunksApplied(file, [exactHunk])),
    await measureWithLimit('exact hunk, CRLF', 5, () => assertHunksApplied(crlfFile, [exactHunk])),
    await measureWithLimit('hunk with other indentation', 50, () =>
      assertHunksApplied(file, [indentedHunk]),
    ),
    await measureWithLimit('similar hunk', 50, () => assertHunksApplied(file, [similarHunk])),
    await measureWithLimit('hunk that is not there', 50, () =>
      assertHunkRefused(file, missingHunk),
    ),
    await measureWithLimit('line of 5 MB without the search', 250, () =>
      assertHunkRefused(oneLineFile, missingHunk),
    ),
    await measureWithLimit('search that repeats itself in 5 MB', 1_000, () =>
      assertHunkRefused(repeatedText, repetitiveHunk),
    ),
  ];
}

async function measureGrowths(options: BenchOptions): Promise<BenchResult[]> {
  const { scale } = options;
  const file = createSource(scaleCount(10_000, scale));
  const largeFile = createSource(2 * scaleCount(10_000, scale));
  const { similar: similarHunk } = createHunksByKind(file);
  const onceCount = scaleCount(100, scale);
  const measureGrowth = createGrowthMeasure(options);
  return [
    await measureGrowth('twice the hunks', 2.5, {
      runMeasuredSide: () => assertHunksApplied(file, createHunks(file, 2 * onceCount)),
      runBaselineSide: () => assertHunksApplied(file, createHunks(file, onceCount)),
    }),
    await measureManyHunks('exact', options),
    await measureManyHunks('otherIndent', options),
    await measureManyHunks('short', options),
    await measureGrowth('twice the file, exact', 2.5, {
      runMeasuredSide: () => assertHunksApplied(largeFile, createHunks(largeFile, onceCount)),
      runBaselineSide: () => assertHunksApplied(file, createHunks(file, onceCount)),
    }),
    await measureGrowth('twice the file, similar', 3, {
      runMeasuredSide: () => assertHunksApplied(largeFile, [similarHunk]),
      runBaselineSide: () => assertHunksApplied(file, [similarHunk]),
    }),
  ];
}

/** Compares the time to apply 200 hunks to a file of 100,000 lines with the time to apply one hunk. */
function measureManyHunks(
  kind: 'exact' | 'otherIndent' | 'short',
  options: BenchOptions,
): Promise<BenchResult> {
  const file = createSource(scaleCount(100_000, options.scale));
  const hunks = createHunks(file, scaleCount(200, options.scale)).map((hunk) =>
    changeSearchText(hunk, kind),
  );
  const middleHunks = hunks.slice(hunks.length / 2).slice(0, 1);
  return createGrowthMeasure(options)(`many hunks in a large file, ${kind}`, 5, {
    runMeasuredSide: () => assertHunksApplied(file, hunks),
    runBaselineSide: () => assertHunksApplied(file, middleHunks),
  });
}

/**
 * Returns a copy of the hunk with a changed search text. `exact` does not change it, `otherIndent` indents it with a
 * tab, and `short` replaces it with a function name of at most 12 characters.
 */
function changeSearchText(hunk: Hunk, kind: 'exact' | 'otherIndent' | 'short'): Hunk {
  if (kind === 'exact') return hunk;
  const { search, replace } = hunk;
  if (kind === 'otherIndent')
    return { search: search.replace('    ', '\t'), replace: replace.replace('    ', '\t') };
  const number = /total(\d+)/u.exec(search)?.[1] ?? '';
  return { search: `step${number}(`, replace: `stage${number}(` };
}

const repetitiveHunk: Hunk = { search: `${'a'.repeat(2_000)}b${'a'.repeat(2_000)}`, replace: 'x' };

/** Returns a function that compares the median duration of `run` with `limit`, both in milliseconds. */
const createLimitMeasure =
  (options: BenchOptions) =>
  async (name: string, limit: number, run: () => void): Promise<BenchResult> => {
    const figures = await runRounds(
      { elapsedMs: () => Promise.resolve(measureMilliseconds(run)) },
      options,
    );
    return compareWithBaseline(`edits: ${name}, against its limit`, 'ms', 1, [
      computeMedian(figures.map(({ elapsedMs }) => elapsedMs)),
      limit,
    ]);
  };

const createGrowthMeasure =
  (options: BenchOptions) =>
  async (
    name: string,
    target: number,
    sides: { readonly runMeasuredSide: () => void; readonly runBaselineSide: () => void },
  ): Promise<BenchResult> => {
    const rounds = await runRounds(
      {
        measuredMs: () => Promise.resolve(measureMilliseconds(sides.runMeasuredSide)),
        baselineMs: () => Promise.resolve(measureMilliseconds(sides.runBaselineSide)),
      },
      options,
    );
    return compareRounds(`edits: ${name}, against once`, {
      rounds,
      getExtensionValue: (round) => round.measuredMs,
      getBaselineValue: (round) => round.baselineMs,
      unit: 'ms',
      target,
    });
  };

/**
 * Returns hunks that search for the same twelve lines in the middle of `file`: one with the exact lines, one with other
 * indentation, and one with a typing error.
 */
function createHunksByKind(
  file: string,
): Readonly<Record<'exact' | 'otherIndent' | 'similar', Hunk>> {
  const lines = file.split('\n');
  // A function has five lines, so this index is the first line of a function.
  const middleLine = 5 * Math.floor(lines.length / 10);
  const block = lines.slice(middleLine, middleLine + 12).join('\n');
  const tabbedBlock = block.replaceAll('    ', '\t');
  const misspelledBlock = block.replace('the sum of', 'a sum of');
  const createHunk = (search: string): Hunk => ({
    search,
    replace: search.replace('+ total', '- total'),
  });
  return {
    exact: createHunk(block),
    otherIndent: createHunk(tabbedBlock),
    similar: createHunk(misspelledBlock),
  };
}

function measureMilliseconds(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function assertHunksApplied(text: string, hunks: readonly Hunk[]): void {
  const result = applyHunks(text, hunks);
  if (result.type === 'refused') throw new Error(`Refused: ${result.code}`);
}

function assertHunkRefused(text: string, hunk: Hunk): void {
  if (applyHunks(text, [hunk]).type === 'applied') throw new Error('Applied.');
}

/** Creates hunks for `count` lines at regular intervals over the whole file. */
function createHunks(text: string, count: number): Hunk[] {
  const lines = text.split('\n').filter((line) => line.includes('+ total'));
  const interval = Math.floor(lines.length / count);
  return Array.from({ length: count }, (_, index) => {
    const search = lines[index * interval] ?? '';
    return { search, replace: search.replace('+ total', '- total') };
  });
}

function createSource(lineCount: number): string {
  const functions = Array.from({ length: Math.ceil(lineCount / 5) }, (_, i) => [
    `export function step${i}(left: number, right: number): number {`,
    `    // Gives the sum of what step ${i} was given.`,
    `    const total${i} = left * ${i} + right;`,
    `    return compute${i}(left, right) + total${i};`,
    '}',
  ]);
  return functions.flat().join('\n');
}
