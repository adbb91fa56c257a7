import type { FastifyRequest } from 'fastify';
import { discovery, signInChallenge } from '../discovery.ts';
import { Problem } from '../problem.ts';
import type { World } from '../world.ts';
import { imaginaryChain, minimumTopUp, suggestedTopUp } from './requirements.ts';

/** In dollars. */
export const minimumBalance = 0.1;

/** 402 for a wallet that signed in but has too little to call anything (service facts §6.4). */
export function lowBalance(world: World, request: FastifyRequest, balanceUsd: number): Problem {
  const { usdc, payTo } = world.options.chain?.facts ?? imaginaryChain;
  return new Problem(402, {
    error: 'Payment required',
    code: 'PAYMENT_REQUIRED',
    reason: 'insufficient_balance',
    message: `The balance of this wallet is below $${minimumBalance}`,
    currentBalanceUsd: balanceUsd,
    minimumBalanceUsd: minimumBalance,
    description: 'Top up the balance of this wallet to go on',
    suggestedTopUpUsd: suggestedTopUp,
    minimumTopUpUsd: minimumTopUp,
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
      minimumAmountUsd: minimumTopUp,
    },
    siwxChallenge: signInChallenge(world, request),
  });
}

/** 402 where only a wallet can sign in: there is nothing to pay for. */
export function walletRequired(world: World, request: FastifyRequest): Problem {
  return discovery(world, request, { isPaid: false });
}
