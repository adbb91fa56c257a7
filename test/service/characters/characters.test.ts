import { expect, test } from 'vitest';
import { createChatRequest, postChat, startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';

interface CharacterReply {
  readonly object: string;
  readonly data: readonly Record<string, unknown>[];
}

const requestPath = (service: LocalService, path: string): Promise<Response> =>
  fetch(`${service.baseUrl}${path}`, { headers: { authorization: `Bearer ${service.apiKey}` } });

const listSlugs = async (service: LocalService, query: string): Promise<unknown[]> =>
  ((await (await requestPath(service, `/characters?${query}`)).json()) as CharacterReply).data.map(
    ({ slug }) => slug,
  );

test('GET /characters lists personas with all fields that a client reads', async () => {
  const service = await startTestService();
  const listReply = (await (await requestPath(service, '/characters')).json()) as CharacterReply;
  expect(listReply.object).toBe('list');
  expect(listReply.data.length).toBeGreaterThanOrEqual(30);
  const wattsRecord = listReply.data.find(({ slug }) => slug === 'alan-watts');
  expect(wattsRecord).toMatchObject({
    name: 'Alan Watts',
    adult: false,
    stats: { userRating: null },
  });
  const photoReply = await fetch(String(wattsRecord?.['photoUrl']));
  expect([photoReply.status, photoReply.headers.get('content-type')]).toEqual([200, 'image/png']);
});

test('GET /characters searches, filters, sorts and pages personas', async () => {
  const service = await startTestService();
  expect(await listSlugs(service, 'search=zen%20philosopher')).toEqual(['alan-watts']);
  expect(await listSlugs(service, 'search=nobody')).toEqual([]);
  expect(await listSlugs(service, 'isAdult=true&sortBy=mostRecent')).toHaveLength(2);
  expect(await listSlugs(service, 'tags=zen,poetry')).toHaveLength(3);
  const allSlugs = await listSlugs(service, 'sortBy=imports&limit=100');
  expect(await listSlugs(service, 'sortBy=imports&limit=5&offset=5')).toEqual(
    allSlugs.slice(5, 10),
  );
  expect(await listSlugs(service, 'sortBy=imports&sortOrder=asc&limit=1')).toEqual(
    allSlugs.slice(-1),
  );
});

test.each([
  ['a limit below 1', 'limit=0'],
  ['a limit above 100', 'limit=101'],
  ['a negative offset', 'offset=-1'],
  ['an unknown sort key', 'sortBy=age'],
  ['a search text longer than 200 characters', `search=${'x'.repeat(201)}`],
])('GET /characters rejects %s', async (_, query) => {
  const service = await startTestService();
  expect((await requestPath(service, `/characters?${query}`)).status).toBe(400);
});

test('GET /characters/{slug} finds a persona by slug and id, and returns 404 for an unknown slug', async () => {
  const service = await startTestService();
  const reply = (await (await requestPath(service, '/characters/alan-watts')).json()) as {
    object: string;
    data: { id: string; slug: string };
  };
  expect(reply).toMatchObject({ object: 'character', data: { slug: 'alan-watts' } });
  expect((await requestPath(service, `/characters/${reply.data.id}`)).status).toBe(200);
  expect((await requestPath(service, '/characters/alan-watts/reviews')).status).toBe(200);
  expect((await requestPath(service, '/characters/nobody')).status).toBe(404);
  expect((await fetch(`${service.baseUrl}/characters`)).status).toBe(402);
});

test('a chat answer with a persona starts with the opening words of that persona', async () => {
  const service = await startTestService();
  const requestAnswer = async (overrides: object): Promise<string> => {
    const reply = await postChat(service, createChatRequest('What is a queue?', overrides));
    const json = (await reply.json()) as { choices: { message: { content: string } }[] };
    return json.choices[0]?.message.content ?? '';
  };
  const plainAnswer = await requestAnswer({});
  const personaAnswer = await requestAnswer({
    service_parameters: { character_slug: 'alan-watts' },
  });
  expect(personaAnswer).toBe(`You see, my friend, it is all a dance. ${plainAnswer}`);
});
