import { systemClock } from '../../src/base/clock.ts';
import { CircuitBreakers } from '../../src/service/http/circuit-breaker.ts';
import type { ServiceContext } from '../../src/service/http/client.ts';
import { createDirectTransport } from '../../src/service/http/direct-transport.ts';
import {
  type PlainServer,
  type PlainServerSettings,
  startPlainServer,
} from '../foreign/plain-server.mjs';

/**
 * Server that imitates an OpenAI-compatible product such as llama.cpp, with a real client for it. Disposal closes both.
 */
export interface PlainConnection extends AsyncDisposable {
  readonly server: PlainServer;
  readonly context: ServiceContext;
}

/**
 * Starts a server that imitates an OpenAI-compatible product such as llama.cpp, and creates a client that sends
 * requests over HTTP. `apiKey` is the key of the client.
 */
export async function connectToPlainServer({
  apiKey,
  ...settings
}: PlainServerSettings & { readonly apiKey?: string }): Promise<PlainConnection> {
  const server = await startPlainServer(settings);
  const transport = createDirectTransport();
  const context: ServiceContext = {
    getEndpoint: async () => ({
      baseUrl: new URL(server.baseUrl),
      vendorPrefix: 'service',
      ...(apiKey === undefined ? {} : { apiKey }),
    }),
    getTransport: async () => transport,
    clock: systemClock,
    breakers: new CircuitBreakers(systemClock),
    random: () => 0,
  };
  return {
    server,
    context,
    [Symbol.asyncDispose]: async () => {
      await transport.close();
      await server.close();
    },
  };
}

/** Returns the bodies of the recorded requests to a path that ends in `path`. */
export const listSentBodies = (
  server: PlainServer,
  path: string,
): readonly Record<string, unknown>[] =>
  server.requests
    .filter((request) => request.path.endsWith(path))
    .map(({ body }) => body as Record<string, unknown>);
