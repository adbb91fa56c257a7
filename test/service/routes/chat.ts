import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorizeChat } from '../chat/authorize-chat.ts';
import { type ChatCall, parseChatCall } from '../chat/call.ts';
import { joinChunks } from '../chat/chunks.ts';
import { toEventStream } from '../chat/event-stream.ts';
import { replaceFileParts } from '../chat/replace-file-parts.ts';
import { streamReply, planReply } from '../chat/reply.ts';
import { collectChunks, sendEvents } from '../chat/send-events.ts';
import { forwardChat } from '../chat/upstream.ts';
import { createTokenRecorder } from '../control/record-hooks.ts';
import type { ApiKey } from '../money/api-key.ts';
import { decryptChat, encryptChunks } from '../tee/encrypted-chat.ts';
import type { AnswerEncryptor } from '../tee/enclave.ts';
import type { ServiceState } from '../service-state.ts';
import { authenticateCaller } from '../x402/authenticate-caller.ts';

/** Adds `POST /chat/completions`. */
export function addChatRoutes(app: FastifyInstance, state: ServiceState): void {
  app.post('/chat/completions', async (request, reply) => {
    const key = await authenticateCaller(state, request, reply);
    const { body, encryptor } = decryptChat(state, request);
    const requestedCall = parseChatCall(body, {
      naming: state.naming,
      catalog: state.catalog,
      seed: state.options.seed,
      misbehavior: state.codeModelMisbehavior,
      web: state.web,
    });
    const call = await replaceFileParts(requestedCall);
    authorizeChat(state, { call, key, reply });
    const { upstreamUrl } = state.options;
    if (upstreamUrl !== undefined)
      return forwardChat(state, { call, key, request, reply, upstreamUrl });
    return respondToChat(state, { call, key, request, reply, ...(encryptor && { encryptor }) });
  });
}

interface ChatExchange {
  readonly call: ChatCall;
  readonly key: ApiKey;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Encrypts the answer of an encrypted chat. Absent for other chats. */
  readonly encryptor?: AnswerEncryptor;
}

async function respondToChat(
  state: ServiceState,
  { call, key, request, reply, encryptor }: ChatExchange,
): Promise<unknown> {
  const plan = await planReply(state, call, request.closeSignal);
  const plainChunks = streamReply(state, {
    call,
    plan,
    key,
    onTokens: createTokenRecorder(request),
  });
  const chunks = encryptor === undefined ? plainChunks : encryptChunks(plainChunks, encryptor);
  if (call.body.stream !== true)
    return state.naming.convertFromNeutral(joinChunks(await collectChunks(chunks)));
  const includesSearchResults = call.settings.include_search_results_in_stream;
  return sendEvents(toEventStream(chunks, state.naming, includesSearchResults), { request, reply });
}
