import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { CircuitBreakers } from '../../src/service/http/circuit-breaker.ts';
import type { ServiceContext } from '../../src/service/http/client.ts';
import { Connection } from '../../src/service/http/connection.ts';
import { createDirectTransport } from '../../src/service/http/direct-transport.ts';
import {
  type Deployment,
  type DeploymentSettings,
  startDeployment,
} from '../foreign/strict-deployment.mjs';

/** Request that the simulated deployment of the service received and recorded. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * Simulated deployment of the service, with real clients for it. The deployment rejects all requests that the API
 * specification does not allow. Disposal closes the deployment and all clients.
 */
export interface DeploymentConnection extends AsyncDisposable {
  readonly deployment: Deployment['ready'];
  /** Information about the deployment that the clients detected in its replies. All clients share this object. */
  readonly connection: Connection;
  /** Returns a client for the deployment with the given API key, or without a key if `apiKey` is omitted. */
  readonly connect: (apiKey?: string) => ServiceContext;
  /** Client that uses the deployment's API key of the type INFERENCE. */
  readonly context: ServiceContext;
  /** Returns the requests to a path that ends in `path`, in order. */
  readonly listRequests: (path: string) => readonly RecordedRequest[];
}

/**
 * Starts a simulated deployment that rejects all requests that the API specification does not allow. The clients send
 * their requests over HTTP.
 */
export async function startStrictDeployment(
  settings: Omit<DeploymentSettings, 'record'> = {},
): Promise<DeploymentConnection> {
  const folder = mkdtempSync(join(tmpdir(), 'deployment-'));
  const recordPath = join(folder, 'requests.jsonl');
  const { ready: deployment, close } = await startDeployment({ ...settings, record: recordPath });
  const transport = createDirectTransport();
  const connection = new Connection();
  const connect = (apiKey?: string): ServiceContext => ({
    getEndpoint: async () => ({
      baseUrl: new URL(deployment.baseUrl),
      vendorPrefix: connection.vendorPrefix ?? 'service',
      connection,
      ...(apiKey === undefined ? {} : { apiKey }),
    }),
    getTransport: async () => transport,
    clock: systemClock,
    breakers: new CircuitBreakers(systemClock),
    random: () => 0,
  });
  return {
    deployment,
    connection,
    connect,
    context: connect(deployment.keys.inference),
    listRequests: (path) =>
      (existsSync(recordPath) ? readFileSync(recordPath, 'utf8') : '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as RecordedRequest)
        .filter((request) => request.path.endsWith(path)),
    [Symbol.asyncDispose]: async () => {
      await transport.close();
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}
