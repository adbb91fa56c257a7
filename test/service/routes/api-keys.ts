import type { FastifyInstance } from 'fastify';
import * as v from 'valibot';
import { isRecord } from '../../../src/base/json.ts';
import { requireAdminKey, requireApiKey } from '../auth.ts';
import { imageModels } from '../catalog/image-models.ts';
import type { ModelRecord } from '../catalog/model.ts';
import { changedKeyFields, newKeyFields, parseKeyTerms } from '../keys/key-fields.ts';
import { hasModelAccess } from '../keys/model-access.ts';
import { createKeyRecord, createKeyView, createNewKeyView } from '../keys/key-view.ts';
import { type ApiKey, isExpired, keyTypes } from '../money/api-key.ts';
import { ApiError } from '../api-error.ts';
import { parseClosed, parseOpen } from '../validation.ts';
import type { ServiceState } from '../service-state.ts';

const { description } = newKeyFields;
export const createKeyBodySchema = v.object({
  ...newKeyFields,
  apiKeyType: v.picklist(keyTypes),
  description: description.wrapped,
});
export const changeBodySchema = v.object({ ...changedKeyFields, id: v.string() });

/** Adds the routes for API keys: rate limits (for every key) and key management (for ADMIN keys). */
export function addApiKeyRoutes(app: FastifyInstance, state: ServiceState): void {
  app.get('/api_keys/rate_limits', async (request, reply) => {
    const key = requireApiKey(state, request, reply);
    return { data: formatLimits(state, key) };
  });
  app.get('/api_keys/rate_limits/log', async (request, reply) => {
    const ids = listKeys(state, requireAdminKey(state, request, reply)).map(({ id }) => id);
    return { object: 'list', data: state.limits.listRejections(ids) };
  });
  addReadRoutes(app, state);
  addWriteRoutes(app, state);
}

function addReadRoutes(app: FastifyInstance, state: ServiceState): void {
  app.get('/api_keys', async (request, reply) => {
    const now = state.clock.now();
    const keys = listKeys(state, requireAdminKey(state, request, reply));
    const data = keys.filter((key) => !isExpired(key, now)).map((key) => createKeyView(key, now));
    return { object: 'list', data };
  });
  app.get('/api_keys/:id', async (request, reply) => {
    const adminKey = requireAdminKey(state, request, reply);
    const { id } = request.params as { id: string };
    const key = listKeys(state, adminKey).find((candidate) => candidate.id === id);
    if (key === undefined) throw new ApiError(400, 'API key not found');
    return { data: createKeyView(key, state.clock.now()) };
  });
}

function addWriteRoutes(app: FastifyInstance, state: ServiceState): void {
  app.post('/api_keys', async (request, reply) => {
    const { accountId } = requireAdminKey(state, request, reply);
    const { apiKeyType: type, ...fields } = parseClosed(createKeyBodySchema, request.body);
    const terms = parseKeyTerms(fields, state.clock.now());
    const { key, secret } = state.keyIssuer.issueKey({ accountId, type, terms });
    return { success: true, data: createNewKeyView(key, secret) };
  });
  app.patch('/api_keys', async (request, reply) => {
    const adminKey = requireAdminKey(state, request, reply);
    const { id, ...fields } = parseOpen(changeBodySchema, request.body);
    const key = findKey(state, adminKey, id);
    Object.assign(key, parseKeyTerms(fields, state.clock.now()));
    if (fields.expiresAt === null || fields.expiresAt === '') delete key.expiresAt;
    return { success: true, data: createKeyRecord(key) };
  });
  app.delete('/api_keys', async (request, reply) => {
    const adminKey = requireAdminKey(state, request, reply);
    const { id = isRecord(request.body) ? request.body['id'] : undefined } = request.query as {
      id?: unknown;
    };
    state.accounts.keys.removeKey(findKey(state, adminKey, id));
    return { success: true };
  });
}

const listKeys = ({ accounts }: ServiceState, { accountId }: ApiKey): ApiKey[] =>
  accounts.keys.listByAccount(accountId);

function findKey(state: ServiceState, adminKey: ApiKey, id: unknown): ApiKey {
  const key = listKeys(state, adminKey).find((candidate) => candidate.id === id);
  if (key === undefined) throw new ApiError(400, 'API key could not be found');
  return key;
}

function formatLimits({ accounts, catalog, limits }: ServiceState, key: ApiKey): object {
  const { usd, bundled, diem } = accounts.getBalances(key.accountId);
  const isUsable = ({ record }: { readonly record: ModelRecord }) => hasModelAccess(key, record);
  const imageLimits = imageModels.filter(isUsable).map(({ record: { id } }) => {
    const amount = limits.getRate(id, 'image').rpm;
    return { apiModelId: id, rateLimits: [{ type: 'RPM', amount }] };
  });
  const textLimits = catalog.textModels.filter(isUsable).map(({ record: { id }, tier }) => {
    const { rpm, tpm } = limits.getRate(id, tier);
    const rateLimits = [
      { type: 'RPM', amount: rpm },
      { type: 'TPM', amount: tpm },
    ];
    return { apiModelId: id, rateLimits };
  });
  return {
    accessPermitted: usd + bundled + diem > 0,
    apiTier: { id: 'paid', isCharged: true },
    balances: { USD: usd / 1e6, DIEM: diem / 1e6, BUNDLED_CREDITS: bundled / 1e6 },
    keyExpiration: key.expiresAt === undefined ? null : new Date(key.expiresAt).toISOString(),
    nextEpochBegins: new Date(accounts.getNextEpoch()).toISOString(),
    rateLimits: [...textLimits, ...imageLimits],
  };
}
