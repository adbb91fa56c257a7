import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorizeChat } from '../chat/admission.ts';
import { type ChatCall, parseChatCall } from '../chat/call.ts';
import { joinChunks } from '../chat/chunks.ts';
import { toEventStream } from '../chat/event-stream.ts';
import { replaceFileParts } from '../chat/file-parts.ts';
import { streamReply, planReply } from '../chat/reply.ts';
import { collectChunks, sendEvents } from '../chat/sending.ts';
import { forwardChat } from '../chat/upstream.ts';
import { tokenRecorder } from '../control/record-hooks.ts';
import type { ApiKey } from '../money/api-key.ts';
import { decryptChat, encryptChunks } from '../tee/encrypted-chat.ts';
import type { AnswerEncryptor } from '../tee/enclave.ts';
import type { ServiceState } from '../service-state.ts';
import { authenticateCaller } from '../x402/caller.ts';

/** `POST /chat/completions`. */
export function chatRoutes(app: FastifyInstance, state: ServiceState): void {
  app.post('/chat/completions', async (request, reply) => {
    const key = await authenticateCaller(state, request, reply);
    const { body, sealer } = decryptChat(state, request);
    const asked = parseChatCall(body, {
      naming: state.naming,
      catalogue: state.catalogue,
      seed: state.options.seed,
      misbehavior: state.codeModelMisbehavior,
      web: state.web,
    });
    const call = await replaceFileParts(asked);
    authorizeChat(state, { call, key, reply });
    const { upstream } = state.options;
    if (upstream !== undefined) return forwardChat(state, { call, key, request, reply, upstream });
    return respond(state, { call, key, request, reply, ...(sealer && { sealer }) });
  });
}

interface Exchange {
  readonly call: ChatCall;
  readonly key: ApiKey;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Of an encrypted chat. */
  readonly sealer?: AnswerEncryptor;
}

async function respond(
  state: ServiceState,
  { call, key, request, reply, sealer }: Exchange,
): Promise<unknown> {
  const plan = await planReply(state, call, request.closed);
  const plain = streamReply(state, { call, plan, key, onTokens: tokenRecorder(request) });
  const chunks = sealer === undefined ? plain : encryptChunks(plain, sealer);
  if (call.body.stream !== true)
    return state.naming.fromNeutral(joinChunks(await collectChunks(chunks)));
  const shown = call.settings.include_search_results_in_stream;
  return sendEvents(toEventStream(chunks, state.naming, shown), { request, reply });
}
