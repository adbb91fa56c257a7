import type { FastifyRequest } from 'fastify';
import {
  createAuthenticationRequiredError,
  createSignInChallenge,
} from '../authentication-required.ts';
import { ApiError } from '../api-error.ts';
import type { ServiceState } from '../service-state.ts';
import { placeholderChain, minTopUpUsd, suggestedTopUp } from './requirements.ts';

/** Minimum balance in dollars with which a wallet can pay for a request. */
export const minBalanceUsd = 0.1;

/** Creates the 402 error for a signed-in wallet whose balance is too low. */
export function createLowBalanceError(
  state: ServiceState,
  request: FastifyRequest,
  balanceUsd: number,
): ApiError {
  const { usdc, payTo } = state.options.chain?.facts ?? placeholderChain;
  return new ApiError(402, {
    error: 'Payment required',
    code: 'PAYMENT_REQUIRED',
    reason: 'insufficient_balance',
    message: `The balance of this wallet is below $${minBalanceUsd}`,
    currentBalanceUsd: balanceUsd,
    minimumBalanceUsd: minBalanceUsd,
    description: 'Top up the balance of this wallet to go on',
    suggestedTopUpUsd: suggestedTopUp,
    minimumTopUpUsd: minTopUpUsd,
    supportedTokens: ['USDC'],
    supportedChains: ['local'],
    topUpInstructions: {
      step1: 'POST /x402/top-up to learn what a payment has to be',
      step2: 'Sign it with this wallet',
      step3: 'POST /x402/top-up again with the payment in the header PAYMENT-SIGNATURE',
      receiverWallet: payTo,
      tokenAddress: usdc,
      tokenDecimals: 6,
      network: 'local',
      minimumAmountUsd: minTopUpUsd,
    },
    siwxChallenge: createSignInChallenge(state, request),
  });
}

/**
 * Creates the 402 error for routes that require a wallet sign-in. The body contains no payment
 * requirements.
 */
export function createWalletRequiredError(state: ServiceState, request: FastifyRequest): ApiError {
  return createAuthenticationRequiredError(state, request, { isPaid: false });
}
