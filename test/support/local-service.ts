import { join } from 'node:path';
import { type ChainFacts, chainSetting } from '../service/chain/chain-facts.ts';
import { localRootKey } from '../service/tee/hardware.ts';
import { artefacts, root } from './paths.ts';
import { ProcessTree } from './process.ts';
import { timeLimits } from './time-limits.ts';

/** Addresses in the line that the local service prints when it is ready. */
export interface ServiceAddresses {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly apiKey: string;
  readonly adminKey: string;
  /** Present if the service was started with a chain. */
  readonly chain?: ChainFacts;
}

interface ServiceOptions {
  /** Starts a chain for wallets, with one block per second. */
  readonly chain?: boolean;
}

/** Starts a local service in its own process on free ports, as `npm run service` does. */
export interface RunningService extends ServiceAddresses, AsyncDisposable {}

/**
 * Starts a local service and resolves when it is ready.
 * @param name Name of the log file.
 */
export async function runService(
  name: string,
  options: ServiceOptions & { chain: true },
): Promise<RunningService & { readonly chain: ChainFacts }>;
export async function runService(name: string, options?: ServiceOptions): Promise<RunningService>;
export async function runService(
  name: string,
  { chain = false }: ServiceOptions = {},
): Promise<RunningService> {
  const more = chain ? ['--chain'] : [];
  const service = new ProcessTree({
    command: process.execPath,
    args: [join(root, 'test', 'service', 'main.ts'), '--port', '0', '--json', ...more],
    logFile: join(artefacts, 'logs', `${name}-service.log`),
  });
  try {
    const [line] = await service.waitForOutput(/^\{.*\}$/mu, timeLimits.start);
    const addresses = JSON.parse(line) as ServiceAddresses;
    return { ...addresses, [Symbol.asyncDispose]: () => service.stop() };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** Returns user settings, including those of a chain, and environment variables that sign in to `service` without UI. */
export function signedIn(service: ServiceAddresses): {
  settings: Record<string, unknown>;
  env: Record<string, string>;
} {
  return {
    settings: {
      'inferenceService.baseUrl': service.baseUrl,
      ...(service.chain && { 'inferenceService.wallet.chain': chainSetting(service.chain) }),
    },
    env: {
      INFERENCE_SERVICE_API_KEY: service.apiKey,
      INFERENCE_SERVICE_ATTESTATION_ROOT: localRootKey,
    },
  };
}
