import type { FastifyInstance } from 'fastify';
import { admit } from '../chat/admission.ts';
import { readCompletion } from '../chat/completion-call.ts';
import { eventStream } from '../chat/event-stream.ts';
import { chunksOf, planReply } from '../chat/reply.ts';
import { gathered, sendEvents } from '../chat/sending.ts';
import { joinTextChunks, textChunks } from '../chat/text-chunks.ts';
import { countTokens } from '../control/record-hooks.ts';
import { Problem } from '../problem.ts';
import type { World } from '../world.ts';
import { requireCaller } from '../x402/caller.ts';

/** `POST /completions`, where it is switched on: servers of code models have it, the specification does not. */
export function completionRoutes(app: FastifyInstance, world: World): void {
  const { words, catalogue } = world;
  app.post('/completions', async (request, reply) => {
    if (!world.hasCompletions) throw new Problem(404, 'Not found');
    const key = await requireCaller(world, request, reply);
    const { seed } = world.options;
    const call = readCompletion(request.body, { words, catalogue, seed, habits: world.habits });
    admit(world, { call, key, reply });
    const plan = await planReply(world, call, request.closed);
    const { stream, stream_options: asked } = call.body;
    const chunks = textChunks(
      chunksOf(world, { call, plan, key, onTokens: countTokens(request) }),
      stream !== true || asked?.include_usage === true,
    );
    if (stream !== true) return words.fromNeutral(joinTextChunks(await gathered(chunks)));
    return sendEvents(eventStream(chunks, words, false), { request, reply });
  });
}
