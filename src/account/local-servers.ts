import { isRecord } from '../base/json.ts';
import type { LocalServer } from './protocol.ts';

interface KnownServer extends LocalServer {
  /** URL of a request whose reply identifies the kind of server. */
  readonly probeUrl: string;
  readonly isIdentifyingReply: (reply: unknown) => boolean;
}

/**
 * Kinds of model servers that can run on this machine, with their default ports and identifying replies, as documented
 * by each server.
 */
const knownServers: readonly KnownServer[] = [
  {
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    probeUrl: 'http://127.0.0.1:11434/api/tags',
    isIdentifyingReply: (reply) =>
      hasRecords(reply, 'models', ({ name, digest }) => areStrings(name, digest)),
  },
  {
    name: 'llama.cpp',
    baseUrl: 'http://127.0.0.1:8080/v1',
    probeUrl: 'http://127.0.0.1:8080/v1/models',
    isIdentifyingReply: (reply) =>
      hasRecords(
        reply,
        'data',
        ({ id, owned_by: owner }) => areStrings(id) && owner === 'llamacpp',
      ),
  },
  {
    name: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    probeUrl: 'http://127.0.0.1:1234/api/v0/models',
    isIdentifyingReply: (reply) =>
      hasRecords(reply, 'data', ({ id, type, state }) => areStrings(id, type, state)),
  },
];

/**
 * Returns the model servers that answer on this machine. Sends one request to each default port.
 * @param get Returns the JSON reply of a GET request; rejects after a timeout.
 */
export async function findLocalServers(
  get: (url: URL) => Promise<unknown>,
): Promise<readonly LocalServer[]> {
  const foundServers = await Promise.all(
    knownServers.map(async ({ name, baseUrl, probeUrl, isIdentifyingReply }) => {
      const reply = await get(new URL(probeUrl)).catch(() => undefined);
      return isIdentifyingReply(reply) ? [{ name, baseUrl }] : [];
    }),
  );
  return foundServers.flat();
}

/**
 * Checks whether a field of the reply is a list of at least one record, and whether `isMatch` accepts all its records.
 */
function hasRecords(
  reply: unknown,
  field: string,
  isMatch: (record: Readonly<Record<string, unknown>>) => boolean,
): boolean {
  const list = isRecord(reply) ? reply[field] : undefined;
  return (
    Array.isArray(list) &&
    list.length > 0 &&
    list.every((entry) => isRecord(entry) && isMatch(entry))
  );
}

const areStrings = (...values: readonly unknown[]): boolean =>
  values.every((value) => typeof value === 'string');
