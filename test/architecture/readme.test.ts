import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/paths.ts';

const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Manifest {
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Record<string, unknown> }[];
    readonly languageModelTools: readonly { readonly toolReferenceName: string }[];
  };
}

const { configuration, languageModelTools } = (JSON.parse(readText('package.json')) as Manifest)
  .contributes;
const readme = readText('README.md');

test('the README lists the same settings as the manifest, in the same order', () => {
  const names = configuration.flatMap(({ properties }) => Object.keys(properties));
  expect(listSettings(readme)).toEqual(names);
});

test('the README lists each tool by its reference name', () => {
  const names = languageModelTools.map(({ toolReferenceName }) => `\`#${toolReferenceName}\``);
  expect(names.filter((name) => !readme.includes(name))).toEqual([]);
});

test('the README of the test service lists each route of the control plane', () => {
  const routes = [
    ...readText('test/service/control/control-server.ts').matchAll(
      /\b(?:app\.)?(?<method>get|post)\('(?<path>\/[a-z0-9]+)'/gu,
    ),
  ].map(({ groups }) => `${groups?.['method']?.toUpperCase()} ${groups?.['path']}`);
  const documentedRoutes = [
    ...readText('test/service/README.md').matchAll(/`(?<route>(?:GET|POST) \/[a-z0-9]+)/gu),
  ];
  const names = documentedRoutes.map(({ groups }) => groups?.['route'] ?? '');
  expect(routes.length).toBeGreaterThan(10);
  expect(routes.filter((route) => !names.includes(route))).toEqual([]);
});

const documents = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));

test.each([
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'test/service/README.md'],
  ...documents.map((name) => `docs/${name}`),
])('%s mentions only files and folders that exist', (path) => {
  const named = [...readText(path).matchAll(/`(?<path>(?:src|webview|test|media)\/[\w./-]+)`/gu)];
  const paths = named.map(({ groups }) => groups?.['path'] ?? '');
  expect(paths.filter((documentedPath) => !existsSync(join(root, documentedPath)))).toEqual([]);
});

test('the pages in docs link only to headings that exist', () => {
  const links = documents.flatMap((name) =>
    [
      ...readText(`docs/${name}`).matchAll(/\]\((?<file>[\w-]+\.md)(?:#(?<heading>[\w-]+))?\)/gu),
    ].map(({ groups }) => ({ page: groups?.['file'] ?? '', heading: groups?.['heading'] })),
  );
  const broken = links.filter(
    ({ page, heading }) =>
      !documents.includes(page) ||
      (heading !== undefined && !anchorsIn(readText(`docs/${page}`)).includes(heading)),
  );
  expect(links.length).toBeGreaterThan(3);
  expect(broken).toEqual([]);
});

/** Returns the anchors that the headings of a page have on the repository's website. */
function anchorsIn(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (?<heading>.+)$/gmu)].map(({ groups }) =>
    (groups?.['heading'] ?? '')
      .toLowerCase()
      .replaceAll(/[^\w\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/**
 * Returns the setting names in the table of settings. Expands abbreviated names: `.next` belongs to the same family as
 * the name before it.
 */
function listSettings(markdown: string): string[] {
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
