import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readOptionalKey } from '../auth.ts';
import { isListType, isModelType } from '../catalog/model-catalog.ts';
import { modelTypes } from '../catalog/model.ts';
import { invalidRequest } from '../validation.ts';
import type { ServiceState } from '../service-state.ts';

/**
 * Adds `GET /models` and the routes of model names. Callers need no key, but a key in the request
 * must be valid.
 */
export function modelRoutes(app: FastifyInstance, state: ServiceState): void {
  const { catalog } = state;
  app.get('/models', async (request, reply) => {
    readOptionalKey(state, request, reply);
    const type = readType(request, isListType);
    return { object: 'list', type, data: catalog.list(type) };
  });
  app.get('/models/traits', async (request, reply) => {
    readOptionalKey(state, request, reply);
    const type = readType(request, isModelType);
    return { object: 'list', type, data: catalog.traits(type) };
  });
  app.get('/models/compatibility_mapping', async (request, reply) => {
    readOptionalKey(state, request, reply);
    const type = readType(request, isModelType);
    return { object: 'list', type, data: catalog.compatibility(type) };
  });
}

function readType(request: FastifyRequest, isKnown: (type: string) => boolean): string {
  const { type = 'text' } = request.query as { type?: string };
  if (isKnown(type)) return type;
  const options = [...modelTypes, 'all', 'code'].map((option) => `'${option}'`).join(' | ');
  const message = `Invalid input. Expected ${options}, received '${type}'`;
  throw invalidRequest([{ code: 'invalid_union', path: ['type'], message }]);
}
