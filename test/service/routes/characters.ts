import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireApiKey } from '../auth.ts';
import { characterDefinitions } from '../characters/character-definitions.ts';
import { createCharacterRecord, findCharacter } from '../characters/characters.ts';
import { renderPhoto } from '../characters/render-photo.ts';
import { characterQuerySchema, queryCharacters } from '../characters/query.ts';
import { ApiError } from '../api-error.ts';
import { parseOpen } from '../validation.ts';
import type { ServiceState } from '../service-state.ts';

interface NamedCharacter {
  Params: { slug: string };
}

/**
 * Adds `GET /characters`, `/characters/{slug}`, the reviews of a persona, and the images of personas. No route needs a
 * key.
 */
export function addCharacterRoutes(app: FastifyInstance, state: ServiceState): void {
  app.get('/characters', async (request, reply) => {
    requireApiKey(state, request, reply);
    const query = parseOpen(characterQuerySchema, request.query);
    const records = characterDefinitions.map((definition) =>
      createCharacterRecord(definition, getPhotosUrl(request)),
    );
    return { object: 'list', data: queryCharacters(records, query) };
  });
  app.get<NamedCharacter>('/characters/:slug', async (request, reply) => {
    requireApiKey(state, request, reply);
    const data = createCharacterRecord(
      requireCharacter(request.params.slug),
      getPhotosUrl(request),
    );
    return { object: 'character', data };
  });
  app.get<NamedCharacter>('/characters/:slug/reviews', async (request, reply) => {
    requireApiKey(state, request, reply);
    const { stats } = createCharacterRecord(requireCharacter(request.params.slug), '');
    const pagination = { page: 1, pageSize: 20, total: 0, totalPages: 0 };
    for (const [name, value] of Object.entries({
      limit: 20,
      page: 1,
      total: 0,
      'total-pages': 0,
    })) {
      reply.header(`x-pagination-${name}`, String(value));
    }
    const summary = { averageRating: stats.averageRating, totalReviews: 0 };
    return { object: 'list', data: [], pagination, summary };
  });
  app.get<NamedCharacter>('/photos/:slug', async (request, reply) => {
    const slug = request.params.slug.replace(/\.png$/u, '');
    return reply.type('image/png').send(await renderPhoto(requireCharacter(slug)));
  });
}

const getPhotosUrl = ({ host }: FastifyRequest): string => `http://${host}/api/v1/photos`;

function requireCharacter(slug: string) {
  const character = findCharacter(slug);
  if (character === undefined)
    throw new ApiError(404, { error: 'Character not found', code: 'CHARACTER_NOT_FOUND' });
  return character;
}
