import type { FastifyRequest } from 'fastify';
import { isRecord, type JsonRecord } from '../../../src/base/json.ts';
import type { Chunk, Delta } from '../chat/chunks.ts';
import type { RawBytes } from '../chat/reply.ts';
import { Problem } from '../problem.ts';
import type { World } from '../world.ts';
import { Sealer } from './enclave.ts';

/** A chat as it reaches the model. */
export interface OpenedChat {
  readonly body: unknown;
  /** Of an encrypted one: encrypts the pieces of the answer. */
  readonly sealer?: Sealer;
}

/**
 * Takes a chat whose headers name a client's key for encrypted, and opens it; any other one stays as it is.
 * @throws Problem 400 when it cannot be one
 */
export function openChat(world: World, request: FastifyRequest): OpenedChat {
  const { words, enclave, catalogue } = world;
  const { body } = request;
  const header = (name: string): string => String(request.headers[words.header(name)] ?? '');
  const client = header('tee-client-pub-key');
  if (client === '' || !isRecord(body)) return { body };
  if (!/^04[0-9a-f]{128}$/iu.test(client)) throw new Problem(400, 'The client key is no key');
  if (header('tee-model-pub-key').toLowerCase() !== enclave.publicKey) {
    throw new Problem(400, 'The model key is not that of the enclave');
  }
  if (header('tee-signing-algo') !== 'ecdsa') throw new Problem(400, 'Only ecdsa is offered');
  const { capabilities } = catalogue.findText(String(body['model']));
  if (!capabilities.supportsE2EE) throw new Problem(400, 'This model offers no encryption');
  refuseReading(words.toNeutral(body));
  return { body: enclave.open(body), sealer: new Sealer(Buffer.from(client, 'hex'), enclave.lies) };
}

/** What the service could only do if it read the messages. */
function refuseReading(body: JsonRecord): void {
  const parameters = isRecord(body['service_parameters']) ? body['service_parameters'] : {};
  const { enable_e2ee: isOn = true, enable_web_search: search = 'off' } = parameters;
  const isRead =
    isOn !== true || search !== 'off' || 'tools' in body || 'character_slug' in parameters;
  if (isRead) throw new Problem(400, 'Encrypted chats take no tools, searches and characters');
  if (body['stream'] !== true) throw new Problem(400, 'Encrypted chats are streamed');
}

/** The chunks with all that they say of the answer encrypted. */
export async function* sealed(
  chunks: AsyncIterable<Chunk | RawBytes>,
  sealer: Sealer,
): AsyncGenerator<Chunk | RawBytes> {
  for await (const chunk of chunks) yield 'raw' in chunk ? chunk : sealedChunk(chunk, sealer);
}

const sealedChunk = (chunk: Chunk, sealer: Sealer): Chunk => ({
  ...chunk,
  choices: chunk.choices.map((choice) => ({ ...choice, delta: sealedDelta(choice.delta, sealer) })),
});

function sealedDelta(delta: Delta, sealer: Sealer): Delta {
  const { content, reasoning_content: reasoning } = delta;
  return {
    ...delta,
    ...(content ? { content: sealer.seal(content) } : {}),
    ...(reasoning ? { reasoning_content: sealer.seal(reasoning) } : {}),
  };
}
