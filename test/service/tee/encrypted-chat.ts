import type { FastifyRequest } from 'fastify';
import { isRecord, type JsonRecord } from '../../../src/base/json.ts';
import type { Chunk, Delta } from '../chat/chunks.ts';
import type { RawBytes } from '../chat/reply.ts';
import { ApiError } from '../api-error.ts';
import type { ServiceState } from '../service-state.ts';
import { AnswerEncryptor } from './enclave.ts';

/** A chat request after decryption. */
export interface DecryptedChat {
  readonly body: unknown;
  /** Encrypts the answer. Absent for a chat without encryption. */
  readonly encryptor?: AnswerEncryptor;
}

/**
 * Decrypts a chat if its headers contain the client's key. Otherwise, returns the chat unchanged.
 * @throws ApiError 400 if the headers are invalid, or the model or an option does not support encryption
 */
export function decryptChat(state: ServiceState, request: FastifyRequest): DecryptedChat {
  const { naming, enclave, catalog } = state;
  const { body } = request;
  const getHeader = (name: string): string =>
    String(request.headers[naming.getHeaderName(name)] ?? '');
  const clientPublicKey = getHeader('tee-client-pub-key');
  if (clientPublicKey === '' || !isRecord(body)) return { body };
  if (!/^04[0-9a-f]{128}$/iu.test(clientPublicKey))
    throw new ApiError(400, 'The client key is no key');
  if (getHeader('tee-model-pub-key').toLowerCase() !== enclave.publicKey) {
    throw new ApiError(400, 'The model key is not that of the enclave');
  }
  if (getHeader('tee-signing-algo') !== 'ecdsa') throw new ApiError(400, 'Only ecdsa is offered');
  const { capabilities } = catalog.findTextModel(String(body['model']));
  if (!capabilities.supportsE2EE) throw new ApiError(400, 'This model offers no encryption');
  rejectPlaintextFeatures(naming.convertToNeutral(body));
  return {
    body: enclave.decryptChat(body),
    encryptor: new AnswerEncryptor(Buffer.from(clientPublicKey, 'hex'), enclave.misbehavior),
  };
}

/** Rejects features that need unencrypted messages, such as web search. */
function rejectPlaintextFeatures(body: JsonRecord): void {
  const parameters = isRecord(body['service_parameters']) ? body['service_parameters'] : {};
  const { enable_e2ee: isEncrypted = true, enable_web_search: searchMode = 'off' } = parameters;
  const needsPlaintext =
    isEncrypted !== true ||
    searchMode !== 'off' ||
    'tools' in body ||
    'character_slug' in parameters;
  if (needsPlaintext)
    throw new ApiError(400, 'Encrypted chats take no tools, searches and characters');
  if (body['stream'] !== true) throw new ApiError(400, 'Encrypted chats are streamed');
}

/** Encrypts content and reasoning in the chunks of an answer. */
export async function* encryptChunks(
  chunks: AsyncIterable<Chunk | RawBytes>,
  encryptor: AnswerEncryptor,
): AsyncGenerator<Chunk | RawBytes> {
  for await (const chunk of chunks) yield 'raw' in chunk ? chunk : encryptChunk(chunk, encryptor);
}

const encryptChunk = (chunk: Chunk, encryptor: AnswerEncryptor): Chunk => ({
  ...chunk,
  choices: chunk.choices.map((choice) => ({
    ...choice,
    delta: encryptDelta(choice.delta, encryptor),
  })),
});

function encryptDelta(delta: Delta, encryptor: AnswerEncryptor): Delta {
  const { content, reasoning_content: reasoning } = delta;
  return {
    ...delta,
    ...(content ? { content: encryptor.encryptText(content) } : {}),
    ...(reasoning ? { reasoning_content: encryptor.encryptText(reasoning) } : {}),
  };
}
