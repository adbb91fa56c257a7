import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createApi } from './api.ts';
import type { ChainFacts } from './chain/chain-facts.ts';
import type { RunningChain } from './chain/start-chain.ts';
import { ModelCatalog } from './catalog/model-catalog.ts';
import { createControl } from './control/control-server.ts';
import { ServiceState, type ServiceStateOptions } from './service-state.ts';

export type LocalServiceOptions = Partial<Omit<ServiceStateOptions, 'catalog' | 'chain'>> & {
  /** Port of the API. If 0 or absent, the operating system selects an unused port. */
  readonly port?: number;
  /** Running chain, or `true` to start a chain that stops with the service. */
  readonly chain?: RunningChain | true;
  /** Id of the chain that the service starts if `chain` is `true`. */
  readonly chainId?: number;
};

/** Running service. Stores data only in memory. */
export interface LocalService extends AsyncDisposable {
  /** Base URL, ending in `/api/v1`. */
  readonly baseUrl: string;
  readonly controlUrl: string;
  /** An INFERENCE key of a funded account. */
  readonly apiKey: string;
  /** An ADMIN key of the same account. */
  readonly adminKey: string;
  /** Chain on which wallets stake and pay. Absent without a chain. */
  readonly chain?: ChainFacts;
  /** Stops both servers and closes all connections. */
  stop(): Promise<void>;
}

/** Starts the service and its control plane on the loopback interface. */
export async function startLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  const { port = 0, chain: chainOption, chainId, ...serviceOptions } = options;
  const [catalog, chain] = await Promise.all([
    createCatalog(options),
    openChain(chainOption, chainId),
  ]);
  const defaultOptions = {
    vendorPrefix: 'service',
    seed: 1,
    pace: 'natural',
    missingKeyStatus: 402,
    hasCompletionsRoute: false,
  } as const;
  const state = new ServiceState({
    ...defaultOptions,
    ...serviceOptions,
    catalog,
    ...(chain && { chain }),
  });
  const api = createApi(state);
  const control = createControl(state);
  const stop = async (): Promise<void> => {
    await Promise.all([api.close(), control.close()]);
    if (chainOption === true) await chain?.stop();
  };
  const origin = await listenOnPort(api, port);
  state.web.origin = origin;
  return {
    baseUrl: `${origin}/api/v1`,
    controlUrl: await listenOnPort(control, 0),
    apiKey: state.apiKey,
    adminKey: state.adminKey,
    ...(chain && { chain: chain.facts }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function createCatalog(options: LocalServiceOptions): Promise<ModelCatalog> {
  const { upstreamUrl, vendorPrefix = 'service' } = options;
  if (upstreamUrl === undefined) return new ModelCatalog({ vendorPrefix });
  const { fetchUpstreamModels } = await import('./chat/upstream.ts');
  return new ModelCatalog({ textModels: await fetchUpstreamModels(upstreamUrl), vendorPrefix });
}

async function openChain(
  chainOption: RunningChain | true | undefined,
  chainId: number | undefined,
): Promise<RunningChain | undefined> {
  if (chainOption !== true) return chainOption;
  const { startChain } = await import('./chain/start-chain.ts');
  return startChain({ blockTimeS: 1, confirmations: 2, ...(chainId !== undefined && { chainId }) });
}

async function listenOnPort(app: FastifyInstance, port: number): Promise<string> {
  await app.listen({ host: '127.0.0.1', port });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}
