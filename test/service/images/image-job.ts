import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ModelRecord } from '../catalog/model.ts';
import { pauseFor } from '../chat/pace.ts';
import { requireModelAccess } from '../keys/model-access.ts';
import { createModelHeaders } from '../model-headers.ts';
import type { Micro } from '../money/amounts.ts';
import type { ApiKey } from '../money/api-key.ts';
import { ApiError } from '../api-error.ts';
import type { ServiceState } from '../service-state.ts';
import { createModerationHeaders, type ModerationVerdict } from './moderation.ts';

/** Image operation that was requested, and the API key that pays for it. */
export interface ImageJob {
  readonly key: ApiKey;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly model: ImageWorker;
  /** Price of the job. The balance must cover it before the job starts. It is charged after the job. */
  readonly cost: Micro;
}

/** Model that generates or edits images. */
export interface ImageWorker {
  readonly record: ModelRecord;
  readonly isProOnly: boolean;
  readonly workMs: number;
}

/**
 * Checks model access, funds and rate limits before the job starts.
 * @throws ApiError 402 without sufficient funds, 403 without access to the model, 429 if a rate limit is exceeded
 */
export function authorizeJob(state: ServiceState, { key, reply, model, cost }: ImageJob): void {
  const { record } = model;
  requireModelAccess(key, record);
  state.accounts.requireFunds(key, cost);
  const now = state.clock.now();
  const rateLimitHeaders = state.limits.countRequest({
    keyId: key.id,
    model: record.id,
    tier: 'image',
    now,
  });
  const requestHeaders = Object.entries(rateLimitHeaders).filter(([name]) =>
    name.endsWith('-requests'),
  );
  reply.headers(Object.fromEntries(requestHeaders));
  reply.headers(createModelHeaders(state.naming, record));
}

/**
 * Waits for the time that the model needs at the configured pace.
 * @throws ApiError 499 if the client disconnects during the wait
 */
export async function simulateWork(
  state: ServiceState,
  { request, model }: ImageJob,
): Promise<void> {
  const { pace } = state;
  const workDurations = { natural: model.workMs, instant: 0 };
  await pauseFor(
    typeof pace === 'string' ? workDurations[pace] : pace.firstTokenMs,
    request.closeSignal,
  );
  if (request.closeSignal.aborted) throw new ApiError(499, 'The client closed the request');
}

/** Returns the header with the enhanced prompt. The prompt is URL-encoded, because headers can contain only ASCII. */
export function createEnhancedPromptHeader(
  { naming }: ServiceState,
  prompt: string,
): Record<string, string> {
  const enhancedPrompt = `${prompt}, in soft light, with fine detail`;
  return { [naming.getHeaderName('enhanced-prompt')]: encodeURIComponent(enhancedPrompt) };
}

/**
 * Completes a job. Adds the moderation headers, and charges the price unless the prompt violates the content rules.
 * Call this function only once per job.
 */
export function completeJob(
  state: ServiceState,
  { key, reply, model, cost }: ImageJob,
  { verdict, isSafeMode }: { verdict: ModerationVerdict; isSafeMode: boolean },
): void {
  if (!verdict.isViolation) state.accounts.chargeAccount(key, cost, model.record.id);
  reply.headers(createModerationHeaders(state.naming, verdict, isSafeMode));
}
