/**
 * Result of one comparison between the extension and an alternative. Smaller values are better. If both are measured,
 * they are measured in the same rounds, in rotating order.
 */
export interface BenchResult {
  readonly name: string;
  /** Median value of the extension, in `unit`. */
  readonly ours: number;
  /** Median value of the alternative, in `unit`. */
  readonly theirs: number;
  /** Median over all rounds of `ours` divided by `theirs`. */
  readonly ratio: number;
  /** Lowest and highest ratio of a single round. Absent for results without rounds. */
  readonly spread?: readonly [lowest: number, highest: number];
  readonly unit: string;
  /** Maximum ratio that meets the goal. */
  readonly target: number;
  readonly isMet: boolean;
}
