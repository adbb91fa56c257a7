import { type Amounts, type Micro, type FundingSource, spendOrder } from './amounts.ts';
import { toEpochDay } from './epoch-day.ts';

/** What a key spent, by days of UTC: every period that a limit can have begins with a day. */
export class DailySpending {
  readonly #days = new Map<number, Record<FundingSource, Micro>>();

  add(time: number, paid: Amounts): void {
    const day = toEpochDay(time);
    const sums = this.#days.get(day) ?? { diem: 0, bundled: 0, usd: 0 };
    for (const source of spendOrder) sums[source] += paid[source];
    this.#days.set(day, sums);
  }

  /** From the beginning of that day (since 1970 UTC) on. */
  since(day: number): Amounts {
    const sums = { diem: 0, bundled: 0, usd: 0 };
    for (const [each, paid] of this.#days) {
      if (each < day) continue;
      for (const source of spendOrder) sums[source] += paid[source];
    }
    return sums;
  }
}
