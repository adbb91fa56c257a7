import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../support/paths.ts';
import { readProductSources } from './sources.ts';

const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the flows in CONTRIBUTING.md', () => {
  /**
   * Maximum number of files in each flow, by the title of the flow. A flow is a list in CONTRIBUTING.md of the files
   * that one operation passes through. Raise a limit if a flow needs another file.
   */
  const maxFilesByFlow: Readonly<Record<string, number>> = {
    'Streamed text, from socket to DOM': 23,
    'Tool call, to a written and accepted file': 49,
    'Minted key, to the `Authorization` header': 33,
    'Keystroke, to inline suggestion': 26,
    'Insert Image, to file and reference': 30,
  };
  const guideText = readText('CONTRIBUTING.md');
  const flows = readFlows(guideText);

  test('each state a maximum number of files', () =>
    expect([...flows.keys()]).toEqual(Object.keys(maxFilesByFlow)));

  test.each([...flows])(
    'include the flow "%s", which lists each file once, states the number of files and does not exceed the limit',
    (title, files) => {
      expect(files).toEqual([...new Set(files)]);
      expect(files.length).toBeLessThanOrEqual(maxFilesByFlow[title] ?? 0);
      expect(guideText).toContain(`\n**${title}**: ${files.length} files\n`);
    },
  );

  test.each([...flows])(
    'include the flow "%s", whose files are all connected by imports to its first file or to another entry file',
    (_title, files) => {
      const areLinked = (a: string, b: string): boolean =>
        readImports(a).has(b) || readImports(b).has(a);
      const reachedFiles = files.filter((path, index) => index === 0 || entryFiles.has(path));
      for (const path of reachedFiles) {
        reachedFiles.push(
          ...files.filter(
            (otherPath) => !reachedFiles.includes(otherPath) && areLinked(path, otherPath),
          ),
        );
      }
      expect(files.filter((path) => !reachedFiles.includes(path))).toEqual([]);
      // The first file needs no link, because a port can call it.
      const isUnlinked = (path: string): boolean =>
        !files.some((otherPath) => otherPath !== path && areLinked(path, otherPath));
      expect(files.slice(1).filter(isUnlinked)).toEqual([]);
    },
  );
});

test('CONTRIBUTING.md names only identifiers that a source contains', () => {
  const code = [
    ...readProductSources().values(),
    ...[...readText('CONTRIBUTING.md').matchAll(/`(?<path>test\/[\w./-]+\.ts)`/gu)].map(
      ({ groups }) => readText(groups?.['path'] ?? ''),
    ),
  ].join('\n');
  const names = [
    ...readText('CONTRIBUTING.md').matchAll(/`#?(?<name>[A-Za-z]\w*(?:\.\w+)?)(?:\(\))?`/gu),
  ].flatMap(({ groups }) => (groups?.['name'] ?? '').split('.'));
  const isCamelCase = (name: string): boolean => /^[A-Za-z]*[a-z][A-Z]\w*$/u.test(name);
  const identifiers = [...new Set(names)].filter(isCamelCase);
  expect(identifiers.length).toBeGreaterThan(15);
  expect(identifiers.filter((name) => !new RegExp(`\\b${name}\\b`, 'u').test(code))).toEqual([]);
});

test('the map of CONTRIBUTING.md lists each folder of the repository and of src, and each program in the root folder', () => {
  const [mapSection = ''] =
    /\n## The map\n.*?\n\*\*Layout/su.exec(readText('CONTRIBUTING.md')) ?? [];
  const ignoredNames = new Set(readText('.gitignore').split('\n'));
  const entries = ['', 'src/'].flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) =>
        entry.isDirectory()
          ? !entry.name.startsWith('.')
          : folder === '' && /^[^.].*\.m?[jt]s$/u.test(entry.name),
      )
      .map((entry) => `${folder}${entry.name}`),
  );
  const names = entries.filter((name) => !ignoredNames.has(name) && !ignoredNames.has(`${name}/`));
  expect(names).toContain('src/base');
  const isListed = (name: string): boolean =>
    [`\`${name}\``, `\`${name}/`].some((linkStart) => mapSection.includes(linkStart));
  expect(names.filter((name) => !isListed(name))).toEqual([]);
});

test('CONTRIBUTING.md names each placeholder in the manifest', () => {
  const hosts = [
    ...readText('package.json').matchAll(/https:\/\/(?<host>[\w.-]+\.example)\b/gu),
  ].map(({ groups }) => groups?.['host'] ?? '');
  const releases = readText('CONTRIBUTING.md').split('\n## Releases\n')[1] ?? '';
  expect(hosts.filter((host) => !releases.includes(`\`${host}\``))).toEqual([]);
});

/**
 * Files in the flows at which the chain of imports starts again, because the preceding file reaches them only through a
 * callback or a page message.
 */
const entryFiles: ReadonlySet<string> = new Set([
  'src/service/http/request.ts',
  'webview/chat/main.ts',
  'webview/chat/store.ts',
  'webview/base/host-connection.ts',
]);

/**
 * Returns the paths of the files in each flow, by the title of the flow. A flow is a numbered list below a line that
 * contains the bold title and the number of files.
 */
function readFlows(markdown: string): ReadonlyMap<string, readonly string[]> {
  const flowMatches = markdown.matchAll(
    /\n\*\*(?<title>[^*\n]+)\*\*: \d+ files\n\n(?<steps>(?:\d\. .*\n)+)/gu,
  );
  return new Map(
    [...flowMatches].map(({ groups }) => [
      groups?.['title'] ?? '',
      [...(groups?.['steps'] ?? '').matchAll(/`(?<path>[^`]+\.ts)`/gu)].map(
        (match) => match.groups?.['path'] ?? '',
      ),
    ]),
  );
}

/**
 * Returns the paths of the modules that a file imports by relative specifiers. The paths are relative to the
 * repository.
 */
function readImports(path: string): ReadonlySet<string> {
  const specifierMatches = readText(path).matchAll(
    /(?:from |import\()\s*'(?<specifier>\.[^']+)'/gu,
  );
  const folder = posix.dirname(path);
  return new Set(
    [...specifierMatches].map(({ groups }) => posix.join(folder, groups?.['specifier'] ?? '')),
  );
}
