/** How many days before its end a key is spoken of, the last warning last. */
export const warningDays = [14, 3, 1] as const;
export type WarningDays = (typeof warningDays)[number];

/** From so few days on a warning is worth a notification; before that it is only shown where the person looks. */
export const urgentDays: WarningDays = 3;

const dayMs = 86_400_000;

/**
 * Whole days until a key ends, begun ones counting as whole: 1 on its last day, 0 once it has ended.
 * @param expiresAt ISO instant. @param now Milliseconds since the epoch.
 * @returns undefined when there is no such instant
 */
export function daysLeft(expiresAt: string | undefined, now: number): number | undefined {
  const end = Date.parse(expiresAt ?? '');
  return Number.isFinite(end) ? Math.max(0, Math.ceil((end - now) / dayMs)) : undefined;
}

/**
 * The warning that is due now: the nearest one to the end that was not given yet.
 * @param told the one that was given last; undefined when none was
 */
export function nextWarning(days: number, told: number | undefined): WarningDays | undefined {
  const due = warningDays.findLast((threshold) => days <= threshold);
  return due === undefined || (told !== undefined && told <= due) ? undefined : due;
}
