export const dayMs = 86_400_000;

/**
 * Returns the number of full days since 1970-01-01 UTC.
 * @param time Milliseconds since the Unix epoch
 */
export const toEpochDay = (time: number): number => Math.floor(time / dayMs);
