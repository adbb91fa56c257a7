import type { Clock } from '../../base/clock.ts';
import { failureTable, type ServiceFailure } from './failure.ts';

/**
 * Time in milliseconds within which a request fails if it reuses a connection that the service has already closed. A
 * request that fails later may have been charged.
 */
const staleConnectionMs = 500;

/**
 * Statuses with which every kind of server rejects a request without processing it. Excludes 502 and 504, because a
 * gateway can send them while the server still processes and charges the request.
 */
export const rejectedStatuses: ReadonlySet<number> = new Set([429, 503]);
/** Matches error codes of connections that did not open, such as `ECONNREFUSED`, so that no request was sent. */
const connectFailurePattern =
  /^(ENOTFOUND|EAI_|ECONNREFUSED|(UND_ERR_)?CONNECT_TIMEOUT|ERR_(NAME_NOT_RESOLVED|CONNECTION_(REFUSED|TIMED_OUT)))/;

/**
 * Creates the retry check of a paid call. Allows a retry only if the service cannot have charged the attempt. If a
 * connection closes without a response, only the first attempt may be retried: it may have reused a connection that was
 * already closed.
 */
export function createUnchargedRetryCheck(
  clock: Clock,
  getUnchargedStatuses: () => ReadonlySet<number> = () => rejectedStatuses,
): (failure: ServiceFailure) => boolean {
  const start = clock.now();
  let isFirst = true;
  return ({ code, status, detail = '' }) => {
    const isImmediate = isFirst && clock.now() - start < staleConnectionMs;
    isFirst = false;
    if (status !== undefined)
      return getUnchargedStatuses().has(status) && failureTable[code].isRetryable;
    if (code === 'offline') return isImmediate || connectFailurePattern.test(detail);
    return code === 'interrupted' && isImmediate;
  };
}
