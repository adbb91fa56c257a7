import type { FastifyInstance } from 'fastify';
import { admit } from '../chat/admission.ts';
import { withFilesAsText } from '../chat/file-parts.ts';
import { chunksOf, planReply } from '../chat/reply.ts';
import { gathered, sendEvents } from '../chat/sending.ts';
import { countTokens } from '../control/record-hooks.ts';
import { readResponsesCall } from '../responses/call.ts';
import { responseEvents } from '../responses/event-stream.ts';
import { inOrder } from '../responses/items.ts';
import { ResponseWriter } from '../responses/response-writer.ts';
import type { World } from '../world.ts';
import { requireCaller } from '../x402/caller.ts';

/** `POST /responses`: a chat in another form. Nothing is kept between requests. */
export function responseRoutes(app: FastifyInstance, world: World): void {
  app.post('/responses', async (request, reply) => {
    const key = await requireCaller(world, request, reply);
    const { words, catalogue, habits, web, options } = world;
    const { seed } = options;
    const asked = readResponsesCall(request.body, { words, catalogue, seed, habits, web });
    const call = await withFilesAsText(asked);
    admit(world, { call, key, reply });
    const plan = await planReply(world, call, request.closed);
    const writer = new ResponseWriter(call.model.record.id, world.clock.now(), plan.found);
    const chunks = chunksOf(world, { call, plan, key, onTokens: countTokens(request) });
    if (call.body.stream === true) {
      return sendEvents(responseEvents(chunks, writer), { request, reply });
    }
    for (const chunk of await gathered(chunks)) writer.add(chunk);
    writer.end();
    const response = writer.response();
    return { ...response, output: inOrder(response.output) };
  });
}
