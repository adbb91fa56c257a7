interface Growth {
  /**
   * Processor time for one large input, divided by the time for `times` small inputs. 1 is linear,
   * `times` is quadratic.
   */
  readonly perUnit: number;
}

/**
 * Minimum time in milliseconds. The clock of processor time has steps of several milliseconds, so
 * shorter times count as this value.
 */
const minMs = 20;

/**
 * Measures how processor time grows with the size of the input. Measures both sizes in the same run
 * and only the time of this thread, so that the result does not depend on the machine or its load.
 * @param run Processes an input of about `size`.
 * @param sizes `small * times` must take far more than 20 ms if the growth is not linear.
 */
export function growth(
  run: (size: number) => void,
  { small, times }: { readonly small: number; readonly times: number },
): Growth {
  // The first run includes compilation.
  run(small);
  const smallInputsMs = cpuMs(() => {
    for (let count = 0; count < times; count += 1) run(small);
  });
  return { perUnit: cpuMs(() => run(small * times)) / smallInputsMs };
}

/** Returns the milliseconds of processor time that `run` takes in this thread, at least 20. */
export function cpuMs(run: () => void): number {
  const start = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(start);
  return Math.max(minMs, (user + system) / 1_000);
}
