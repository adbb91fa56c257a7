import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { corruptKey } from '../web3/corrupt-key.ts';
import { createBadToken } from '../web3/bad-tokens.ts';
import type { ServiceState } from '../service-state.ts';

const web3KeyPath = '/api_keys/generate_web3_key';

/**
 * Adds the routes that issue a token for a wallet to sign, and that mint a key for a signed token. Requests need no
 * credentials.
 */
export function addWeb3KeyRoutes(app: FastifyInstance, state: ServiceState): void {
  app.get(web3KeyPath, async () => shapeReply(state, { token: await issueToken(state) }));
  app.post(web3KeyPath, async (request, reply) => {
    const { mintKey } = await import('../web3/mint.ts');
    const mintedKey = await mintKey(state, request.body);
    if (state.web3.take('loseReply') === true) return resetConnection(request, reply);
    const keyFault = state.web3.take('key');
    return shapeReply(state, keyFault === undefined ? mintedKey : corruptKey(mintedKey, keyFault));
  });
}

async function issueToken({ web3, tokens, clock }: ServiceState): Promise<unknown> {
  const tokenFault = web3.take('token');
  if (tokenFault === undefined) return tokens.issueToken({ now: clock.now() });
  return typeof tokenFault === 'object'
    ? tokenFault.text
    : createBadToken(tokenFault, tokens, clock.now());
}

/**
 * Returns a response body with the fields at the top level, in `data`, or in both places (the default). Different
 * clients read different places.
 */
function shapeReply({ web3 }: ServiceState, data: object): object {
  const envelopedReply = { success: true, data };
  return { both: { ...envelopedReply, ...data }, bare: data, enveloped: envelopedReply }[
    web3.persistentSettings.shape
  ];
}

/** Resets the connection after a key was minted. The client then does not receive the key. */
function resetConnection(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.isCutByScript = true;
  reply.hijack();
  request.raw.socket.resetAndDestroy();
  return reply;
}
