export const dayMs = 86_400_000;

/** Days since 1970 UTC: the number of an epoch, which begins at 00:00 UTC. */
export const toEpochDay = (time: number): number => Math.floor(time / dayMs);
