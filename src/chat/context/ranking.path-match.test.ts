import { expect, test } from 'vitest';
import { rankPaths, scorePath } from './ranking.ts';

test.each([
  ['a file with exactly the typed name', 'app.ts', ['src/app.ts', 'src/app.ts.bak']],
  ['a file whose name starts with the query', 'app', ['src/app.ts', 'src/my-app.ts']],
  ['a file whose name contains the query', 'mid', ['src/amid.ts', 'mid/other.ts']],
  ['a file whose path contains the query', 'src/a', ['src/a.ts', 'source/a.ts/x.c']],
  [
    'a file whose name contains the letters of the query in order',
    'cwv',
    ['chat-webview.ts', 'c/w/v.ts'],
  ],
  ['the shorter of two equal matches', 'app', ['app.ts', 'application.ts']],
  ['a file whose name differs only in case', 'README', ['readme.md', 'docs/more.md']],
])('rankPaths ranks %s first', (_description, query, paths) => {
  const rankedPaths = rankPaths(query, paths.toReversed(), {
    getPath: (path) => path,
    maxResults: 10,
  });
  expect(rankedPaths[0]).toBe(paths[0]);
});

test.each([
  ['xyz', 'src/app.ts'],
  ['ppa', 'app'],
  ['app.tsx', 'app.ts'],
])('scorePath does not match the query %j with the path %j', (query, path) => {
  expect(scorePath(query, path)).toBeUndefined();
});

test('rankPaths keeps the order of the paths for an empty query', () => {
  const options = { getPath: (path: string) => path, maxResults: 2 };
  expect(rankPaths('', ['b', 'a', 'c'], options)).toEqual(['b', 'a']);
});

test('scorePath matches regular expression characters in a query literally', () => {
  expect(scorePath('(.*', 'src/(.*).ts')).toBeGreaterThan(1);
  expect(scorePath('.*', 'src/app')).toBeUndefined();
});
