const units = ['KB', 'MB', 'GB', 'TB'];

/** `0 KB`, `940 KB`, `3.2 MB`, `312 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes / 1_024;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${Number(value.toFixed(digits))} ${units[unit]}`;
}
