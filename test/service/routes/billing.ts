import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireAdmin } from '../auth.ts';
import { spanOf, usageAnalytics } from '../billing/usage-analytics.ts';
import { pageOf } from '../billing/usage-pages.ts';
import { historyRow, historyTable, usageRows } from '../billing/usage-rows.ts';
import { micro } from '../money/amounts.ts';
import { Problem } from '../problem.ts';
import type { World } from '../world.ts';

/** What an ADMIN key may see of its account's money. */
export function billingRoutes(app: FastifyInstance, world: World): void {
  app.get('/billing/balance', async (request, reply) => {
    const { accountId } = requireAdmin(world, request, reply);
    return balanceOf(world, accountId);
  });
  app.get('/billing/usage-history', async (request, reply) => {
    const { accountId } = requireAdmin(world, request, reply);
    const { rows, nextCursor } = pageOf(rowsOf(world, accountId), queryOf(request));
    if (request.headers.accept !== 'text/csv') return { data: rows.map(historyRow), nextCursor };
    if (nextCursor !== null) reply.header('x-next-cursor', nextCursor);
    reply.header('content-disposition', 'attachment; filename="usage.csv"');
    return reply.type('text/csv; charset=utf-8').send(historyTable(rows));
  });
  app.get('/billing/usage-analytics', async (request, reply) => {
    const { accountId } = requireAdmin(world, request, reply);
    const span = spanOf(queryOf(request), world.clock.now());
    const names = new Map(
      world.accounts.keys.of(accountId).map(({ id, description }) => [id, description]),
    );
    const nameOf = (keyId: string): string => names.get(keyId) ?? 'Deleted key';
    return usageAnalytics(rowsOf(world, accountId), span, nameOf);
  });
  app.get('/billing/usage', async (request, reply) => {
    requireAdmin(world, request, reply);
    throw new Problem(410, 'This endpoint is gone. Use /billing/usage-history.', {
      deprecation: '@1781913600',
      sunset: 'Wed, 16 Sep 2026 00:00:00 GMT',
      link: '</api/v1/billing/usage-history>; rel="successor-version"',
    });
  });
}

const queryOf = ({ query }: FastifyRequest): Record<string, string> =>
  query as Record<string, string>;

const rowsOf = ({ accounts }: World, accountId: string) =>
  usageRows(accounts.charges.filter((charge) => charge.accountId === accountId));

/** A currency that the account has nothing of is `null`. */
function balanceOf({ accounts }: World, accountId: string): object {
  const { diem, bundled, usd } = accounts.balances(accountId);
  const allocation = accounts.allocation(accountId);
  return {
    canConsume: diem + bundled + usd >= micro(0.1),
    consumptionCurrency: firstOf({ DIEM: diem, BUNDLED_CREDITS: bundled, USD: usd }),
    balances: {
      diem: allocation > 0 ? diem / 1e6 : null,
      usd: usd > 0 ? usd / 1e6 : null,
      bundledCredits: bundled / 1e6,
    },
    diemEpochAllocation: allocation / 1e6,
  };
}

const firstOf = (amounts: Readonly<Record<string, number>>): string | null =>
  Object.entries(amounts).find(([, amount]) => amount > 0)?.[0] ?? null;
