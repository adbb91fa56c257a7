import { defined } from '../base/json.ts';
import { isFailure, type Outcome } from './health.ts';

/** As the service last told it, each in units of its currency. */
export interface Balance {
  readonly usd?: number;
  readonly diem?: number;
}

/** The balance after `outcome`: the same object while nothing else is known. */
export function balanceAfter(balance: Balance, outcome: Outcome): Balance {
  if (outcome === 'reached' || isFailure(outcome)) return balance;
  const { balanceUsd: usd, balanceDiem: diem } = outcome;
  if (usd === undefined && diem === undefined) return balance;
  if (usd === balance.usd && diem === balance.diem) return balance;
  return defined({ usd, diem });
}
