import { expect, test } from 'vitest';
import { bestPaths, pathScore } from './ranking.ts';

test.each([
  ['the whole name', 'app.ts', ['src/app.ts', 'src/app.ts.bak']],
  ['the start of the name', 'app', ['src/app.ts', 'src/my-app.ts']],
  ['a part of the name', 'mid', ['src/amid.ts', 'mid/other.ts']],
  ['a part of the path', 'src/a', ['src/a.ts', 'source/a.ts/x.c']],
  ['letters of the name in order', 'cwv', ['chat-webview.ts', 'c/w/v.ts']],
  ['the shorter one', 'app', ['app.ts', 'application.ts']],
  ['a name in another case', 'README', ['readme.md', 'docs/more.md']],
])('ranks %s first', (_what, query, paths) => {
  const found = bestPaths(query, paths.toReversed(), { pathOf: (path) => path, maxResults: 10 });
  expect(found[0]).toBe(paths[0]);
});

test.each([
  ['xyz', 'src/app.ts'],
  ['ppa', 'app'],
  ['app.tsx', 'app.ts'],
])('does not match %j with %j', (query, path) => {
  expect(pathScore(query, path)).toBeUndefined();
});

test('returns all paths in the same order for an empty query', () => {
  const options = { pathOf: (path: string) => path, maxResults: 2 };
  expect(bestPaths('', ['b', 'a', 'c'], options)).toEqual(['b', 'a']);
});

test('matches regular expression characters literally', () => {
  expect(pathScore('(.*', 'src/(.*).ts')).toBeGreaterThan(1);
  expect(pathScore('.*', 'src/app')).toBeUndefined();
});
