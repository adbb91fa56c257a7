/** Milliseconds until the daily allocation is there anew: at 00:00 UTC (spec §5). @param now since the epoch */
export const untilRefresh = (now: number): number => dayMs - (((now % dayMs) + dayMs) % dayMs);

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Whole hours and minutes, rounded up to the minute: `[3, 12]`. */
export function hoursAndMinutes(ms: number): readonly [hours: number, minutes: number] {
  const minutes = Math.ceil(ms / minuteMs);
  return [Math.floor(minutes / 60), minutes % 60];
}
