import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireKey } from '../auth.ts';
import { cast } from '../characters/cast.ts';
import { characterRecord, findCharacter } from '../characters/characters.ts';
import { photoOf } from '../characters/photo.ts';
import { characterQuery, select } from '../characters/query.ts';
import { Problem } from '../problem.ts';
import { parseOpen } from '../validation.ts';
import type { World } from '../world.ts';

interface Named {
  Params: { slug: string };
}

/** `GET /characters`, `/characters/{slug}` and its reviews; and the pictures, which anybody may see. */
export function characterRoutes(app: FastifyInstance, world: World): void {
  app.get('/characters', async (request, reply) => {
    requireKey(world, request, reply);
    const query = parseOpen(characterQuery, request.query);
    const records = cast.map((each) => characterRecord(each, photosAt(request)));
    return { object: 'list', data: select(records, query) };
  });
  app.get<Named>('/characters/:slug', async (request, reply) => {
    requireKey(world, request, reply);
    const data = characterRecord(known(request.params.slug), photosAt(request));
    return { object: 'character', data };
  });
  app.get<Named>('/characters/:slug/reviews', async (request, reply) => {
    requireKey(world, request, reply);
    const { stats } = characterRecord(known(request.params.slug), '');
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
  app.get<Named>('/photos/:slug', async (request, reply) => {
    const slug = request.params.slug.replace(/\.png$/u, '');
    return reply.type('image/png').send(await photoOf(known(slug)));
  });
}

const photosAt = ({ host }: FastifyRequest): string => `http://${host}/api/v1/photos`;

function known(slug: string) {
  const character = findCharacter(slug);
  if (character === undefined)
    throw new Problem(404, { error: 'Character not found', code: 'CHARACTER_NOT_FOUND' });
  return character;
}
