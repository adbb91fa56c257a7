import { isRecord, readStringOr } from '../base/json.ts';
import { normalizeVendorPrefix } from '../service/http/vendor-prefix.ts';
import { defaultProfileId, type ProfileSettings } from './profile.ts';
import type { FailureCode, ServiceFailure } from '../service/http/failure.ts';
import type { RateLimits } from '../service/api-keys.ts';

/** Result of one attempt to reach the service. */
export type ConnectionAttempt =
  | { readonly ok: true; readonly limits?: RateLimits }
  | { readonly ok: false; readonly failure: ServiceFailure };

/**
 * Problems that a connection test can report. Ordered by cause: the user's settings, then the network, then the
 * service.
 */
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
  /** The service is reachable, but returned an unexpected response. */
  | 'unexpected-response';

export type ConnectionVerdict =
  | { readonly ok: true; readonly limits?: RateLimits }
  | {
      readonly ok: false;
      readonly problem: ConnectionProblem;
      readonly failure?: ServiceFailure;
      /**
       * True if the selected transport (direct or through VS Code) fails and the other transport
       * reaches the service.
       */
      readonly isOtherTransportReachable: boolean;
    };

/**
 * Checks whether an attempt failed because of the network. Only after such a failure is it useful to test the other
 * transport (direct or through VS Code).
 */
export const isNetworkProblem = (attempt: ConnectionAttempt): boolean =>
  !attempt.ok && networkCodes.has(attempt.failure.code);

/**
 * Determines the result of a connection test.
 * @param otherAttempt Attempt with the transport that is not selected; omit it if only one transport was
 *   tried.
 */
export function evaluateConnection(
  attempt: ConnectionAttempt,
  otherAttempt?: ConnectionAttempt,
): ConnectionVerdict {
  if (attempt.ok) {
    const isOutOfFunds = attempt.limits !== undefined && !canSpend(attempt.limits);
    return isOutOfFunds
      ? { ok: false, problem: 'no-credits', isOtherTransportReachable: false }
      : attempt;
  }
  const { failure } = attempt;
  const isOtherTransportReachable =
    isNetworkProblem(attempt) && otherAttempt !== undefined && !isNetworkProblem(otherAttempt);
  return {
    ok: false,
    problem: problemByFailureCode[failure.code] ?? 'unexpected-response',
    failure,
    isOtherTransportReachable,
  };
}

const networkCodes: ReadonlySet<FailureCode> = new Set([
  'offline',
  'tls',
  'proxy',
  'timeout',
  'interrupted',
]);

const problemByFailureCode: Partial<Record<FailureCode, ConnectionProblem>> = {
  'no-address': 'no-address',
  'invalid-address': 'invalid-address',
  'not-found': 'wrong-address',
  redirected: 'wrong-address',
  'unexpected-response': 'wrong-address',
  'no-key': 'no-key',
  'payment-required': 'no-key',
  'no-pay-per-request': 'no-key',
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

/**
 * Checks whether the account can pay for requests: with a balance or, if the service reports no balance, with the
 * permission to send requests.
 */
function canSpend({ isAccessPermitted, balances }: RateLimits): boolean {
  const knownBalances = Object.values(balances);
  return (
    isAccessPermitted &&
    (knownBalances.length === 0 || knownBalances.some((balance) => balance > 0))
  );
}

/**
 * Returns the name of the setting that contains a profile's vendor prefix (`PREFIX` in names of the deployment such as
 * `x-PREFIX-version`), if the setting has an invalid value. Returns `undefined` for a valid value or no value. Requests
 * ignore an invalid value.
 */
export function findInvalidPrefixSetting(
  { profiles, vendorWord }: Pick<ProfileSettings, 'profiles' | 'vendorWord'>,
  profileId: string,
): string | undefined {
  const isDefault = profileId === defaultProfileId;
  const fields = isRecord(profiles) ? profiles[profileId] : undefined;
  const prefix = isDefault ? vendorWord : isRecord(fields) ? fields['vendorWord'] : undefined;
  const isUnset = prefix === undefined || readStringOr(prefix, '-').trim() === '';
  if (isUnset || normalizeVendorPrefix(prefix) !== undefined) return undefined;
  return `inferenceService.${isDefault ? '' : `profiles.${profileId}.`}vendorWord`;
}
