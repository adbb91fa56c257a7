import type { BenchOptions } from './options.ts';
import type { BenchResult } from './result.ts';

/** Measures one of the compared implementations. Resolves with the measured value. */
export type MeasureSide = () => Promise<number>;

/**
 * Measures each of the compared implementations once per round. Each round starts with another implementation. Returns
 * the values of each round, without the warm-up rounds.
 */
export async function runRounds<Figures extends Readonly<Record<string, unknown>>>(
  sides: { readonly [Name in keyof Figures]: () => Promise<Figures[Name]> },
  { roundCount, warmUpCount }: Pick<BenchOptions, 'roundCount' | 'warmUpCount'>,
): Promise<Figures[]> {
  const names = Object.keys(sides) as (keyof Figures)[];
  const results: Figures[] = [];
  for (let round = 0; round < warmUpCount + roundCount; round++) {
    const figures: Partial<Figures> = {};
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length];
      if (name !== undefined) figures[name] = await sides[name]();
    }
    if (round >= warmUpCount) results.push(figures as Figures);
  }
  return results;
}

/**
 * Compares two values that are measured in the same rounds. The result contains the median of each value, and the
 * median of the rounds' ratios.
 */
export function compareRounds<Round>(
  name: string,
  comparison: {
    readonly rounds: readonly Round[];
    readonly getExtensionValue: (round: Round) => number;
    readonly getBaselineValue: (round: Round) => number;
    readonly unit: string;
    /** Maximum ratio with which the goal is met, or a function that computes it from the median of the alternative. */
    readonly target: number | ((baselineValue: number) => number);
  },
): BenchResult {
  const extensionValue = computeMedian(comparison.rounds.map(comparison.getExtensionValue));
  const baselineValue = computeMedian(comparison.rounds.map(comparison.getBaselineValue));
  const ratios = comparison.rounds.map(
    (round) => comparison.getExtensionValue(round) / comparison.getBaselineValue(round),
  );
  const ratio = computeMedian(ratios);
  const spread = [Math.min(...ratios), Math.max(...ratios)] as const;
  const target =
    typeof comparison.target === 'number' ? comparison.target : comparison.target(baselineValue);
  const { unit } = comparison;
  return {
    name,
    extensionValue,
    baselineValue,
    ratio,
    spread,
    unit,
    target,
    isMet: ratio <= target,
  };
}

/** Compares a measured value with a constant, such as a size, a count or a limit. */
export function compareWithBaseline(
  name: string,
  unit: string,
  target: number,
  [measuredValue, baselineValue]: readonly [number, number],
): BenchResult {
  const ratio = measuredValue / baselineValue;
  return {
    name,
    extensionValue: measuredValue,
    baselineValue,
    ratio,
    unit,
    target,
    isMet: ratio <= target,
  };
}

/**
 * Returns the longest event loop delay in milliseconds. Returns at least 1, the sampling interval.
 * @param max longest delay in nanoseconds
 */
export function getLongestBlockMs({ max }: { readonly max: number }): number {
  return Math.max(1, max / 1e6);
}

export function computeMedian(figures: readonly number[]): number {
  const sortedFigures = figures.toSorted((a, b) => a - b);
  return sortedFigures[Math.floor(sortedFigures.length / 2)] ?? Number.NaN;
}

export function computePercentile(figures: readonly number[], ratio: number): number {
  const sortedFigures = figures.toSorted((a, b) => a - b);
  return (
    sortedFigures[Math.min(sortedFigures.length - 1, Math.floor(sortedFigures.length * ratio))] ??
    Number.NaN
  );
}
