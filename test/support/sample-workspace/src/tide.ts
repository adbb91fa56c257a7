export interface HighWater {
  readonly station: string;
  readonly at: Date;
  readonly metres: number;
}

/** Period of the principal lunar semidiurnal tide, in milliseconds. */
const periodMs = 12.4206012 * 3_600_000;

/** Returns the times of the next `count` high waters after `from`, computed from a known high water. */
export function nextHighWaters(known: HighWater, from: Date, count: number): HighWater[] {
  const periods = Math.ceil((from.getTime() - known.at.getTime()) / periodMs);
  return Array.from({ length: count }, (_, index) => ({
    ...known,
    at: new Date(known.at.getTime() + (periods + index) * periodMs),
  }));
}
