import type { FastifyInstance } from 'fastify';
import { requireKey } from '../auth.ts';
import { imageModels } from '../catalogue/image-models.ts';
import type { ApiKey } from '../money/api-key.ts';
import type { World } from '../world.ts';

/** Key routes that any key may call. */
export function apiKeyRoutes(app: FastifyInstance, world: World): void {
  app.get('/api_keys/rate_limits', async (request, reply) => {
    const key = requireKey(world, request, reply);
    return { data: limitsOf(world, key) };
  });
}

function limitsOf({ accounts, catalogue, limits }: World, key: ApiKey): object {
  const { usd, bundled, diem } = accounts.balances(key.accountId);
  const ofImages = imageModels.map(({ record: { id } }) => {
    const amount = limits.rateOf(id, 'image').rpm;
    return { apiModelId: id, rateLimits: [{ type: 'RPM', amount }] };
  });
  const ofTexts = catalogue.textModels.map(({ record: { id }, tier }) => {
    const { rpm, tpm } = limits.rateOf(id, tier);
    const each = [
      { type: 'RPM', amount: rpm },
      { type: 'TPM', amount: tpm },
    ];
    return { apiModelId: id, rateLimits: each };
  });
  return {
    accessPermitted: usd + bundled + diem > 0,
    apiTier: { id: 'paid', isCharged: true },
    balances: { USD: usd / 1e6, DIEM: diem / 1e6, BUNDLED_CREDITS: bundled / 1e6 },
    keyExpiration: key.expiresAt === undefined ? null : new Date(key.expiresAt).toISOString(),
    nextEpochBegins: new Date(accounts.nextEpoch()).toISOString(),
    rateLimits: [...ofTexts, ...ofImages],
  };
}
