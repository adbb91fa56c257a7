import type { ReplyInfo } from '../service/chat-types.ts';
import type { FailureCode, ServiceFailure } from '../service/failure.ts';
import type { KeyProblem, KeyState } from './key-state.ts';

/** How the account is doing, without its words. */
export type Health =
  | { readonly status: 'signed-out' }
  | { readonly status: 'signed-in' }
  | { readonly status: 'needs-attention'; readonly reason: AttentionReason };

export type AttentionReason =
  | { readonly kind: 'key'; readonly key: KeyProblem }
  | { readonly kind: 'failure'; readonly failure: ServiceFailure };

/** Failures that stay until the person does something; all others belong to the call that failed. */
const lasting: ReadonlySet<FailureCode> = new Set([
  'invalid-address',
  'invalid-key',
  'unauthorized',
  'out-of-funds',
  'spend-limit',
  'tls',
  'proxy',
  'redirected',
]);

/** The lasting failure after `outcome`: a reply ends it, a passing failure leaves it as it is. */
export function lastingFailure(
  current: ServiceFailure | undefined,
  outcome: ServiceFailure | ReplyInfo,
): ServiceFailure | undefined {
  if (!isFailure(outcome)) return undefined;
  return lasting.has(outcome.code) ? outcome : current;
}

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
      return failure === undefined ? { status: 'signed-in' } : failing(failure);
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

const isFailure = (outcome: ServiceFailure | ReplyInfo): outcome is ServiceFailure =>
  'code' in outcome;
