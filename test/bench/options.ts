/** Length of one benchmark run. */
export interface BenchOptions {
  /** Measured rounds of each comparison, at least 1. */
  readonly rounds: number;
  /** Warm-up rounds, which are not counted. */
  readonly warmUps: number;
  /** Size of the inputs: 1 is the size in the result names; a smaller number shortens the run. */
  readonly scale: number;
}

/** Scales a count, with at least 1 left. */
export function scaled(count: number, scale: number): number {
  return Math.max(1, Math.round(count * scale));
}
