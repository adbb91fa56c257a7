import type { FastifyReply, FastifyRequest } from 'fastify';
import { discovery } from './discovery.ts';
import type { ApiKey } from './money/api-key.ts';
import { Problem } from './problem.ts';
import type { World } from './world.ts';
import { signInHeader } from './x402/sign-in-header.ts';

/** The caller's key, on routes that take no wallets, with the headers that show its balances. @throws Problem 401, 402, 429. */
export function requireKey(world: World, request: FastifyRequest, reply: FastifyReply): ApiKey {
  const key = optionalKey(world, request, reply);
  if (key !== undefined) return key;
  // A wallet that signs in on a route for keys only.
  if (signInHeader(request) !== undefined) throw new Problem(401, 'Authentication failed');
  if (world.options.missingKey === 401) throw new Problem(401, 'Authentication failed');
  throw discovery(world, request);
}

/** As {@link requireKey}, for routes about keys and bills. @throws Problem 401 also for an INFERENCE key. */
export function requireAdmin(world: World, request: FastifyRequest, reply: FastifyReply): ApiKey {
  const key = requireKey(world, request, reply);
  if (key.type !== 'ADMIN') throw new Problem(401, 'Admin API key required');
  return key;
}

/** As {@link requireKey}, for routes that also work without any. */
export function optionalKey(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): ApiKey | undefined {
  const secret = secretOf(request);
  if (secret === undefined) return undefined;
  world.failures.check(secret, world.clock.now());
  const key = world.accounts.authenticate(secret);
  const { usd, diem } = world.accounts.balances(key.accountId);
  if (usd > 0) reply.header(world.words.header('balance-usd'), String(usd / 1e6));
  if (diem > 0) reply.header(world.words.header('balance-diem'), String(diem / 1e6));
  return key;
}

export function secretOf(request: FastifyRequest): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}
