import type { FastifyReply, FastifyRequest } from 'fastify';
import { createAuthenticationRequiredError } from './authentication-required.ts';
import type { ApiKey } from './money/api-key.ts';
import { ApiError } from './api-error.ts';
import type { ServiceState } from './service-state.ts';
import { readSignInHeader } from './x402/sign-in-header.ts';

/**
 * Returns the caller's API key on routes that do not accept wallets, and adds the balance headers.
 * @throws ApiError 401, 402, 429
 */
export function requireApiKey(
  state: ServiceState,
  request: FastifyRequest,
  reply: FastifyReply,
): ApiKey {
  const key = readOptionalKey(state, request, reply);
  if (key !== undefined) return key;
  // The route accepts API keys only, but the request contains a wallet sign-in.
  if (readSignInHeader(request) !== undefined) throw new ApiError(401, 'Authentication failed');
  if (state.options.missingKeyStatus === 401) throw new ApiError(401, 'Authentication failed');
  throw createAuthenticationRequiredError(state, request);
}

/**
 * Variant of {@link requireApiKey} for routes about keys and billing.
 * @throws ApiError 401 for an INFERENCE key
 */
export function requireAdminKey(
  state: ServiceState,
  request: FastifyRequest,
  reply: FastifyReply,
): ApiKey {
  const key = requireApiKey(state, request, reply);
  if (key.type !== 'ADMIN') throw new ApiError(401, 'Admin API key required');
  return key;
}

/** Variant of {@link requireApiKey} for routes on which the key is optional. Returns undefined without a key. */
export function readOptionalKey(
  state: ServiceState,
  request: FastifyRequest,
  reply: FastifyReply,
): ApiKey | undefined {
  const secret = readBearerToken(request);
  if (secret === undefined) return undefined;
  state.failures.check(secret, state.clock.now());
  const key = state.accounts.authenticate(secret);
  const { usd, diem } = state.accounts.getBalances(key.accountId);
  if (usd > 0) reply.header(state.naming.getHeaderName('balance-usd'), String(usd / 1e6));
  if (diem > 0) reply.header(state.naming.getHeaderName('balance-diem'), String(diem / 1e6));
  return key;
}

/**
 * Returns the secret in the header `Authorization`; undefined without this header. Returns the whole value if it has
 * another format than `Bearer <secret>`, so that a malformed key is rejected like an unknown key.
 */
export function readBearerToken({ headers }: FastifyRequest): string | undefined {
  const header = headers.authorization?.trim() ?? '';
  return header === '' ? undefined : (/^Bearer\s+(\S+)$/i.exec(header)?.[1] ?? header);
}
