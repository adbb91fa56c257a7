import type { FastifyReply } from 'fastify';
import { requirePrivacy } from '../keys/model-privacy.ts';
import { modelHeaders } from '../model-headers.ts';
import type { ApiKey } from '../money/api-key.ts';
import type { World } from '../world.ts';
import type { ChatCall } from './call.ts';
import { checkCall } from './gates.ts';

interface Caller {
  readonly call: ChatCall;
  readonly key: ApiKey;
  readonly reply: FastifyReply;
}

/** Takes a call on, and says in the headers what of the limits is left. @throws Problem when it cannot be answered. */
export function admit(world: World, { call, key, reply }: Caller): void {
  checkCall(call);
  requirePrivacy(key, call.model.record);
  world.accounts.requireFunds(key);
  const { record, tier } = call.model;
  const now = world.clock.now();
  reply.headers(world.limits.take({ keyId: key.id, model: record.id, tier, now }));
  reply.headers(modelHeaders(world.words, record));
}
