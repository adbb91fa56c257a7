/** Maximum number of remaining days at which the status bar shows the expiration of a key. */
export const maxNoticeDays = 14;

/** Maximum number of remaining days at which the status bar shows the expiration as a problem. */
export const maxWarningDays = 3;

const dayMs = 86_400_000;

/**
 * Returns the days until a key expires, rounded up: 1 on its last day, 0 after it expired.
 * @param expiresAt ISO 8601 date and time.
 * @param now Milliseconds since the epoch.
 * @returns undefined if `expiresAt` is missing or not a date
 */
export function countDaysLeft(expiresAt: string | undefined, now: number): number | undefined {
  const endTime = Date.parse(expiresAt ?? '');
  return Number.isFinite(endTime) ? Math.max(0, Math.ceil((endTime - now) / dayMs)) : undefined;
}
