import { expect, test } from 'vitest';
import { createScriptedService } from '../../test/support/scripted-transport.ts';
import { listCharacters, readCharacter } from './characters.ts';

const { signal } = new AbortController();
const wattsRecord = {
  id: 'c0ffee00-0000-4000-8000-000000000000',
  slug: 'alan-watts',
  name: 'Alan\nWatts',
  description: 'A  philosopher',
  adult: false,
  featured: true,
  modelId: 'm',
  photoUrl: 'https://images.test/a.png',
  tags: ['zen', 7, ''],
  stats: { averageRating: 4.5, imports: 9, ratingCount: 2, ratingSum: 9, userRating: null },
};

test('readCharacter reads a persona record', () => {
  expect(readCharacter(wattsRecord)).toEqual({
    slug: 'alan-watts',
    name: 'Alan Watts',
    description: 'A philosopher',
    isAdult: false,
    modelId: 'm',
    photoUrl: 'https://images.test/a.png',
    tags: ['zen'],
    rating: { average: 4.5, count: 2 },
    importCount: 9,
  });
});

test.each([
  null,
  7,
  'alan-watts',
  [],
  {},
  { slug: '' },
  { slug: '../models' },
  { slug: 'a b' },
  { slug: 'x'.repeat(129) },
])('readCharacter rejects %j as a persona record', (value) =>
  expect(readCharacter(value)).toBeUndefined(),
);

test('readCharacter omits invalid fields of a persona record and truncates long fields', () => {
  const invalidFields = {
    slug: 'a',
    name: 7,
    description: 'x'.repeat(3_000),
    adult: 'true',
    tags: Array.from({ length: 40 }, (_, index) => `t${index}`),
    stats: { averageRating: 99, imports: -1, ratingCount: 1.5 },
  };
  const character = readCharacter(invalidFields);
  expect(character).toMatchObject({ name: 'a', isAdult: false, importCount: 0 });
  expect(character?.description).toHaveLength(2_000);
  expect(character?.tags).toHaveLength(20);
  expect(character?.rating).toBeUndefined();
});

test('listCharacters limits the search text and the page size in a request for personas', async () => {
  const { context, requests } = createScriptedService({
    body: [JSON.stringify({ object: 'list', data: [wattsRecord, 7] })],
  });
  const query = { search: ` ${'z'.repeat(300)} `, isAdult: false, limit: 500, offset: 25 };
  const page = await listCharacters(context, query, { signal });
  expect([page.characters.map(({ slug }) => slug), page.recordCount]).toEqual([['alan-watts'], 2]);
  expect(Object.fromEntries(requests[0]?.url.searchParams ?? [])).toEqual({
    search: 'z'.repeat(200),
    isAdult: 'false',
    limit: '100',
    offset: '25',
  });
});

test('listCharacters reads at most 100 personas per page', async () => {
  const data = Array.from({ length: 300 }, (_, index) => ({ slug: `s${index}` }));
  const { context } = createScriptedService({ body: [JSON.stringify({ data })] });
  const page = await listCharacters(context, { limit: 50 }, { signal });
  expect(page.characters).toHaveLength(100);
});

test.each(['', '<html>', '7', 'null', '{}', '{"data":{}}'])(
  'listCharacters rejects %j as a persona list',
  async (text) => {
    const { context } = createScriptedService({ body: [text] });
    await expect(listCharacters(context, { limit: 1 }, { signal })).rejects.toMatchObject({
      failure: { code: 'unexpected-response' },
    });
  },
);
