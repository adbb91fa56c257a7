export const dayMs = 86_400_000;

/** Returns the days since 1970-01-01 UTC: the number of the epoch, which begins at 00:00 UTC. */
export const toEpochDay = (time: number): number => Math.floor(time / dayMs);
