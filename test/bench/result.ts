/** One comparison: both sides measured in the same run, order rotated, medians. */
export interface BenchResult {
  readonly name: string;
  /** Our figure, in `unit`. */
  readonly ours: number;
  /** Figure of the alternative, in `unit`. */
  readonly theirs: number;
  /** Median of ours / theirs over all rounds. */
  readonly ratio: number;
  readonly unit: string;
  /** The largest ratio that meets the goal. */
  readonly target: number;
  readonly met: boolean;
}
