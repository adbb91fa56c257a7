import type { UsagePeriod, UsageView } from '../../src/account/usage-protocol.ts';

/** Which table is shown. */
export type UsageTable = 'model' | 'feature' | 'conversation' | 'day';

/** All that the page draws. */
export interface UsageState {
  /** Null until the host has told it. */
  readonly usage: UsageView | null;
  readonly problem: string;
  readonly days: UsagePeriod;
  readonly by: UsageTable;
}

export const firstUsageState: UsageState = { usage: null, problem: '', days: 7, by: 'model' };
