import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as v from 'valibot';
import { ApiError } from '../api-error.ts';
import { createInvalidRequestError, parseOpen } from '../validation.ts';
import type { ServiceState } from '../service-state.ts';
import { verifySignedInWallet } from '../x402/authenticate-caller.ts';
import { listTransactions } from '../x402/history.ts';
import { minBalanceUsd, createWalletRequiredError } from '../x402/balance-errors.ts';
import { minTopUpUsd, suggestedTopUp } from '../x402/requirements.ts';
import { readSignInHeader } from '../x402/sign-in-header.ts';
import type { TopUps } from '../x402/top-ups.ts';

/** Adds the routes for paying wallets: top-ups, balance and history. */
export function addX402Routes(app: FastifyInstance, state: ServiceState): void {
  const topUps = createLazyGetter(() => createTopUps(state));
  app.post('/x402/top-up', async (request, reply) => {
    countRequest(state, 'topUp', request.ip);
    return (await topUps()).handleTopUp(request, reply);
  });
  app.get('/x402/balance/:wallet', async (request) => {
    const wallet = await requireOwner(state, request);
    countRequest(state, 'walletBalance', wallet);
    const balanceUsd = state.wallets.getBalance(wallet) / 1e6;
    const data = {
      walletAddress: wallet,
      balanceUsd,
      canConsume: balanceUsd >= minBalanceUsd,
      minimumTopUpUsd: minTopUpUsd,
      suggestedTopUpUsd: suggestedTopUp,
    };
    return { success: true, data };
  });
  app.get('/x402/transactions/:wallet', async (request) => {
    const wallet = await requireOwner(state, request);
    countRequest(state, 'walletHistory', wallet);
    const { limit: count, offset } = parseOpen(pageQuerySchema, request.query);
    const allTransactions = listTransactions(state, wallet);
    const data = {
      walletAddress: wallet,
      currentBalance: state.wallets.getBalance(wallet) / 1e6,
      transactions: allTransactions.slice(offset, offset + count),
      pagination: { limit: count, offset, hasMore: offset + count < allTransactions.length },
    };
    return { success: true, data };
  });
}

const createIntegerTextSchema = (min: number, max: number, fallback: string) =>
  v.pipe(
    v.optional(v.string(), fallback),
    v.regex(/^\d{1,9}$/),
    v.transform(Number),
    v.minValue(min),
    v.maxValue(max),
  );
export const pageQuerySchema = v.object({
  limit: createIntegerTextSchema(1, 100, '50'),
  offset: createIntegerTextSchema(0, 1e9, '0'),
});

async function createTopUps(state: ServiceState): Promise<TopUps> {
  const { chain } = state.options;
  if (chain === undefined) {
    const message = 'This service takes no payments of wallets';
    throw new ApiError(503, { error: 'X402_NOT_CONFIGURED', message });
  }
  const [{ createFacilitator }, { TopUps }] = await Promise.all([
    import('../x402/facilitator.ts'),
    import('../x402/top-ups.ts'),
  ]);
  return new TopUps(state, chain.facts, createFacilitator(chain.facts));
}

function createLazyGetter<T>(create: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= create());
}

/**
 * Returns the wallet in the path, in lowercase. Requires that this wallet is signed in.
 * @throws ApiError if the address is invalid, or if the request is not signed by this wallet
 */
async function requireOwner(state: ServiceState, request: FastifyRequest): Promise<string> {
  const { wallet } = request.params as { wallet: string };
  if (!/^0x[0-9a-fA-F]{40}$/.test(wallet)) {
    throw createInvalidRequestError([
      { code: 'custom', path: ['wallet'], message: 'Invalid wallet address' },
    ]);
  }
  const header = readSignInHeader(request);
  if (header === undefined) throw createWalletRequiredError(state, request);
  const signer = await verifySignedInWallet(state, request, header).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(401, 'Invalid Sign-in-with-x signature');
  });
  if (signer.toLowerCase() !== wallet.toLowerCase()) {
    throw new ApiError(403, 'You can only access balance for your own wallet');
  }
  return wallet.toLowerCase();
}

function countRequest(
  state: ServiceState,
  tier: 'topUp' | 'walletBalance' | 'walletHistory',
  callerId: string,
): void {
  state.limits.countRequest({
    keyId: callerId,
    model: `x402 ${tier}`,
    tier,
    now: state.clock.now(),
  });
}
