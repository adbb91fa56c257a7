import { type Amounts, type Micro, type FundingSource, spendOrder } from './amounts.ts';
import { toEpochDay } from './epoch-day.ts';

/** Spending of a key by UTC day. All limit periods begin at the start of a UTC day. */
export class DailySpending {
  readonly #sumsByDay = new Map<number, Record<FundingSource, Micro>>();

  addAmounts(time: number, amounts: Amounts): void {
    const day = toEpochDay(time);
    const sums = this.#sumsByDay.get(day) ?? { diem: 0, bundled: 0, usd: 0 };
    for (const source of spendOrder) sums[source] += amounts[source];
    this.#sumsByDay.set(day, sums);
  }

  /**
   * Returns the spending since the start of a UTC day.
   * @param day days since 1970-01-01 UTC
   */
  sumSince(day: number): Amounts {
    const sums = { diem: 0, bundled: 0, usd: 0 };
    for (const [spendingDay, amounts] of this.#sumsByDay) {
      if (spendingDay < day) continue;
      for (const source of spendOrder) sums[source] += amounts[source];
    }
    return sums;
  }
}
