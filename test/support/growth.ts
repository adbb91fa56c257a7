interface Growth {
  /**
   * Processor time for one large input, divided by the total time for `smallCount` small inputs. About 1 for linear
   * growth, and about `smallCount` for quadratic growth.
   */
  readonly timeRatio: number;
}

/**
 * Shortest processor time that a measurement returns, in milliseconds. Shorter times are rounded up, because the
 * processor clock advances in steps of several milliseconds.
 */
const minResultMs = 20;

/**
 * Compares the processor time for one large input with the time for several small inputs of the same total size.
 * Measures both in the same run and only in this thread, so that the result does not depend on the machine or its load.
 * @param run processes an input of about `size`
 * @param sizes size of a small input, and the number of small inputs. With quadratic growth, an input of `smallSize *
 * smallCount` must take far more than 20 ms.
 */
export function measureGrowth(
  run: (size: number) => void,
  { smallSize, smallCount }: { readonly smallSize: number; readonly smallCount: number },
): Growth {
  // The first call includes compilation.
  run(smallSize);
  // Compilation, garbage collection and other processes that use the cache can make one measurement several times
  // larger.
  let timeRatio = measureOnce(run, { smallSize, smallCount });
  for (let count = 1; count < maxMeasurements && timeRatio >= minSuspiciousGrowth; count += 1)
    timeRatio = Math.min(timeRatio, measureOnce(run, { smallSize, smallCount }));
  return { timeRatio };
}

/** Time ratio from which the measurement is repeated. Linear growth has a ratio of about 1. */
const minSuspiciousGrowth = 2;

/** Maximum number of measurements. The smallest result is used. */
const maxMeasurements = 5;

function measureOnce(
  run: (size: number) => void,
  { smallSize, smallCount }: { readonly smallSize: number; readonly smallCount: number },
): number {
  const smallInputsMs = measureCpuMs(() => {
    for (let count = 0; count < smallCount; count += 1) run(smallSize);
  });
  return measureCpuMs(() => run(smallSize * smallCount)) / smallInputsMs;
}

/**
 * Returns the processor time that `run` takes in this thread, in milliseconds. Shorter times are rounded up to 20 ms.
 */
export function measureCpuMs(run: () => void): number {
  const start = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(start);
  return Math.max(minResultMs, (user + system) / 1_000);
}
