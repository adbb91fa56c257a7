import { expect, test } from 'vitest';
import { rankMatches, formatSnippets, type WordMatches } from './ranking.ts';

const snippetLimits = { maxFiles: 10, maxLinesPerFile: 10, maxCharacters: 10_000 };

const createMatches = (word: string, files: Record<string, readonly number[]>): WordMatches => ({
  word,
  files: new Map(
    Object.entries(files).map(([path, lines]) => [
      path,
      lines.map((line) => ({ line, text: `${word} ${line}` })),
    ]),
  ),
});

test.each<[string, readonly WordMatches[], readonly string[]]>([
  [
    'the file with both words first',
    [createMatches('retry', { 'a.ts': [1], 'b.ts': [1] }), createMatches('delay', { 'b.ts': [5] })],
    ['b.ts', 'a.ts'],
  ],
  [
    'the file with the rare word first',
    [
      createMatches('value', { 'a.ts': [1], 'b.ts': [1], 'c.ts': [1] }),
      createMatches('quirk', { 'd.ts': [1] }),
    ],
    ['d.ts', 'a.ts', 'b.ts', 'c.ts'],
  ],
  [
    'the file whose name contains the word first',
    [createMatches('retry', { 'a.ts': [1], 'src/retry.ts': [1] })],
    ['src/retry.ts', 'a.ts'],
  ],
  [
    'the file with more matches first',
    [createMatches('retry', { 'a.ts': [1], 'b.ts': [1, 2, 3] })],
    ['b.ts', 'a.ts'],
  ],
  ['no files if no file matches', [createMatches('retry', {})], []],
])('rankMatches ranks %s', (_description, matches, paths) => {
  expect(rankMatches(matches).map(({ path }) => path)).toEqual(paths);
});

test('formatSnippets lists each matching line once, in file order, and marks omitted lines', () => {
  const files = rankMatches([
    createMatches('one', { 'a.ts': [12, 3] }),
    createMatches('two', { 'a.ts': [4, 12] }),
  ]);
  expect(formatSnippets(files, snippetLimits)).toBe('a.ts\n3: one 3\n4: two 4\n…\n12: two 12');
});

test('formatSnippets limits the number of files, the lines per file, the characters per line and the total characters', () => {
  const manyFiles = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`f${index}.ts`, [1, 2, 3]]),
  );
  const files = rankMatches([createMatches('x', manyFiles)]);
  expect(
    formatSnippets(files, { ...snippetLimits, maxFiles: 2, maxLinesPerFile: 1 }).split('\n'),
  ).toHaveLength(5);
  expect(formatSnippets(files, { ...snippetLimits, maxCharacters: 60 }).length).toBeLessThanOrEqual(
    60,
  );
  const longFiles = [{ path: 'a.ts', lines: [{ line: 1, text: 'x'.repeat(10_000) }] }];
  expect(formatSnippets(longFiles, snippetLimits).length).toBeLessThan(400);
});
