import type { KeyProblem, KeyState } from './key-state.ts';
import { omitUndefined } from '../base/json.ts';
import type { ResponseInfo } from '../service/chat/chat-types.ts';
import type { FailureCode, ServiceFailure } from '../service/http/failure.ts';

/** How the account is doing, without its words. */
export type Health =
  | { readonly status: 'signed-out' }
  | { readonly status: 'signed-in' }
  | { readonly status: 'needs-attention'; readonly reason: AttentionReason };

export type AttentionReason =
  | { readonly kind: 'key'; readonly key: KeyProblem }
  | { readonly kind: 'failure'; readonly failure: ServiceFailure };

/**
 * What a finished call says about the account. `reached`: the service answered a call that takes neither key nor
 * funds, so only the way to it is known to be free.
 */
export type Outcome = ServiceFailure | ResponseInfo | 'reached';

/** Failures that stay until the person does something; all others belong to the call that failed. */
const lasting: ReadonlySet<FailureCode> = new Set([
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

/** Those of them that stand between us and the service. */
const onTheWay: ReadonlySet<FailureCode> = new Set(['tls', 'proxy', 'redirected']);

/** The lasting failure after `outcome`: a reply ends it, a passing failure leaves it as it is. */
export function lastingFailure(
  current: ServiceFailure | undefined,
  outcome: Outcome,
): ServiceFailure | undefined {
  if (outcome === 'reached') {
    return current === undefined || onTheWay.has(current.code) ? undefined : current;
  }
  if (!isFailure(outcome)) return undefined;
  return lasting.has(outcome.code) ? outcome : current;
}

export const isFailure = (outcome: Outcome): outcome is ServiceFailure =>
  outcome !== 'reached' && 'code' in outcome;

/**
 * A key that cannot be sent comes before any failure: without it no call can succeed.
 * @param failure The address's own failure, else what {@link lastingFailure} gave.
 */
export function healthOf(key: KeyState, failure: ServiceFailure | undefined): Health {
  if (failure?.code === 'no-address') return { status: 'signed-out' };
  if (failure?.code === 'invalid-address') return failing(failure);
  switch (key.kind) {
    case 'none':
      return { status: 'signed-out' };
    case 'unread':
      return { status: key.expected ? 'signed-in' : 'signed-out' };
    case 'usable':
    case 'wallet':
      return failure === undefined ? { status: 'signed-in' } : failing(failure);
    case 'no-wallet':
    case 'other-origin':
    case 'unreadable':
    case 'lost':
      return { status: 'needs-attention', reason: { kind: 'key', key } };
  }
}

const failing = (failure: ServiceFailure): Health => ({
  status: 'needs-attention',
  reason: { kind: 'failure', failure },
});

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
  return omitUndefined({ usd, diem });
}
