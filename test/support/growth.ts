interface Growth {
  /** Cost of one large input, over the cost of as much input in small ones: 1 is linear, `times` is quadratic. */
  readonly perUnit: number;
}

/** Milliseconds. Processor time is counted in steps of several milliseconds, so shorter times count as this much. */
const precision = 20;

/**
 * Measures how processor time grows with the size of the input. Both sides are measured in the same run, in time of this
 * thread, so that neither the machine nor its load matters.
 * @param run one run with an input of about `size`.
 * @param sizes `small * times` must take far more than 20 ms where the growth is not linear.
 */
export function growth(
  run: (size: number) => void,
  { small, times }: { readonly small: number; readonly times: number },
): Growth {
  // The first run compiles.
  run(small);
  const inSmallOnes = cpuMs(() => {
    for (let count = 0; count < times; count += 1) run(small);
  });
  return { perUnit: cpuMs(() => run(small * times)) / inSmallOnes };
}

/** Returns the milliseconds of processor time that `run` takes in this thread, at least 20. */
export function cpuMs(run: () => void): number {
  const start = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(start);
  return Math.max(precision, (user + system) / 1_000);
}
