/** Whether the lines end in the same line three times, or in the same few lines three times. */
export function endsInCycle(lines: readonly string[]): boolean {
  const last = lines.at(-1) ?? '';
  if (!/[\p{L}\p{N}]/u.test(last)) return false;
  for (let period = 1; period <= longestPeriod && period * 3 <= lines.length; period += 1)
    if (repeats(lines, period)) return true;
  return false;
}

const longestPeriod = 8;

function repeats(lines: readonly string[], period: number): boolean {
  for (let back = 1; back <= period * 2; back += 1)
    if (lines.at(-back) !== lines.at(-back - period)) return false;
  return true;
}
