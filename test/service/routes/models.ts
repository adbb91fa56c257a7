import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readOptionalKey } from '../auth.ts';
import { isListType, isModelType } from '../catalog/model-catalog.ts';
import { type ModelRecord, modelTypes } from '../catalog/model.ts';
import { hasModelAccess } from '../keys/model-access.ts';
import type { ApiKey } from '../money/api-key.ts';
import { createInvalidRequestError } from '../validation.ts';
import type { ServiceState } from '../service-state.ts';

/** Model ids, by trait or by the model name of another service. */
type ModelIdsByName = Readonly<Record<string, string>>;

/**
 * Adds `GET /models` and the routes for model names. Requests need no key, but a key in a request must be valid. If a
 * request contains a key, the list contains only models that this key may use.
 */
export function addModelRoutes(app: FastifyInstance, state: ServiceState): void {
  const { catalog } = state;
  const listModels = (type: string, key: ApiKey | undefined): readonly ModelRecord[] =>
    catalog.listRecords(type).filter((model) => key === undefined || hasModelAccess(key, model));
  const listNames = (
    names: ModelIdsByName,
    type: string,
    key: ApiKey | undefined,
  ): ModelIdsByName => {
    const ids = new Set(listModels(type, key).map(({ id }) => id));
    return Object.fromEntries(Object.entries(names).filter(([, id]) => ids.has(id)));
  };
  app.get('/models', async (request, reply) => {
    const key = readOptionalKey(state, request, reply);
    const type = readType(request, isListType);
    return { object: 'list', type, data: listModels(type, key) };
  });
  app.get('/models/traits', async (request, reply) => {
    const key = readOptionalKey(state, request, reply);
    const type = readType(request, isModelType);
    return { object: 'list', type, data: listNames(catalog.mapTraits(type), type, key) };
  });
  app.get('/models/compatibility_mapping', async (request, reply) => {
    const key = readOptionalKey(state, request, reply);
    const type = readType(request, isModelType);
    return { object: 'list', type, data: listNames(catalog.mapCompatibleNames(type), type, key) };
  });
}

function readType(request: FastifyRequest, isKnown: (type: string) => boolean): string {
  const { type = 'text' } = request.query as { type?: string };
  if (isKnown(type)) return type;
  const options = [...modelTypes, 'all', 'code'].map((option) => `'${option}'`).join(' | ');
  const message = `Invalid input. Expected ${options}, received '${type}'`;
  throw createInvalidRequestError([{ code: 'invalid_union', path: ['type'], message }]);
}
