import { expect, test } from 'vitest';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import { listImageStyles } from './image-calls.ts';

const { signal } = new AbortController();

const listStyles = async (text: string): Promise<readonly string[]> => {
  const { context, requests } = createScriptedService({ body: [text] });
  const styles = await listImageStyles(context, { signal });
  expect(requests.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
    'GET /api/v1/image/styles',
  ]);
  return styles;
};

test.each<[string, readonly string[]]>([
  ['{"object":"list","data":["3D Model","Anime"]}', ['3D Model', 'Anime']],
  ['["3D Model","Anime"]', ['3D Model', 'Anime']],
  ['{"data":[]}', []],
  ['{"data":["Anime",7,null,{},["x"],""," ","anime","Anime"]}', ['Anime', 'anime']],
  [JSON.stringify(['x'.repeat(129), 'Anime']), ['Anime']],
])('listImageStyles reads from the response %s the style names %j', async (text, styles) => {
  expect(await listStyles(text)).toEqual(styles);
});

test('listImageStyles reads at most 1,000 styles', async () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `Style ${index}`);
  expect(await listStyles(JSON.stringify({ data: names }))).toEqual(names.slice(0, 1_000));
});

test.each([
  ['an empty text', ''],
  ['HTML', '<html>'],
  ['a number', '7'],
  ['null', 'null'],
  ['an object without data', '{}'],
  ['data that is no array', '{"data":{"0":"Anime"}}'],
  ['a text larger than the limit', `["${'x'.repeat(2 ** 20)}"]`],
])('listImageStyles rejects %s as a style list', async (_, text) => {
  await expect(listStyles(text)).rejects.toMatchObject({
    failure: { code: 'unexpected-response' },
  });
});
