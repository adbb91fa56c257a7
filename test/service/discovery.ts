import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Json } from '../../src/base/json.ts';
import { networkOf } from '../../src/wallet/chain.ts';
import { Problem } from './problem.ts';
import type { World } from './world.ts';
import { headerOf, imaginaryChain, requirementsFor, suggestedTopUp } from './x402/requirements.ts';

const lifetimeMs = 300_000;

/** 402 for a request without credentials: how a caller could pay or sign in. */
export function discovery(world: World, request: FastifyRequest, { isPaid = true } = {}): Problem {
  const amount = BigInt(suggestedTopUp) * 1_000_000n;
  const accepts = isPaid ? [requirementsFor(chainOf(world), amount)] : [];
  const body = {
    x402Version: 2,
    error: 'Authentication required',
    resource: {
      url: urlOf(request),
      description: 'Inference API',
      mimeType: 'application/json',
    },
    accepts: accepts as unknown as Json,
    extensions: { 'sign-in-with-x': signInChallenge(world, request) },
  };
  const authOptions = {
    apiKey: { header: 'Authorization: Bearer <API_KEY>' },
    x402Wallet: {
      header: 'SIGN-IN-WITH-X',
      legacyHeader: 'X-Sign-In-With-X',
      topUp: 'POST /api/v1/x402/top-up',
    },
  };
  return new Problem(402, { ...body, authOptions }, { 'payment-required': headerOf(body) });
}

/** What a wallet could sign to be let in. */
export function signInChallenge(world: World, request: FastifyRequest) {
  const now = world.clock.now();
  return {
    info: {
      domain: request.host,
      uri: urlOf(request),
      version: '1',
      nonce: randomBytes(8).toString('hex'),
      issuedAt: new Date(now).toISOString(),
      expirationTime: new Date(now + lifetimeMs).toISOString(),
      statement: 'Sign in to the inference API',
    },
    supportedChains: ['eip191', 'eip1271'].map((type) => {
      return { chainId: networkOf({ id: chainOf(world).chainId }), type };
    }),
  };
}

const chainOf = ({ options }: World) => options.chain?.facts ?? imaginaryChain;

const urlOf = ({ host, url }: FastifyRequest): string => `http://${host}${url}`;
