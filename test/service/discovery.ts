import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

const chain = 'eip155:8453';
const lifetimeMs = 300_000;

/** 402 for a request without credentials: how a caller could pay or sign in. */
export function discovery(request: FastifyRequest, now: number): Problem {
  const url = `http://${request.host}${request.url}`;
  const body = {
    x402Version: 2,
    error: 'Authentication required',
    resource: { url, description: 'Inference API', mimeType: 'application/json' },
    accepts: [
      {
        scheme: 'exact',
        network: chain,
        amount: '10000000',
        asset: '0x1111111111111111111111111111111111111111',
        payTo: '0x2222222222222222222222222222222222222222',
        maxTimeoutSeconds: 300,
        extra: { name: 'USD Coin', version: '2' },
      },
    ],
    extensions: { 'sign-in-with-x': signIn(request, url, now) },
  };
  const authOptions = {
    apiKey: { header: 'Authorization: Bearer <API_KEY>' },
    x402Wallet: { header: 'SIGN-IN-WITH-X', legacyHeader: 'X-Sign-In-With-X' },
  };
  const encoded = Buffer.from(JSON.stringify(body)).toString('base64');
  return new Problem(402, { ...body, authOptions }, { 'payment-required': encoded });
}

function signIn(request: FastifyRequest, uri: string, now: number) {
  return {
    info: {
      domain: request.host,
      uri,
      version: '1',
      nonce: randomBytes(8).toString('hex'),
      issuedAt: new Date(now).toISOString(),
      expirationTime: new Date(now + lifetimeMs).toISOString(),
      statement: 'Sign in to the inference API',
    },
    supportedChains: [{ chainId: chain, type: 'eip191' }],
  };
}
