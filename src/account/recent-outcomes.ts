import type { CallOutcome } from './health.ts';

/** Outcome of a finished call, recorded for diagnostics. Contains no text of the service or the user. */
export interface RecentOutcome {
  /** Time in milliseconds since the Unix epoch. */
  readonly time: number;
  /** Code of the failure; `ok` for a reply. */
  readonly code: string;
  /** HTTP status of a failure. */
  readonly status?: number;
  /** Version that the deployment reported. */
  readonly serviceVersion?: string;
}

/** Maximum number of stored outcomes. */
const maxOutcomes = 20;
/**
 * Matches versions such as `20261123.101112`. Any other value of the version header is not recorded, because it could
 * contain private text.
 */
const versionPattern = /^\d{8}\.\d{6}$/u;

/**
 * Returns the recent outcomes with `outcome` added at the end, oldest first. Drops the oldest outcome if the list is
 * longer than `maxOutcomes`.
 */
export function addOutcome(
  outcomes: readonly RecentOutcome[],
  outcome: CallOutcome,
  time: number,
): readonly RecentOutcome[] {
  return [...outcomes, toRecentOutcome(outcome, time)].slice(-maxOutcomes);
}

function toRecentOutcome(outcome: CallOutcome, time: number): RecentOutcome {
  if (outcome === 'reached' || 'balance' in outcome) return { time, code: 'ok' };
  if ('code' in outcome) {
    const { code, status } = outcome;
    return status === undefined ? { time, code } : { time, code, status };
  }
  const { serviceVersion = '' } = outcome;
  return versionPattern.test(serviceVersion)
    ? { time, code: 'ok', serviceVersion }
    : { time, code: 'ok' };
}
