import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireKey } from '../auth.ts';
import type { ApiKey } from '../money/api-key.ts';
import { Problem } from '../problem.ts';
import type { World } from '../world.ts';
import { paymentHeader } from './payment.ts';
import { lowBalance, minimumBalance } from './refusals.ts';
import { signInHeader, signInProblem } from './sign-in-header.ts';

/**
 * Who calls a route that takes keys and wallets; the wallet when there are both.
 * @throws Problem 400, 401, 402, 429
 */
export async function requireCaller(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ApiKey> {
  if (paymentHeader(request) !== undefined) {
    const error = 'Payments are only taken by POST /x402/top-up';
    throw new Problem(400, { error, code: 'PAYMENT_HEADER_NOT_ACCEPTED' });
  }
  const header = signInHeader(request);
  if (header === undefined) return requireKey(world, request, reply);
  const address = await signedInWallet(world, request, header);
  world.wallets.enter(address, request.closed);
  const balance = world.wallets.balance(address) / 1e6;
  if (balance < minimumBalance) throw lowBalance(world, request, balance);
  request.wallet = address;
  return world.wallets.caller(address, world.clock.now());
}

/** Who signed this request. @throws Problem 401 */
export async function signedInWallet(
  world: World,
  request: FastifyRequest,
  header: string,
): Promise<string> {
  const { chain } = world.options;
  if (chain === undefined) throw signInProblem('UNSUPPORTED_CHAIN', 'There is no chain here');
  const { verifySignIn } = await import('./sign-in.ts');
  return verifySignIn(world, chain.facts, { request, header });
}
