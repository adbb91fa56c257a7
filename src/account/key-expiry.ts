/** Days before the expiration of a key at which a warning is due, in descending order. */
export const warningDays = [14, 3, 1] as const;
export type WarningDays = (typeof warningDays)[number];

/**
 * Number of remaining days from which a warning is shown as a notification. Earlier warnings appear
 * only in the status bar.
 */
export const urgentDays: WarningDays = 3;

const dayMs = 86_400_000;

/**
 * Returns the days until a key expires, rounded up: 1 on its last day, 0 after it expired.
 * @param expiresAt ISO 8601 date and time.
 * @param now Milliseconds since the epoch.
 * @returns undefined if `expiresAt` is missing or not a date
 */
export function countDaysLeft(expiresAt: string | undefined, now: number): number | undefined {
  const end = Date.parse(expiresAt ?? '');
  return Number.isFinite(end) ? Math.max(0, Math.ceil((end - now) / dayMs)) : undefined;
}

/**
 * Returns the smallest warning threshold that is reached, unless that warning was already shown.
 * @param lastShown Threshold of the last warning shown; undefined if there was none.
 */
export function getNextWarning(
  days: number,
  lastShown: number | undefined,
): WarningDays | undefined {
  const nextThreshold = warningDays.findLast((threshold) => days <= threshold);
  return nextThreshold === undefined || (lastShown !== undefined && lastShown <= nextThreshold)
    ? undefined
    : nextThreshold;
}
