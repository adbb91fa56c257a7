import type { FailureCode, ServiceFailure } from '../service/http/failure.ts';
import type { RateLimits } from '../service/api-keys.ts';

/** How one try of reaching the service ended. */
export type Attempt =
  | { readonly ok: true; readonly limits?: RateLimits }
  | { readonly ok: false; readonly failure: ServiceFailure };

/** The one thing that is wrong, the nearest to the person first. */
export type ConnectionProblem =
  | 'no-address'
  | 'invalid-address'
  | 'wrong-address'
  | 'no-key'
  | 'wrong-key'
  | 'no-credits'
  | 'offline'
  | 'tls'
  | 'proxy'
  /** The service is there, but did not answer as it should. */
  | 'trouble';

export type Verdict =
  | { readonly ok: true; readonly limits?: RateLimits }
  | {
      readonly ok: false;
      readonly problem: ConnectionProblem;
      readonly failure?: ServiceFailure;
      /** The other transport reaches the service, and this one does not. */
      readonly otherWorks: boolean;
    };

/** Whether trying the other transport can tell more: something between us and the service is in the way. */
export const isNetworkProblem = (attempt: Attempt): boolean =>
  !attempt.ok && networkCodes.has(attempt.failure.code);

/**
 * What the outcomes of a connection test mean.
 * @param other With the transport that is not in use; absent when it was not tried.
 */
export function connectionVerdict(attempt: Attempt, other?: Attempt): Verdict {
  if (attempt.ok) {
    const isBroke = attempt.limits !== undefined && !canSpend(attempt.limits);
    return isBroke ? { ok: false, problem: 'no-credits', otherWorks: false } : attempt;
  }
  const { failure } = attempt;
  const otherWorks = isNetworkProblem(attempt) && other !== undefined && !isNetworkProblem(other);
  return { ok: false, problem: problems[failure.code] ?? 'trouble', failure, otherWorks };
}

const networkCodes: ReadonlySet<FailureCode> = new Set([
  'offline',
  'tls',
  'proxy',
  'timeout',
  'interrupted',
]);

const problems: Partial<Record<FailureCode, ConnectionProblem>> = {
  'no-address': 'no-address',
  'invalid-address': 'invalid-address',
  'not-found': 'wrong-address',
  redirected: 'wrong-address',
  'unexpected-response': 'wrong-address',
  'no-key': 'no-key',
  'invalid-key': 'wrong-key',
  unauthorized: 'wrong-key',
  forbidden: 'wrong-key',
  'out-of-funds': 'no-credits',
  'wallet-out-of-funds': 'no-credits',
  'spend-limit': 'no-credits',
  offline: 'offline',
  timeout: 'offline',
  interrupted: 'offline',
  tls: 'tls',
  proxy: 'proxy',
};

/** A service that names no balance is believed when it permits access. */
function canSpend({ accessPermitted, balances }: RateLimits): boolean {
  const known = Object.values(balances);
  return accessPermitted && (known.length === 0 || known.some((balance) => balance > 0));
}
