import type { FastifyInstance } from 'fastify';
import { authorizeChat } from '../chat/authorize-chat.ts';
import { parseCompletionCall } from '../chat/completion-call.ts';
import { toEventStream } from '../chat/event-stream.ts';
import { streamReply, planReply } from '../chat/reply.ts';
import { collectChunks, sendEvents } from '../chat/send-events.ts';
import { joinTextChunks, toTextChunks } from '../chat/text-chunks.ts';
import { createTokenRecorder } from '../control/record-hooks.ts';
import { ApiError } from '../api-error.ts';
import type { ServiceState } from '../service-state.ts';
import { authenticateCaller } from '../x402/authenticate-caller.ts';

/** Adds `POST /completions`. Disabled by default, because the specification does not contain this route. */
export function addCompletionRoutes(app: FastifyInstance, state: ServiceState): void {
  const { naming, catalog } = state;
  app.post('/completions', async (request, reply) => {
    if (!state.hasCompletionsRoute) throw new ApiError(404, 'Not found');
    const key = await authenticateCaller(state, request, reply);
    const { seed } = state.options;
    const call = parseCompletionCall(request.body, {
      naming,
      catalog,
      seed,
      misbehavior: state.codeModelMisbehavior,
    });
    authorizeChat(state, { call, key, reply });
    const plan = await planReply(state, call, request.closeSignal);
    const { stream, stream_options } = call.body;
    const chunks = toTextChunks(
      streamReply(state, { call, plan, key, onTokens: createTokenRecorder(request) }),
      stream !== true || stream_options?.include_usage === true,
    );
    if (stream !== true)
      return naming.convertFromNeutral(joinTextChunks(await collectChunks(chunks)));
    return sendEvents(toEventStream(chunks, naming, false), { request, reply });
  });
}
