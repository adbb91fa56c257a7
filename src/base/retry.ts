const firstDelayMs = 500;
const longestDelayMs = 8_000;

/**
 * Full-jitter back-off: uniform in [0, 0.5 s · 2ⁿ), at most 8 s.
 * @param attempt how many tries have failed, from 1
 * @param random a number in [0, 1)
 */
export const backoffMs = (attempt: number, random: number): number =>
  Math.floor(random * Math.min(longestDelayMs, firstDelayMs * 2 ** attempt));
