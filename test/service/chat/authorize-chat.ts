import type { FastifyReply } from 'fastify';
import { requireModelAccess } from '../keys/model-access.ts';
import { createModelHeaders } from '../model-headers.ts';
import type { ApiKey } from '../money/api-key.ts';
import type { ServiceState } from '../service-state.ts';
import type { ChatCall } from './call.ts';
import { validateChatCall } from './validate-chat-call.ts';

interface ChatCaller {
  readonly call: ChatCall;
  readonly key: ApiKey;
  readonly reply: FastifyReply;
}

/**
 * Checks that a chat request is valid, and that its caller may use the model, has sufficient funds and exceeds no rate
 * limit. Adds the rate limit headers to the reply.
 * @throws ApiError if a check fails
 */
export function authorizeChat(state: ServiceState, { call, key, reply }: ChatCaller): void {
  validateChatCall(call);
  requireModelAccess(key, call.model.record);
  state.accounts.requireFunds(key);
  const { record, tier } = call.model;
  const now = state.clock.now();
  reply.headers(state.limits.countRequest({ keyId: key.id, model: record.id, tier, now }));
  reply.headers(createModelHeaders(state.naming, record));
}
