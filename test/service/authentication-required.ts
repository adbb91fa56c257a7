import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Json } from '../../src/base/json.ts';
import { toCaip2Network } from '../../src/wallet/chain.ts';
import { ApiError } from './api-error.ts';
import type { ServiceState } from './service-state.ts';
import {
  toBase64Json,
  placeholderChain,
  createPaymentRequirements,
  suggestedTopUp,
} from './x402/requirements.ts';

const challengeLifetimeMs = 300_000;

/** Creates the 402 error for a request without credentials. Its body describes how the caller can pay or sign in. */
export function createAuthenticationRequiredError(
  state: ServiceState,
  request: FastifyRequest,
  { isPaid = true } = {},
): ApiError {
  const amount = BigInt(suggestedTopUp) * 1_000_000n;
  const accepts = isPaid ? [createPaymentRequirements(getChainFacts(state), amount)] : [];
  const body = {
    x402Version: 2,
    error: 'Authentication required',
    resource: {
      url: getRequestUrl(request),
      description: 'Inference API',
      mimeType: 'application/json',
    },
    accepts: accepts as unknown as Json,
    extensions: { 'sign-in-with-x': createSignInChallenge(state, request) },
  };
  const authOptions = {
    apiKey: { header: 'Authorization: Bearer <API_KEY>' },
    x402Wallet: {
      header: 'SIGN-IN-WITH-X',
      legacyHeader: 'X-Sign-In-With-X',
      topUp: 'POST /api/v1/x402/top-up',
    },
  };
  return new ApiError(402, { ...body, authOptions }, { 'payment-required': toBase64Json(body) });
}

/** Returns the fields of the message that a wallet must sign to sign in. */
export function createSignInChallenge(state: ServiceState, request: FastifyRequest) {
  const now = state.clock.now();
  return {
    info: {
      domain: request.host,
      uri: getRequestUrl(request),
      version: '1',
      nonce: randomBytes(8).toString('hex'),
      issuedAt: new Date(now).toISOString(),
      expirationTime: new Date(now + challengeLifetimeMs).toISOString(),
      statement: 'Sign in to the inference API',
    },
    supportedChains: ['eip191', 'eip1271'].map((type) => {
      return { chainId: toCaip2Network({ id: getChainFacts(state).chainId }), type };
    }),
  };
}

const getChainFacts = ({ options }: ServiceState) => options.chain?.facts ?? placeholderChain;

const getRequestUrl = ({ host, url }: FastifyRequest): string => `http://${host}${url}`;
