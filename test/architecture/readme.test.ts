import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../support/paths.ts';

const text = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Manifest {
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Record<string, unknown> }[];
    readonly languageModelTools: readonly { readonly toolReferenceName: string }[];
  };
}

const { configuration, languageModelTools } = (JSON.parse(text('package.json')) as Manifest)
  .contributes;
const readme = text('README.md');

test('the README lists the same settings as the manifest, in the same order', () => {
  const names = configuration.flatMap(({ properties }) => Object.keys(properties));
  expect(settingsIn(readme)).toEqual(names);
});

test('the README lists each tool by its reference name', () => {
  const names = languageModelTools.map(({ toolReferenceName }) => `\`#${toolReferenceName}\``);
  expect(names.filter((name) => !readme.includes(name))).toEqual([]);
});

test('the README of the test service lists each route of the control plane', () => {
  const routes = [
    ...text('test/service/control/control-server.ts').matchAll(
      /\b(?:app\.)?(?<method>get|post)\('(?<path>\/[a-z0-9]+)'/gu,
    ),
  ].map(({ groups }) => `${groups?.['method']?.toUpperCase()} ${groups?.['path']}`);
  const documentedRoutes = [
    ...text('test/service/README.md').matchAll(/`(?<route>(?:GET|POST) \/[a-z0-9]+)/gu),
  ];
  const names = documentedRoutes.map(({ groups }) => groups?.['route'] ?? '');
  expect(routes.length).toBeGreaterThan(10);
  expect(routes.filter((route) => !names.includes(route))).toEqual([]);
});

test.each(['README.md', 'CONTRIBUTING.md', 'test/service/README.md'])(
  '%s mentions only files and folders that exist',
  (path) => {
    const named = [...text(path).matchAll(/`(?<path>(?:src|webview|test|media)\/[\w./-]+)`/gu)];
    const paths = named.map(({ groups }) => groups?.['path'] ?? '');
    expect(paths.filter((documentedPath) => !existsSync(join(root, documentedPath)))).toEqual([]);
  },
);

describe('the flows of CONTRIBUTING.md', () => {
  /** Maximum number of files per flow. Raise a limit if a flow needs another file. */
  const maxFiles: Readonly<Record<string, number>> = {
    'Streamed text, from socket to DOM': 23,
    'Tool call, to a written and accepted file': 49,
    'Minted key, to the `Authorization` header': 34,
    'Keystroke, to inline suggestion': 27,
    'Insert Image, to file and reference': 32,
  };
  const flows = flowsIn(text('CONTRIBUTING.md'));

  test('each have a maximum number of files', () =>
    expect([...flows.keys()]).toEqual(Object.keys(maxFiles)));

  test.each([...flows])(
    '"%s" lists each file one time, and not more files than the limit',
    (title, files) => {
      expect(files).toEqual([...new Set(files)]);
      expect(files.length).toBeLessThanOrEqual(maxFiles[title] ?? 0);
    },
  );

  test.each([...flows])(
    '"%s" lists only files that import, or are imported by, another file of the flow',
    (_title, files) => {
      const isLinked = (path: string): boolean =>
        files.some((other) => importsOf(path).has(other) || importsOf(other).has(path));
      expect(files.filter((path) => !isLinked(path) && !implementsPort.has(path))).toEqual([]);
    },
  );
});

/** Files that implement a port. A flow reaches them without an import from one of its other files. */
const implementsPort = new Set(['src/service/http/direct-transport.ts']);

/** Returns the file paths in the numbered list below each bold title. */
function flowsIn(markdown: string): ReadonlyMap<string, readonly string[]> {
  const lists = markdown.matchAll(/\n\*\*(?<title>[^*\n]+)\*\*\n\n(?<steps>(?:\d\. .*\n)+)/gu);
  return new Map(
    [...lists].map(({ groups }) => [
      groups?.['title'] ?? '',
      [...(groups?.['steps'] ?? '').matchAll(/`(?<path>[^`]+\.ts)`/gu)].map(
        (match) => match.groups?.['path'] ?? '',
      ),
    ]),
  );
}

/** Returns the relative imports of a file as paths relative to the repository. */
function importsOf(path: string): ReadonlySet<string> {
  const specifiers = text(path).matchAll(/(?:from |import\()\s*'(?<specifier>\.[^']+)'/gu);
  const folder = posix.dirname(path);
  return new Set(
    [...specifiers].map(({ groups }) => posix.join(folder, groups?.['specifier'] ?? '')),
  );
}

/**
 * Returns the setting names in the table of settings. Expands abbreviated names: `.next` belongs to the same family as
 * the name before it.
 */
function settingsIn(markdown: string): string[] {
  const section =
    /\n### Settings\n(?<rows>[\s\S]*?)\n###? /u.exec(markdown)?.groups?.['rows'] ?? '';
  const cells = [...section.matchAll(/^\| (?<names>`[^|]*) \|/gmu)];
  return cells.flatMap(({ groups }) => {
    const names = [...(groups?.['names'] ?? '').matchAll(/`(?<name>[^`]+)`/gu)];
    const all = names.map((match) => match.groups?.['name'] ?? '');
    const family = all[0]?.replace(/\.[^.]+$/u, '') ?? '';
    return all.map((name) => (name.startsWith('.') ? `${family}${name}` : name));
  });
}
