import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as v from 'valibot';
import { Problem } from '../problem.ts';
import { invalidRequest, parseOpen } from '../validation.ts';
import type { World } from '../world.ts';
import { signedInWallet } from '../x402/caller.ts';
import { historyOf } from '../x402/history.ts';
import { minimumBalance, walletRequired } from '../x402/refusals.ts';
import { minimumTopUp, suggestedTopUp } from '../x402/requirements.ts';
import { signInHeader } from '../x402/sign-in-header.ts';
import type { TopUps } from '../x402/top-up.ts';

/** Wallets that pay by themselves: their top-ups, balance and history. */
export function x402Routes(app: FastifyInstance, world: World): void {
  const topUps = memo(() => createTopUps(world));
  app.post('/x402/top-up', async (request, reply) => {
    limit(world, 'topUp', request.ip);
    return (await topUps()).take(request, reply);
  });
  app.get('/x402/balance/:wallet', async (request) => {
    const wallet = await requireOwner(world, request);
    limit(world, 'walletBalance', wallet);
    const balanceUsd = world.wallets.balance(wallet) / 1e6;
    const data = {
      walletAddress: wallet,
      balanceUsd,
      canConsume: balanceUsd >= minimumBalance,
      minimumTopUpUsd: minimumTopUp,
      suggestedTopUpUsd: suggestedTopUp,
    };
    return { success: true, data };
  });
  app.get('/x402/transactions/:wallet', async (request) => {
    const wallet = await requireOwner(world, request);
    limit(world, 'walletHistory', wallet);
    const { limit: count, offset } = parseOpen(pageQuery, request.query);
    const all = historyOf(world, wallet);
    const data = {
      walletAddress: wallet,
      currentBalance: world.wallets.balance(wallet) / 1e6,
      transactions: all.slice(offset, offset + count),
      pagination: { limit: count, offset, hasMore: offset + count < all.length },
    };
    return { success: true, data };
  });
}

const whole = (least: number, most: number, otherwise: string) =>
  v.pipe(
    v.optional(v.string(), otherwise),
    v.regex(/^\d{1,9}$/),
    v.transform(Number),
    v.minValue(least),
    v.maxValue(most),
  );
const pageQuery = v.object({ limit: whole(1, 100, '50'), offset: whole(0, 1e9, '0') });

async function createTopUps(world: World): Promise<TopUps> {
  const { chain } = world.options;
  if (chain === undefined) {
    const message = 'This service takes no payments of wallets';
    throw new Problem(503, { error: 'X402_NOT_CONFIGURED', message });
  }
  const [{ createFacilitator }, { TopUps }] = await Promise.all([
    import('../x402/facilitator.ts'),
    import('../x402/top-up.ts'),
  ]);
  return new TopUps(world, chain.facts, createFacilitator(chain.facts));
}

function memo<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** The wallet of the path, lower-cased, when it is the one that signed. @throws Problem 400, 401, 402, 403 */
async function requireOwner(world: World, request: FastifyRequest): Promise<string> {
  const { wallet } = request.params as { wallet: string };
  if (!/^0x[0-9a-fA-F]{40}$/.test(wallet)) {
    throw invalidRequest([{ code: 'custom', path: ['wallet'], message: 'Invalid wallet address' }]);
  }
  const header = signInHeader(request);
  if (header === undefined) throw walletRequired(world, request);
  const signer = await signedInWallet(world, request, header).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(401, 'Invalid Sign-in-with-x signature');
  });
  if (signer.toLowerCase() !== wallet.toLowerCase()) {
    throw new Problem(403, 'You can only access balance for your own wallet');
  }
  return wallet.toLowerCase();
}

function limit(world: World, tier: 'topUp' | 'walletBalance' | 'walletHistory', who: string): void {
  world.limits.take({ keyId: who, model: `x402 ${tier}`, tier, now: world.clock.now() });
}
