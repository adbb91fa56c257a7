import { join } from 'node:path';
import { type ChainFacts, createChainSetting } from '../service/chain/chain-facts.ts';
import { localRootKey } from '../service/tee/hardware.ts';
import { artefactsFolder, root } from './paths.ts';
import { ProcessTree } from './process.ts';
import { timeLimits } from './time-limits.ts';

/** URLs and keys of the local service, which the service prints when it is ready. */
export interface ServiceConnection {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly apiKey: string;
  readonly adminKey: string;
  /** Addresses and settings of the local EVM chain. Absent if the service was started without a chain. */
  readonly chain?: ChainFacts;
}

interface ServiceOptions {
  /** True to start a local EVM chain for tests of wallets. It adds a block every second. */
  readonly needsChain?: boolean;
}

/** A local service in a separate process. Disposal ends the process. */
export interface RunningService extends ServiceConnection, AsyncDisposable {}

/**
 * Starts a local service on free ports, as `npm run service` does. Resolves when the service is ready.
 * @param name name of the log file
 */
export async function runService(
  name: string,
  options: ServiceOptions & { chain: true },
): Promise<RunningService & { readonly chain: ChainFacts }>;
export async function runService(name: string, options?: ServiceOptions): Promise<RunningService>;
export async function runService(
  name: string,
  { needsChain = false }: ServiceOptions = {},
): Promise<RunningService> {
  const extraArguments = needsChain ? ['--chain'] : [];
  const serviceProcess = new ProcessTree({
    command: process.execPath,
    args: [join(root, 'test', 'service', 'main.ts'), '--port', '0', '--json', ...extraArguments],
    logFile: join(artefactsFolder, 'logs', `${name}-service.log`),
  });
  try {
    const [line] = await serviceProcess.waitForOutput(/^\{.*\}$/mu, timeLimits.start);
    const connection = JSON.parse(line) as ServiceConnection;
    return { ...connection, [Symbol.asyncDispose]: () => serviceProcess.stop() };
  } catch (error) {
    await serviceProcess.stop();
    throw error;
  }
}

/**
 * Returns user settings and environment variables that sign VS Code in to `service`. The settings include the chain if
 * the service has one.
 */
export function createSignedInValues(service: ServiceConnection): {
  settings: Record<string, unknown>;
  env: Record<string, string>;
} {
  return {
    settings: {
      'inferenceService.baseUrl': service.baseUrl,
      // Requests for titles would disturb tests that count or script requests.
      'inferenceService.chat.generateTitles': false,
      ...(service.chain && { 'inferenceService.wallet.chain': createChainSetting(service.chain) }),
    },
    env: {
      INFERENCE_SERVICE_API_KEY: service.apiKey,
      INFERENCE_SERVICE_ATTESTATION_ROOT: localRootKey,
    },
  };
}
