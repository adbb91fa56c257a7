import type { BenchResult } from './result.ts';

/** One side of a comparison: does its work and gives its figure. */
export type Side = () => Promise<number>;

/** Runs all sides once per round, another one first each time; the first round warms up and does not count. */
export async function rounds<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  count = 5,
): Promise<Record<Name, number>[]> {
  const names = Object.keys(sides) as Name[];
  const results: Record<Name, number>[] = [];
  for (let round = 0; round <= count; round++) {
    const figures: Partial<Record<Name, number>> = {};
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length];
      if (name !== undefined) figures[name] = await sides[name]();
    }
    if (round > 0) results.push(figures as Record<Name, number>);
  }
  return results;
}

/** Compares two figures of the same rounds: medians, and the median of the rounds' ratios. */
export function compare<Round>(
  name: string,
  about: {
    readonly rounds: readonly Round[];
    readonly ours: (round: Round) => number;
    readonly theirs: (round: Round) => number;
    readonly unit: string;
    /** The largest ratio that meets the goal, which may depend on their figure. */
    readonly target: number | ((theirs: number) => number);
  },
): BenchResult {
  const ours = median(about.rounds.map(about.ours));
  const theirs = median(about.rounds.map(about.theirs));
  const ratio = median(about.rounds.map((round) => about.ours(round) / about.theirs(round)));
  const target = typeof about.target === 'number' ? about.target : about.target(theirs);
  return { name, ours, theirs, ratio, unit: about.unit, target, met: ratio <= target };
}

/** A figure of ours against a fixed one: a size, a count, or a limit. */
export function against(
  name: string,
  unit: string,
  target: number,
  [ours, theirs]: readonly [number, number],
): BenchResult {
  const ratio = ours / theirs;
  return { name, ours, theirs, ratio, unit, target, met: ratio <= target };
}

export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function percentile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
