/** Length of a benchmark run. */
export interface BenchOptions {
  /** Number of measured rounds per comparison. At least 1. */
  readonly roundCount: number;
  /** Number of unmeasured rounds before the measured rounds. */
  readonly warmUpCount: number;
  /**
   * Factor for the size of the inputs. With factor 1, inputs have the sizes that the names of the results contain. A
   * smaller factor shortens the run.
   */
  readonly scale: number;
}

/** Multiplies a count by `scale`. The result is at least 1. */
export function scaleCount(count: number, scale: number): number {
  return Math.max(1, Math.round(count * scale));
}
