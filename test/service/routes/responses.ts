import type { FastifyInstance } from 'fastify';
import { authorizeChat } from '../chat/authorize-chat.ts';
import { replaceFileParts } from '../chat/replace-file-parts.ts';
import { streamReply, planReply } from '../chat/reply.ts';
import { collectChunks, sendEvents } from '../chat/send-events.ts';
import { createTokenRecorder } from '../control/record-hooks.ts';
import { parseResponsesCall } from '../responses/call.ts';
import { createResponseEvents } from '../responses/event-stream.ts';
import { sortItems } from '../responses/items.ts';
import { ResponseWriter } from '../responses/response-writer.ts';
import type { ServiceState } from '../service-state.ts';
import { authenticateCaller } from '../x402/authenticate-caller.ts';

/** Adds `POST /responses`, an alternative format for chats. The service stores no responses. */
export function addResponseRoutes(app: FastifyInstance, state: ServiceState): void {
  app.post('/responses', async (request, reply) => {
    const key = await authenticateCaller(state, request, reply);
    const { naming, catalog, codeModelMisbehavior: misbehavior, web, options } = state;
    const { seed } = options;
    const responsesCall = parseResponsesCall(request.body, {
      naming,
      catalog,
      seed,
      misbehavior,
      web,
    });
    const call = await replaceFileParts(responsesCall);
    authorizeChat(state, { call, key, reply });
    const plan = await planReply(state, call, request.closeSignal);
    const writer = new ResponseWriter(call.model.record.id, state.clock.now(), plan.searchResults);
    const chunks = streamReply(state, { call, plan, key, onTokens: createTokenRecorder(request) });
    if (call.body.stream === true) {
      return sendEvents(createResponseEvents(chunks, writer), { request, reply });
    }
    for (const chunk of await collectChunks(chunks)) writer.addChunk(chunk);
    writer.endResponse();
    const response = writer.createResponse();
    return { ...response, output: sortItems(response.output) };
  });
}
