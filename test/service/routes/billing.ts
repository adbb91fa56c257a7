import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireAdminKey } from '../auth.ts';
import { parseDateSpan, computeUsageAnalytics } from '../billing/usage-analytics.ts';
import { readUsagePage } from '../billing/usage-page.ts';
import { createHistoryRow, formatHistoryTable, createUsageRows } from '../billing/usage-rows.ts';
import { toMicro } from '../money/amounts.ts';
import { ApiError } from '../api-error.ts';
import type { ServiceState } from '../service-state.ts';

/** Adds the billing routes, which require an ADMIN key. */
export function addBillingRoutes(app: FastifyInstance, state: ServiceState): void {
  app.get('/billing/balance', async (request, reply) => {
    const { accountId } = requireAdminKey(state, request, reply);
    return formatBalance(state, accountId);
  });
  app.get('/billing/usage-history', async (request, reply) => {
    const { accountId } = requireAdminKey(state, request, reply);
    const { rows, nextCursor } = readUsagePage(
      listAccountRows(state, accountId),
      readQuery(request),
    );
    if (request.headers.accept !== 'text/csv')
      return { data: rows.map(createHistoryRow), nextCursor };
    if (nextCursor !== null) reply.header('x-next-cursor', nextCursor);
    reply.header('content-disposition', 'attachment; filename="usage.csv"');
    return reply.type('text/csv; charset=utf-8').send(formatHistoryTable(rows));
  });
  app.get('/billing/usage-analytics', async (request, reply) => {
    const { accountId } = requireAdminKey(state, request, reply);
    const span = parseDateSpan(readQuery(request), state.clock.now());
    const names = new Map(
      state.accounts.keys.listByAccount(accountId).map(({ id, description }) => [id, description]),
    );
    const getKeyName = (keyId: string): string => names.get(keyId) ?? 'Deleted key';
    return computeUsageAnalytics(listAccountRows(state, accountId), span, getKeyName);
  });
  app.get('/billing/usage', async (request, reply) => {
    requireAdminKey(state, request, reply);
    throw new ApiError(410, 'This endpoint is gone. Use /billing/usage-history.', {
      deprecation: '@1781913600',
      sunset: 'Wed, 16 Sep 2026 00:00:00 GMT',
      link: '</api/v1/billing/usage-history>; rel="successor-version"',
    });
  });
}

const readQuery = ({ query }: FastifyRequest): Record<string, string> =>
  query as Record<string, string>;

const listAccountRows = ({ accounts }: ServiceState, accountId: string) =>
  createUsageRows(accounts.charges.filter((charge) => charge.accountId === accountId));

/** Formats the balances. A currency without a balance is null. */
function formatBalance({ accounts }: ServiceState, accountId: string): object {
  const { diem, bundled, usd } = accounts.getBalances(accountId);
  const allocation = accounts.getAllocation(accountId);
  return {
    canConsume: diem + bundled + usd >= toMicro(0.1),
    consumptionCurrency: findFirstFundedCurrency({
      DIEM: diem,
      BUNDLED_CREDITS: bundled,
      USD: usd,
    }),
    balances: {
      diem: allocation > 0 ? diem / 1e6 : null,
      usd: usd > 0 ? usd / 1e6 : null,
      bundledCredits: bundled / 1e6,
    },
    diemEpochAllocation: allocation / 1e6,
  };
}

const findFirstFundedCurrency = (amounts: Readonly<Record<string, number>>): string | null =>
  Object.entries(amounts).find(([, amount]) => amount > 0)?.[0] ?? null;
