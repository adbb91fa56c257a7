import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/paths.ts';
import { formatSettings } from '../support/settings-document.ts';
import { readProductSources } from './sources.ts';

const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Title {
  readonly title: string;
}

interface Manifest {
  readonly contributes: {
    readonly commands: readonly Title[];
    readonly languageModelTools: readonly { readonly toolReferenceName: string }[];
  };
}

const { commands, languageModelTools } = (JSON.parse(readText('package.json')) as Manifest)
  .contributes;
const titles = JSON.parse(readText('package.nls.json')) as Record<string, string>;

test('docs/settings.md equals the page generated from the manifest', () => {
  expect(readText('docs/settings.md')).toBe(formatSettings());
});

test('docs/troubleshooting.md lists each setting that has a default but is not declared in the manifest', () => {
  const block = /undeclaredDefaults = \{(?<block>[^}]+)\}/u.exec(
    readText('src/platform/settings.ts'),
  );
  const names = [...(block?.groups?.['block'] ?? '').matchAll(/'(?<name>[\w.]+)':/gu)].map(
    ({ groups }) => groups?.['name'] ?? '',
  );
  const listed = listSettings(readText('docs/troubleshooting.md'));
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !listed.includes(name))).toEqual([]);
});

test('docs/chat.md lists each tool by the name that users can reference', () => {
  const names = languageModelTools.map(({ toolReferenceName }) => `\`#${toolReferenceName}\``);
  const page = readText('docs/chat.md');
  expect(names.filter((name) => !page.includes(name))).toEqual([]);
});

test('the README has at most 150 lines', () => {
  expect(readText('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
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
const walkthrough = readdirSync(join(root, 'media/walkthrough')).filter((name) =>
  name.endsWith('.md'),
);
const userPages = [
  'README.md',
  ...documents.map((name) => `docs/${name}`),
  ...walkthrough.map((name) => `media/walkthrough/${name}`),
];

test.each(userPages)(
  '%s uses bold only for command titles and labels that occur in the code',
  (path) => {
    const known = new Set(commands.map(({ title }) => titles[title.slice(1, -1)]));
    const code = [...readProductSources().values()].join('\n');
    const bold = [...readText(path).matchAll(/\*\*(?<label>[^*]+)\*\*/gu)].map(({ groups }) =>
      (groups?.['label'] ?? '').replaceAll(/\s+/gu, ' '),
    );
    const unknown = bold.filter(
      (label) => !known.has(label) && !code.includes(`'${label}'`) && !otherLabels.has(label),
    );
    expect(unknown).toEqual([]);
  },
);

test.each(userPages)(
  '%s names only settings, commands and variables that the code reads',
  (path) => {
    const code = [readText('package.json'), ...readProductSources().values()].join('\n');
    const named = readText(path).matchAll(
      /\b(?:inferenceService(?:\.[a-z]\w*)+|INFERENCE_SERVICE_[A-Z_]+)\b/gu,
    );
    const isRead = (name: string): boolean =>
      code.includes(`'${name}'`) || code.includes(`"${name}"`);
    const names = [...named].map(([name]) => name);
    expect(names.filter((name) => !isRead(name))).toEqual([]);
  },
);

/** Bold labels in the documents that belong to VS Code or another program. */
const otherLabels: ReadonlySet<string> = new Set([
  'Chat: Manage Language Models',
  'Manage Language Models',
  'Add Models',
  'Developer',
  'Start Server',
]);

test.each([
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'test/service/README.md'],
  ...documents.map((name) => `docs/${name}`),
])('%s mentions only files and folders that exist', (path) => {
  const named = [...readText(path).matchAll(/`(?<path>(?:src|webview|test|media)\/[\w./-]+)`/gu)];
  const paths = named.map(({ groups }) => groups?.['path'] ?? '');
  expect(paths.filter((documentedPath) => !existsSync(join(root, documentedPath)))).toEqual([]);
});

test('the README and the pages in docs link only to pages and headings that exist', () => {
  const links = userPages.flatMap((path) =>
    [...readText(path).matchAll(/\]\((?<file>[\w/-]+\.md)(?:#(?<heading>[\w-]+))?\)/gu)].map(
      ({ groups }) => ({
        page: join(dirname(path), groups?.['file'] ?? ''),
        heading: groups?.['heading'],
      }),
    ),
  );
  const broken = links.filter(
    ({ page, heading }) =>
      !existsSync(join(root, page)) ||
      (heading !== undefined && !listAnchors(readText(page)).includes(heading)),
  );
  expect(links.length).toBeGreaterThan(3);
  expect(broken).toEqual([]);
});

/** Returns the anchors that the headings of a page have on the repository's website. */
function listAnchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (?<heading>.+)$/gmu)].map(({ groups }) =>
    (groups?.['heading'] ?? '')
      .toLowerCase()
      .replaceAll(/[^\w\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/**
 * Returns the setting names in the first column of the tables. Expands abbreviated names: `.next` belongs to the same
 * family as the name before it.
 */
function listSettings(markdown: string): string[] {
  const cells = [...markdown.matchAll(/^\| (?<names>`[^|]*) \|/gmu)];
  return cells.flatMap(({ groups }) => {
    const names = [...(groups?.['names'] ?? '').matchAll(/`(?<name>[^`]+)`/gu)];
    const all = names.map((match) => match.groups?.['name'] ?? '');
    const family = all[0]?.replace(/\.[^.]+$/u, '') ?? '';
    return all.map((name) => (name.startsWith('.') ? `${family}${name}` : name));
  });
}
