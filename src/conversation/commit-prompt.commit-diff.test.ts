import { expect, test } from 'vitest';
import { filterDiff } from './commit-prompt.ts';

const createFileDiff = (name: string, body = '+a line'): string =>
  `diff --git a/${name} b/${name}\nindex 1..2 100644\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n${body}`;

test.each([
  ['short files', [createFileDiff('src/a.ts'), createFileDiff('b.md')]],
  [
    'the start of a file header within a line',
    [createFileDiff('a.ts', '+ diff --git a/.env b/.env')],
  ],
])('filterDiff does not change a diff with %s', (_, fileDiffs) => {
  const diff = fileDiffs.join('\n');
  expect(filterDiff(diff, 10_000)).toEqual({ text: diff, secretFileCount: 0 });
});

test.each([
  ['in the root folder', createFileDiff('.env')],
  ['in a subfolder', createFileDiff('deploy/id_rsa')],
  ['with a space in its path', createFileDiff('my files/server.pem')],
  [
    'that was added',
    'diff --git a/.env b/.env\nnew file mode 100644\n--- /dev/null\n+++ b/.env\n@@ -0,0 +1 @@\n+K=1',
  ],
  [
    'that was deleted',
    'diff --git a/.npmrc b/.npmrc\ndeleted file mode 100644\n--- a/.npmrc\n+++ /dev/null\n@@ -1 +0,0 @@\n-t',
  ],
  ['with binary content', 'diff --git a/store.p12 b/store.p12\nBinary files differ'],
  [
    'that was renamed',
    'diff --git a/.env b/notes.txt\nrename from .env\nrename to notes.txt\n@@ -1 +1 @@\n+x',
  ],
  [
    'with a quoted path',
    'diff --git "a/\\303\\274/server.key" "b/\\303\\274/server.key"\n@@ -1 +1 @@\n+x',
  ],
  ['without path prefixes', 'diff --git .env .env\n--- .env\n+++ .env\n@@ -1 +1 @@\n+x'],
  ['whose path contains 80 spaces', createFileDiff(`${'a '.repeat(80)}/.env`)],
  ['whose path exceeds the length limit', createFileDiff(`${'a'.repeat(5_000)}/.env.production/x`)],
  ['in a merge diff', 'diff --cc .env\nindex 1,2..3\n--- a/.env\n+++ b/.env\n@@@ -1 +1 @@@\n++x'],
])('filterDiff removes a secret file %s', (_, secretDiff) => {
  const diff = [createFileDiff('a.ts'), secretDiff, createFileDiff('b.ts')].join('\n');
  const { text, secretFileCount } = filterDiff(diff, 10_000);
  expect(text).toBe([createFileDiff('a.ts'), createFileDiff('b.ts')].join('\n'));
  expect(secretFileCount).toBe(1);
});

test('filterDiff truncates a long file and keeps short files whole', () => {
  const longDiff = createFileDiff('long.ts', '+0123456789\n'.repeat(2_000));
  const { text } = filterDiff(
    [createFileDiff('a.ts'), longDiff, createFileDiff('z.ts')].join('\n'),
    2_000,
  );
  expect(text.length).toBeLessThanOrEqual(2_000);
  expect(text.length).toBeGreaterThan(1_800);
  expect(text).toContain(createFileDiff('a.ts'));
  expect(text).toContain(createFileDiff('z.ts'));
  expect(text).toMatch(/\+0123456789\n\[cut\]\ndiff --git a\/z\.ts/u);
});

test.each(['', 'fatal: not a repository', '\u0000', 'diff'])(
  'filterDiff returns an empty text for the diff %j',
  (text) => {
    expect(filterDiff(text, 100)).toEqual({ text: '', secretFileCount: 0 });
  },
);

test('filterDiff returns at most the maximum length for 5,000 files', () => {
  const diff = Array.from({ length: 5_000 }, (_, index) => createFileDiff(`f${index}.ts`)).join(
    '\n',
  );
  expect(filterDiff(diff, 3_000).text.length).toBeLessThanOrEqual(3_000);
});
