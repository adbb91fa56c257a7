import type { LocalService } from '../../../test/service/server.ts';
import { localRootKey } from '../../../test/service/tee/hardware.ts';
import { systemClock } from '../../base/clock.ts';
import { CircuitBreakers } from '../http/circuit-breaker.ts';
import type { ServiceContext } from '../http/client.ts';
import { createDirectTransport } from '../http/direct-transport.ts';

/** Trusted root keys for the certificate chains of the test service. */
export const localRoots = [Uint8Array.from(Buffer.from(localRootKey, 'hex'))];

/** Creates a client context for the test service. */
export function createLocalContext({ baseUrl, apiKey }: LocalService): ServiceContext {
  const transport = createDirectTransport();
  return {
    getEndpoint: async () => ({ baseUrl: new URL(baseUrl), vendorPrefix: 'service', apiKey }),
    getTransport: async () => transport,
    clock: systemClock,
    breakers: new CircuitBreakers(systemClock),
    random: () => 0,
  };
}
