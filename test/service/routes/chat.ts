import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { admit } from '../chat/admission.ts';
import { type ChatCall, readCall } from '../chat/call.ts';
import { joinChunks } from '../chat/chunks.ts';
import { eventStream } from '../chat/event-stream.ts';
import { chunksOf, planReply } from '../chat/reply.ts';
import { gathered, sendEvents } from '../chat/sending.ts';
import { forward } from '../chat/upstream.ts';
import { countTokens } from '../control/record-hooks.ts';
import type { ApiKey } from '../money/api-key.ts';
import type { World } from '../world.ts';
import { requireCaller } from '../x402/caller.ts';

/** `POST /chat/completions`. */
export function chatRoutes(app: FastifyInstance, world: World): void {
  app.post('/chat/completions', async (request, reply) => {
    const key = await requireCaller(world, request, reply);
    const call = readCall(request.body, {
      words: world.words,
      catalogue: world.catalogue,
      seed: world.options.seed,
      habits: world.habits,
    });
    admit(world, { call, key, reply });
    const { upstream } = world.options;
    if (upstream !== undefined) return forward(world, { call, key, request, reply, upstream });
    return respond(world, { call, key, request, reply });
  });
}

interface Exchange {
  readonly call: ChatCall;
  readonly key: ApiKey;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function respond(world: World, { call, key, request, reply }: Exchange): Promise<unknown> {
  const plan = await planReply(world, call, request.closed);
  const chunks = chunksOf(world, { call, plan, key, onTokens: countTokens(request) });
  if (call.body.stream !== true) return world.words.fromNeutral(joinChunks(await gathered(chunks)));
  const shown = call.settings.include_search_results_in_stream;
  return sendEvents(eventStream(chunks, world.words, shown), { request, reply });
}
