import type { Transport } from '../../service/transport.ts';
import { ServiceError } from '../../service/failure.ts';

/** Opens a way to the service with the network settings as they are now. Loads the HTTP stack on first use. */
export async function openTransport(kind: 'direct' | 'editor'): Promise<Transport> {
  throw new ServiceError({ code: 'offline', message: `The ${kind} transport is not built yet.` });
}
