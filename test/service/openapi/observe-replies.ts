import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceState } from '../service-state.ts';
import type { SentReply } from './reply-checker.ts';

/**
 * Calls `onReply` with each reply of an API route. Skips replies whose content a test has set, and requests that the
 * client canceled.
 */
export function observeReplies(app: FastifyInstance, state: ServiceState): void {
  const { onReply } = state.options;
  if (onReply === undefined) return;
  app.addHook('onSend', async (request, _, payload) => {
    if (typeof payload === 'string') request.sentText = payload;
    return payload;
  });
  app.addHook('onResponse', async (request, reply) => {
    const path = getRoutePath(request);
    // No client receives the reply to a request that it closed.
    if (reply.statusCode === 499) return;
    if (path === undefined || isContentSetByTest(state, request, path)) return;
    onReply(describeReply(path, request, reply));
  });
}

const describeReply = (path: string, request: FastifyRequest, reply: FastifyReply): SentReply => ({
  method: request.method,
  path,
  status: reply.statusCode,
  headers: reply.getHeaders(),
  text: request.sentText,
});

/** Returns the path of the route in OpenAPI format. Returns undefined if no route matches the request. */
function getRoutePath({ routeOptions: { url } }: FastifyRequest): string | undefined {
  const prefix = '/api/v1';
  if (url?.startsWith(prefix) !== true) return undefined;
  return url.slice(prefix.length).replace(/:(\w+)/g, '{$1}');
}

const chatPaths = new Set(['/chat/completions', '/completions', '/responses']);

/** Checks whether a test has set the content of the reply, for example with a fault or a script. */
function isContentSetByTest(state: ServiceState, request: FastifyRequest, path: string): boolean {
  const { scripts, web, wallets, web3, options } = state;
  if (request.fault !== undefined) return true;
  if (chatPaths.has(path)) {
    return (
      scripts.hasFreeFormScripts ||
      web.options.results !== undefined ||
      options.upstreamUrl !== undefined
    );
  }
  if (path === '/augment/search') return web.options.results !== undefined;
  if (path === '/x402/top-up') return Object.keys(wallets.misbehavior).length > 0;
  return path === '/api_keys/generate_web3_key' && web3.hasFaults;
}
