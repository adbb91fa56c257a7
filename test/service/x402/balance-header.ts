import type { FastifyInstance } from 'fastify';
import type { ServiceState } from '../service-state.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Address of the wallet that signed in and pays for the request. */
    wallet: string | undefined;
  }
}

/**
 * Adds a header with the remaining balance to replies for wallets. A streamed reply contains the balance before the
 * request is charged; any other reply contains the balance after the charge.
 */
export function addBalanceHeaders(app: FastifyInstance, { wallets }: ServiceState): void {
  app.decorateRequest('wallet', undefined);
  app.addHook('onSend', async ({ wallet }, reply) => {
    if (wallet === undefined || reply.statusCode >= 400) return;
    reply.header('x-balance-remaining', (wallets.getBalance(wallet) / 1e6).toFixed(6));
  });
}
