import type { KeyProblem, KeyState } from './key-state.ts';
import { omitUndefined } from '../base/json.ts';
import type { ResponseInfo } from '../service/chat/chat-types.ts';
import type { FailureCode, ServiceFailure } from '../service/http/failure.ts';

/** Status of the account, without text for the user. */
export type ServiceHealth =
  | { readonly status: 'signed-out' }
  | { readonly status: 'signed-in' }
  | { readonly status: 'needs-attention'; readonly reason: AttentionReason };

export type AttentionReason =
  | { readonly kind: 'key'; readonly key: KeyProblem }
  | { readonly kind: 'failure'; readonly failure: ServiceFailure };

/**
 * Outcome of a finished call, from which the account's health is determined. `reached`: the service answered a call
 * that needs neither key nor funds, so only the network is known to work. `balance`: balance that the body of a reply
 * contained.
 */
export type CallOutcome = ServiceFailure | ResponseInfo | { readonly balance: Balance } | 'reached';

/** Codes of failures that last until the user resolves them. Any other failure affects only one call. */
const persistentFailureCodes: ReadonlySet<FailureCode> = new Set([
  'invalid-address',
  'invalid-key',
  'unauthorized',
  'out-of-funds',
  'wallet-out-of-funds',
  'no-wallet',
  'sign-in-refused',
  'spend-limit',
  'tls',
  'proxy',
  'redirected',
]);

/** Codes of persistent failures on the network path to the service. */
const networkPathCodes: ReadonlySet<FailureCode> = new Set(['tls', 'proxy', 'redirected']);

/**
 * Checks whether the network path to the service causes the failure, so that all calls fail, regardless of their
 * credentials.
 */
export const isNetworkPathFailure = ({ code }: ServiceFailure): boolean =>
  networkPathCodes.has(code);

/**
 * Returns the failure that lasts until the user resolves it, as known after `outcome`; `undefined` if there is none. A
 * reply clears an earlier failure, and `reached` clears only a failure on the network path. A temporary failure changes
 * nothing.
 */
export function getPersistentFailure(
  currentFailure: ServiceFailure | undefined,
  outcome: CallOutcome,
): ServiceFailure | undefined {
  if (outcome === 'reached') {
    return currentFailure === undefined || networkPathCodes.has(currentFailure.code)
      ? undefined
      : currentFailure;
  }
  if (!isFailure(outcome)) return undefined;
  return persistentFailureCodes.has(outcome.code) ? outcome : currentFailure;
}

export const isFailure = (outcome: CallOutcome): outcome is ServiceFailure =>
  outcome !== 'reached' && 'code' in outcome;

/**
 * Returns the account's health. A failure of the base URL has priority over a problem of the key.
 * @param failure Failure of the base URL if it is missing, invalid or unencrypted without permission; otherwise the
 *   result of {@link getPersistentFailure}.
 */
export function getHealth(key: KeyState, failure: ServiceFailure | undefined): ServiceHealth {
  if (failure?.code === 'no-address') return { status: 'signed-out' };
  if (failure?.code === 'invalid-address' || failure?.code === 'unencrypted-address')
    return toFailingHealth(failure);
  switch (key.kind) {
    case 'none':
      return { status: 'signed-out' };
    case 'unread':
      return { status: key.isKeyExpected ? 'signed-in' : 'signed-out' };
    case 'usable':
    case 'wallet':
    case 'keyless':
      return failure === undefined ? { status: 'signed-in' } : toFailingHealth(failure);
    case 'no-wallet':
    case 'other-origin':
    case 'unreadable':
    case 'lost':
      return { status: 'needs-attention', reason: { kind: 'key', key } };
  }
}

const toFailingHealth = (failure: ServiceFailure): ServiceHealth => ({
  status: 'needs-attention',
  reason: { kind: 'failure', failure },
});

/** Balance in US dollars and DIEM, as last reported by the service. An unknown amount is absent. */
export interface Balance {
  readonly usd?: number;
  readonly diem?: number;
}

/** Balance of one API key at one service. */
export interface KeyBalance {
  readonly balance: Balance;
  /**
   * Currencies whose balance a response header has reported for the key. If a later reply lacks the header of such a
   * currency, its balance is zero.
   */
  readonly reportedCurrencies: readonly (keyof Balance)[];
}

export const unknownBalance: KeyBalance = { balance: {}, reportedCurrencies: [] };

/**
 * Returns the balance after `outcome`, or the same object if the balance did not change. The service omits a balance
 * header if the balance is zero. A missing header therefore means zero, but only if an earlier reply for the same key
 * had this header.
 */
export function computeBalanceAfterCall(
  currentBalance: KeyBalance,
  outcome: CallOutcome,
): KeyBalance {
  if (outcome === 'reached' || isFailure(outcome)) return currentBalance;
  if ('balance' in outcome) return { ...currentBalance, balance: outcome.balance };
  const headerBalance = omitUndefined({ usd: outcome.balanceUsd, diem: outcome.balanceDiem });
  const reportedCurrencies = (['usd', 'diem'] as const).filter(
    (unit) => currentBalance.reportedCurrencies.includes(unit) || headerBalance[unit] !== undefined,
  );
  if (reportedCurrencies.length === 0) return currentBalance;
  const balance = Object.fromEntries(
    reportedCurrencies.map((unit) => [unit, headerBalance[unit] ?? 0]),
  );
  const isSame =
    balance['usd'] === currentBalance.balance.usd &&
    balance['diem'] === currentBalance.balance.diem;
  return isSame ? currentBalance : { balance, reportedCurrencies };
}
