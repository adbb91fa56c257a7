import {
  type Attempt,
  connectionVerdict,
  isNetworkProblem,
  type Verdict,
} from '../connection-verdict.ts';
import type { Outcome } from '../health.ts';
import { systemClock } from '../../base/clock.ts';
import { defined } from '../../base/json.ts';
import { CircuitBreakers } from '../../service/http/circuit-breaker.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { ServiceError } from '../../service/http/failure.ts';
import { getRateLimits } from '../../service/api-keys.ts';
import { listModels } from '../../service/models.ts';
import { getWalletBalance } from '../../service/x402.ts';
import type { TransportKind } from '../../platform/network.ts';
import type { Account } from './account.ts';

/** Asks the service for the key's limits, by the other transport too when the one in use does not get through. */
export async function testConnection(account: Account, signal: AbortSignal): Promise<Verdict> {
  const { transports, profile } = account;
  const { kind } = transports;
  const attempt = await tryConnection(account, kind, signal);
  const needsOther = isNetworkProblem(attempt) && !signal.aborted;
  const other = needsOther ? await tryConnection(account, otherKind(kind), signal) : undefined;
  account.report(outcomeOf(attempt), profile);
  return connectionVerdict(attempt, other);
}

export const otherKind = (kind: TransportKind): TransportKind =>
  kind === 'direct' ? 'editor' : 'direct';

async function tryConnection(
  account: Account,
  kind: TransportKind,
  signal: AbortSignal,
): Promise<Attempt> {
  // No pauses between tries, and none because other calls have failed.
  const context: ServiceContext = {
    ...account.service,
    breakers: new CircuitBreakers(systemClock),
    transport: () => account.transports.of(kind),
    random: () => 0,
  };
  try {
    const { key } = account;
    if (key.kind === 'wallet') {
      const { usd, diem, canConsume } = await getWalletBalance(context, {
        address: key.address,
        signal,
      });
      const balances = defined({ usd, diem });
      return { ok: true, limits: { accessPermitted: canConsume, balances, limits: [], info: {} } };
    }
    return { ok: true, ...(await limitsOrModels(context, signal)) };
  } catch (error) {
    if (error instanceof ServiceError) return { ok: false, failure: error.failure };
    throw error;
  }
}

/** Deployments without key management have no limits to ask for; their list of models proves the address. */
async function limitsOrModels(
  context: ServiceContext,
  signal: AbortSignal,
): Promise<Omit<Extract<Attempt, { ok: true }>, 'ok'>> {
  try {
    return { limits: await getRateLimits(context, { signal }) };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.failure.code !== 'not-found') throw error;
    await listModels(context, { signal });
    return {};
  }
}

function outcomeOf(attempt: Attempt): Outcome {
  if (!attempt.ok) return attempt.failure;
  if (attempt.limits === undefined) return 'reached';
  const { usd, diem } = attempt.limits.balances;
  return defined({ balanceUsd: usd, balanceDiem: diem });
}
