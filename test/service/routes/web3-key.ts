import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { brokenKey } from '../web3/broken-keys.ts';
import { trickyToken } from '../web3/tricky-tokens.ts';
import type { World } from '../world.ts';

const path = '/api_keys/generate_web3_key';

/** A token to sign, and a key for who signed it. Neither takes credentials. */
export function web3KeyRoutes(app: FastifyInstance, world: World): void {
  app.get(path, async () => shaped(world, { token: await tokenFor(world) }));
  app.post(path, async (request, reply) => {
    const { mint } = await import('../web3/mint.ts');
    const made = await mint(world, request.body);
    if (world.web3.take('loseReply') === true) return loseReply(request, reply);
    const trick = world.web3.take('key');
    return shaped(world, trick === undefined ? made : brokenKey(made, trick));
  });
}

async function tokenFor({ web3, tokens, clock }: World): Promise<unknown> {
  const trick = web3.take('token');
  if (trick === undefined) return tokens.issue({ now: clock.now() });
  return typeof trick === 'object' ? trick.text : trickyToken(trick, tokens, clock.now());
}

/** Clients read the fields at the top or in `data`, so usually they are in both places. */
function shaped({ web3 }: World, data: object): object {
  const enveloped = { success: true, data };
  return { both: { ...enveloped, ...data }, bare: data, enveloped }[web3.lasting.shape];
}

/** The key is there, and nobody can know. */
function loseReply(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.cutByScript = true;
  reply.hijack();
  request.raw.socket.resetAndDestroy();
  return reply;
}
