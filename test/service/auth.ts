import type { FastifyReply, FastifyRequest } from 'fastify';
import { createAuthenticationRequiredError } from './authentication-required.ts';
import type { ApiKey } from './money/api-key.ts';
import { ApiError } from './api-error.ts';
import type { ServiceState } from './service-state.ts';
import { readSignInHeader } from './x402/sign-in-header.ts';

/**
 * Returns the caller's API key, for routes that do not accept wallets. Adds the balance headers to the reply.
 * @throws ApiError 401 or 402 if the key is missing, 401 if it is invalid, 429 if the caller is blocked
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
 * Returns the caller's API key like {@link requireApiKey}, for routes about keys and billing.
 * @throws ApiError 401 for a key of type INFERENCE
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

/**
 * Returns the caller's API key like {@link requireApiKey}, for routes on which the key is optional. Returns undefined
 * without a key.
 */
export function readOptionalKey(
  state: ServiceState,
  request: FastifyRequest,
  reply: FastifyReply,
): ApiKey | undefined {
  const secret = readBearerToken(request);
  if (secret === undefined) return undefined;
  state.failures.requireNotBlocked(secret, state.clock.now());
  const key = state.accounts.authenticate(secret);
  const { usd, diem } = state.accounts.getBalances(key.accountId);
  if (usd > 0) reply.header(state.naming.getHeaderName('balance-usd'), String(usd / 1e6));
  if (diem > 0) reply.header(state.naming.getHeaderName('balance-diem'), String(diem / 1e6));
  return key;
}

/**
 * Returns the secret in the `Authorization` header, or undefined without this header. If the value does not have the
 * format `Bearer <secret>`, returns the whole value, so that the service rejects it like an unknown key.
 */
export function readBearerToken({ headers }: FastifyRequest): string | undefined {
  const header = headers.authorization?.trim() ?? '';
  return header === '' ? undefined : (/^Bearer\s+(\S+)$/i.exec(header)?.[1] ?? header);
}
