import type { FastifyInstance } from 'fastify';
import * as v from 'valibot';
import { isRecord } from '../../../src/base/json.ts';
import { requireAdmin, requireKey } from '../auth.ts';
import { imageModels } from '../catalogue/image-models.ts';
import { changedKeyFields, newKeyFields, termsOf } from '../keys/key-fields.ts';
import { keyRecord, keyView, newKeyView } from '../keys/key-view.ts';
import { type ApiKey, isExpired, keyTypes } from '../money/api-key.ts';
import { Problem } from '../problem.ts';
import { parseClosed, parseOpen } from '../validation.ts';
import type { World } from '../world.ts';

const { description } = newKeyFields;
const createBody = v.object({
  ...newKeyFields,
  apiKeyType: v.picklist(keyTypes),
  description: description.wrapped,
});
const changeBody = v.object({ ...changedKeyFields, id: v.string() });

/** What any key may ask about itself, and what an ADMIN key may do with all keys of its account. */
export function apiKeyRoutes(app: FastifyInstance, world: World): void {
  app.get('/api_keys/rate_limits', async (request, reply) => {
    const key = requireKey(world, request, reply);
    return { data: limitsOf(world, key) };
  });
  app.get('/api_keys/rate_limits/log', async (request, reply) => {
    const ids = keysOf(world, requireAdmin(world, request, reply)).map(({ id }) => id);
    return { object: 'list', data: world.limits.refusalsOf(ids) };
  });
  readKeys(app, world);
  changeKeys(app, world);
}

function readKeys(app: FastifyInstance, world: World): void {
  app.get('/api_keys', async (request, reply) => {
    const now = world.clock.now();
    const keys = keysOf(world, requireAdmin(world, request, reply));
    const data = keys.filter((key) => !isExpired(key, now)).map((key) => keyView(key, now));
    return { object: 'list', data };
  });
  app.get('/api_keys/:id', async (request, reply) => {
    const admin = requireAdmin(world, request, reply);
    const { id } = request.params as { id: string };
    const key = keysOf(world, admin).find((each) => each.id === id);
    if (key === undefined) throw new Problem(400, 'API key not found');
    return { data: keyView(key, world.clock.now()) };
  });
}

function changeKeys(app: FastifyInstance, world: World): void {
  app.post('/api_keys', async (request, reply) => {
    const { accountId } = requireAdmin(world, request, reply);
    const { apiKeyType: type, ...fields } = parseClosed(createBody, request.body);
    const terms = termsOf(fields, world.clock.now());
    const { key, secret } = world.keyMaker.make({ accountId, type, terms });
    return { success: true, data: newKeyView(key, secret) };
  });
  app.patch('/api_keys', async (request, reply) => {
    const admin = requireAdmin(world, request, reply);
    const { id, ...fields } = parseOpen(changeBody, request.body);
    const key = findKey(world, admin, id);
    Object.assign(key, termsOf(fields, world.clock.now()));
    if (fields.expiresAt === null || fields.expiresAt === '') delete key.expiresAt;
    return { success: true, data: keyRecord(key) };
  });
  app.delete('/api_keys', async (request, reply) => {
    const admin = requireAdmin(world, request, reply);
    const { id = isRecord(request.body) ? request.body['id'] : undefined } = request.query as {
      id?: unknown;
    };
    world.accounts.keys.remove(findKey(world, admin, id));
    return { success: true };
  });
}

const keysOf = ({ accounts }: World, { accountId }: ApiKey): ApiKey[] =>
  accounts.keys.of(accountId);

function findKey(world: World, admin: ApiKey, id: unknown): ApiKey {
  const key = keysOf(world, admin).find((each) => each.id === id);
  if (key === undefined) throw new Problem(400, 'API key could not be found');
  return key;
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
