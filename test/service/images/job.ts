import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ModelRecord } from '../catalogue/model.ts';
import { pause } from '../chat/pace.ts';
import { requirePrivacy } from '../keys/model-privacy.ts';
import { modelHeaders } from '../model-headers.ts';
import type { Micro } from '../money/amounts.ts';
import type { ApiKey } from '../money/api-key.ts';
import { Problem } from '../problem.ts';
import type { World } from '../world.ts';
import { moderationHeaders, type Verdict } from './moderation.ts';

/** Work on images that somebody asked for and is to pay. */
export interface Job {
  readonly key: ApiKey;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly model: Worker;
  /** Only checked against the balance now; taken when the work is done. */
  readonly cost: Micro;
}

/** What does the work. */
export interface Worker {
  readonly record: ModelRecord;
  readonly proOnly: boolean;
  readonly workMs: number;
}

/** The last look before the work, at privacy, money and rate. @throws Problem 402, 403, 429. */
export function admit(world: World, { key, reply, model, cost }: Job): void {
  const { record } = model;
  requirePrivacy(key, record);
  world.accounts.requireFunds(key, cost);
  const now = world.clock.now();
  const taken = world.limits.take({ keyId: key.id, model: record.id, tier: 'image', now });
  const requests = Object.entries(taken).filter(([name]) => name.endsWith('-requests'));
  reply.headers(Object.fromEntries(requests));
  reply.headers(modelHeaders(world.words, record));
}

/** Takes as long as the model does at the world's pace. @throws Problem 499 when the caller left meanwhile. */
export async function takeTime(world: World, { request, model }: Job): Promise<void> {
  const { pace } = world;
  const ms = { natural: model.workMs, instant: 0 };
  await pause(typeof pace === 'string' ? ms[pace] : pace.firstTokenMs, request.closed);
  if (request.closed.aborted) throw new Problem(499, 'The client closed the request');
}

/** The prompt that was made of another, for its header: letters of all languages are URL-encoded. */
export function enhancedHeader({ words }: World, prompt: string): Record<string, string> {
  const enhanced = `${prompt}, in soft light, with fine detail`;
  return { [words.header('enhanced-prompt')]: encodeURIComponent(enhanced) };
}

/** To be called once when the work is done: takes the money unless it came to nothing, and says what was found. */
export function settle(
  world: World,
  { key, reply, model, cost }: Job,
  { verdict, safeMode }: { verdict: Verdict; safeMode: boolean },
): void {
  if (!verdict.violation) world.accounts.charge(key, cost, model.record.id);
  reply.headers(moderationHeaders(world.words, verdict, safeMode));
}
