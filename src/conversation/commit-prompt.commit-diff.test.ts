import { expect, test } from 'vitest';
import { filterDiff } from './commit-prompt.ts';

const file = (name: string, body = '+a line'): string =>
  `diff --git a/${name} b/${name}\nindex 1..2 100644\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n${body}`;

test.each([
  ['a short one', [file('src/a.ts'), file('b.md')]],
  [
    'one whose text has the mark of a file within a line',
    [file('a.ts', '+ diff --git a/.env b/.env')],
  ],
])('returns a diff with %s unchanged', (_, files) => {
  const diff = files.join('\n');
  expect(filterDiff(diff, 10_000)).toEqual({ text: diff, secretFiles: 0 });
});

test.each([
  ['by its name', file('.env')],
  ['in a folder', file('deploy/id_rsa')],
  ['with a space in its path', file('my files/server.pem')],
  [
    'that is new',
    'diff --git a/.env b/.env\nnew file mode 100644\n--- /dev/null\n+++ b/.env\n@@ -0,0 +1 @@\n+K=1',
  ],
  [
    'that is gone',
    'diff --git a/.npmrc b/.npmrc\ndeleted file mode 100644\n--- a/.npmrc\n+++ /dev/null\n@@ -1 +0,0 @@\n-t',
  ],
  ['whose bytes do not show', 'diff --git a/store.p12 b/store.p12\nBinary files differ'],
  [
    'that got another name',
    'diff --git a/.env b/notes.txt\nrename from .env\nrename to notes.txt\n@@ -1 +1 @@\n+x',
  ],
  ['in quotes', 'diff --git "a/\\303\\274/server.key" "b/\\303\\274/server.key"\n@@ -1 +1 @@\n+x'],
  ['without prefixes', 'diff --git .env .env\n--- .env\n+++ .env\n@@ -1 +1 @@\n+x'],
  ['behind more spaces than are looked at', file(`${'a '.repeat(80)}/.env`)],
  ['behind a path that is too long', file(`${'a'.repeat(5_000)}/.env.production/x`)],
  ['in a merge', 'diff --cc .env\nindex 1,2..3\n--- a/.env\n+++ b/.env\n@@@ -1 +1 @@@\n++x'],
])('removes a secret file %s', (_, secret) => {
  const diff = [file('a.ts'), secret, file('b.ts')].join('\n');
  const { text, secretFiles } = filterDiff(diff, 10_000);
  expect(text).toBe([file('a.ts'), file('b.ts')].join('\n'));
  expect(secretFiles).toBe(1);
});

test('truncates long files and keeps short ones whole', () => {
  const long = file('long.ts', '+0123456789\n'.repeat(2_000));
  const { text } = filterDiff([file('a.ts'), long, file('z.ts')].join('\n'), 2_000);
  expect(text.length).toBeLessThanOrEqual(2_000);
  expect(text.length).toBeGreaterThan(1_800);
  expect(text).toContain(file('a.ts'));
  expect(text).toContain(file('z.ts'));
  expect(text).toMatch(/\+0123456789\n\[cut\]\ndiff --git a\/z\.ts/u);
});

test.each(['', 'fatal: not a repository', '\u0000', 'diff'])('returns no text for %j', (text) => {
  expect(filterDiff(text, 100)).toEqual({ text: '', secretFiles: 0 });
});

test('stays within the limit for any number of files', () => {
  const many = Array.from({ length: 5_000 }, (_, index) => file(`f${index}.ts`)).join('\n');
  expect(filterDiff(many, 3_000).text.length).toBeLessThanOrEqual(3_000);
});
