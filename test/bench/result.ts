/** Result of one comparison. Both sides are measured in the same rounds, in rotating order. */
export interface BenchResult {
  readonly name: string;
  /** Median figure of our code, in `unit`. */
  readonly ours: number;
  /** Median figure of the alternative, in `unit`. */
  readonly theirs: number;
  /** Median of the rounds' ratios of our figure to the alternative's figure. */
  readonly ratio: number;
  readonly unit: string;
  /** Maximum ratio that meets the goal. */
  readonly target: number;
  readonly met: boolean;
}
