import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createApi } from './api.ts';
import { Catalogue } from './catalogue/catalogue.ts';
import { createControl } from './control/control-server.ts';
import { World, type WorldOptions } from './world.ts';

export type LocalServiceOptions = Partial<Omit<WorldOptions, 'catalogue'>> & {
  /** Of the API; any free one when 0 or absent. */
  readonly port?: number;
};

/** A running service. Its data lives in memory only. */
export interface LocalService extends AsyncDisposable {
  /** Ends in `/api/v1`. */
  readonly baseUrl: string;
  readonly controlUrl: string;
  /** An INFERENCE key of a funded account. */
  readonly apiKey: string;
  /** An ADMIN key of the same account. */
  readonly adminKey: string;
  /** Closes both servers and every connection. */
  stop(): Promise<void>;
}

/** Starts the service and its control plane on the loopback interface. */
export async function startLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  const { port = 0, ...given } = options;
  const catalogue = await catalogueFor(options.upstream);
  const defaults = {
    vendorWord: 'service',
    seed: 1,
    pace: 'natural',
    missingKey: 402,
    completions: false,
  } as const;
  const world = new World({ ...defaults, ...given, catalogue });
  const api = createApi(world);
  const control = createControl(world);
  const stop = async (): Promise<void> => {
    await Promise.all([api.close(), control.close()]);
  };
  return {
    baseUrl: `${await listen(api, port)}/api/v1`,
    controlUrl: await listen(control, 0),
    apiKey: world.apiKey,
    adminKey: world.adminKey,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function catalogueFor(upstream: string | undefined): Promise<Catalogue> {
  if (upstream === undefined) return new Catalogue();
  const { upstreamModels } = await import('./chat/upstream.ts');
  return new Catalogue(await upstreamModels(upstream));
}

async function listen(app: FastifyInstance, port: number): Promise<string> {
  await app.listen({ host: '127.0.0.1', port });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}
