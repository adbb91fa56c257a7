import { formatDecimal } from './amounts.ts';

const units = ['kB', 'MB', 'GB', 'TB'];

/** `0 kB`, `940 kB`, `3.2 MB`, `312 MB`: in thousands, as the settings count. What is not nothing is 1 kB at least. */
export function formatBytes(bytes: number): string {
  let value = bytes > 0 ? Math.max(1, bytes / 1_000) : 0;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${formatDecimal(value, digits)} ${units[unit]}`;
}
