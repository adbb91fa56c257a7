/**
 * Result of a comparison between the extension and an alternative. Smaller values are better. Both values come from the
 * same rounds, measured in rotating order, unless one of them is a constant.
 */
export interface BenchResult {
  readonly name: string;
  /** Median value of the extension, in `unit`. */
  readonly extensionValue: number;
  /** Median value of the alternative, in `unit`. */
  readonly baselineValue: number;
  /** Median over all rounds of the ratio `extensionValue` / `baselineValue`. */
  readonly ratio: number;
  /** Lowest and highest ratio of all rounds. Absent for results without rounds. */
  readonly spread?: readonly [lowest: number, highest: number];
  readonly unit: string;
  /** Maximum ratio with which the goal is met. */
  readonly target: number;
  readonly isMet: boolean;
}
