import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireApiKey } from '../auth.ts';
import type { ApiKey } from '../money/api-key.ts';
import { ApiError } from '../api-error.ts';
import type { ServiceState } from '../service-state.ts';
import { readPaymentHeader } from './payment.ts';
import { createLowBalanceError, minBalanceUsd } from './balance-errors.ts';
import { readSignInHeader, createSignInError } from './sign-in-header.ts';

/**
 * Authenticates the caller on routes that accept API keys and wallets. If a request contains both, the wallet is the
 * caller.
 * @throws ApiError 400 if the request contains a payment, 401 for invalid credentials, 402 for a low balance, 401 or
 * 402 for missing credentials, 429 if the caller is blocked or has too many running requests
 */
export async function authenticateCaller(
  state: ServiceState,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ApiKey> {
  if (readPaymentHeader(request) !== undefined) {
    const error = 'Payments are only taken by POST /x402/top-up';
    throw new ApiError(400, { error, code: 'PAYMENT_HEADER_NOT_ACCEPTED' });
  }
  const header = readSignInHeader(request);
  if (header === undefined) return requireApiKey(state, request, reply);
  const address = await verifySignedInWallet(state, request, header);
  state.wallets.countRequest(address, request.closeSignal);
  const balance = state.wallets.getBalance(address) / 1e6;
  if (balance < minBalanceUsd) throw createLowBalanceError(state, request, balance);
  request.wallet = address;
  return state.wallets.getCallerKey(address, state.clock.now());
}

/**
 * Returns the wallet that signed the sign-in header of the request.
 * @throws ApiError 401 if the sign-in is invalid
 */
export async function verifySignedInWallet(
  state: ServiceState,
  request: FastifyRequest,
  header: string,
): Promise<string> {
  const { chain } = state.options;
  if (chain === undefined) throw createSignInError('UNSUPPORTED_CHAIN', 'There is no chain here');
  const { verifySignIn } = await import('./sign-in.ts');
  return verifySignIn(state, chain.facts, { request, header });
}
