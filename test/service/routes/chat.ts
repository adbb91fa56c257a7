import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { admit } from '../chat/admission.ts';
import { type ChatCall, readCall } from '../chat/call.ts';
import { joinChunks } from '../chat/chunks.ts';
import { eventStream } from '../chat/event-stream.ts';
import { withFilesAsText } from '../chat/file-parts.ts';
import { chunksOf, planReply } from '../chat/reply.ts';
import { gathered, sendEvents } from '../chat/sending.ts';
import { forward } from '../chat/upstream.ts';
import { countTokens } from '../control/record-hooks.ts';
import type { ApiKey } from '../money/api-key.ts';
import { openChat, sealed } from '../tee/encrypted-chat.ts';
import type { Sealer } from '../tee/enclave.ts';
import type { World } from '../world.ts';
import { requireCaller } from '../x402/caller.ts';

/** `POST /chat/completions`. */
export function chatRoutes(app: FastifyInstance, world: World): void {
  app.post('/chat/completions', async (request, reply) => {
    const key = await requireCaller(world, request, reply);
    const { body, sealer } = openChat(world, request);
    const asked = readCall(body, {
      words: world.words,
      catalogue: world.catalogue,
      seed: world.options.seed,
      habits: world.habits,
      web: world.web,
    });
    const call = await withFilesAsText(asked);
    admit(world, { call, key, reply });
    const { upstream } = world.options;
    if (upstream !== undefined) return forward(world, { call, key, request, reply, upstream });
    return respond(world, { call, key, request, reply, ...(sealer && { sealer }) });
  });
}

interface Exchange {
  readonly call: ChatCall;
  readonly key: ApiKey;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Of an encrypted chat. */
  readonly sealer?: Sealer;
}

async function respond(
  world: World,
  { call, key, request, reply, sealer }: Exchange,
): Promise<unknown> {
  const plan = await planReply(world, call, request.closed);
  const plain = chunksOf(world, { call, plan, key, onTokens: countTokens(request) });
  const chunks = sealer === undefined ? plain : sealed(plain, sealer);
  if (call.body.stream !== true) return world.words.fromNeutral(joinChunks(await gathered(chunks)));
  const shown = call.settings.include_search_results_in_stream;
  return sendEvents(eventStream(chunks, world.words, shown), { request, reply });
}
