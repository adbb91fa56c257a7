import { type Schema, Validator } from '@cfworker/json-schema';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { failureTable } from '../../src/service/http/failure.ts';
import { root } from '../support/paths.ts';
import { formatSettings } from '../support/settings-document.ts';
import { readProductSources } from './sources.ts';

const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

interface CommandTitle {
  readonly title: string;
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Schema>> }[];
    readonly keybindings: readonly { readonly key: string; readonly mac?: string }[];
    readonly commands: readonly CommandTitle[];
    readonly languageModelTools: readonly { readonly toolReferenceName: string }[];
  };
}

const { contributes, scripts } = JSON.parse(readText('package.json')) as Manifest;
const { commands, keybindings, languageModelTools } = contributes;
const settingSchemas = new Map(
  contributes.configuration.flatMap((category) => Object.entries(category.properties)),
);
const nlsTexts = JSON.parse(readText('package.nls.json')) as Record<string, string>;

test('docs/settings.md equals the page generated from the manifest', () => {
  expect(readText('docs/settings.md')).toBe(formatSettings());
});

test('docs/troubleshooting.md lists each setting that is not declared in the manifest, with its default', () => {
  const blockMatch = /undeclaredDefaults = \{(?<block>[^}]+)\}/u.exec(
    readText('src/platform/settings.ts'),
  );
  const declaredDefaults = [
    ...(blockMatch?.groups?.['block'] ?? '').matchAll(/'(?<name>[\w.]+)': (?<value>[^\n]+),/gu),
  ].map(({ groups }) => [
    groups?.['name'] ?? '',
    (groups?.['value'] ?? '').replaceAll(/['_]/gu, ''),
  ]);
  const documentedDefaults = readSettingDefaults(readText('docs/troubleshooting.md'));
  expect(declaredDefaults.length).toBeGreaterThan(5);
  for (const [name = '', value] of declaredDefaults)
    expect([name, documentedDefaults.get(name)]).toEqual([name, value]);
});

test('docs/extension-api.md lists each failure code', () => {
  const [, codesSection = ''] = readText('docs/extension-api.md').split('## Failure codes');
  const codes = [...codesSection.matchAll(/`(?<code>[a-z-]+)`/gu)].map(
    ({ groups }) => groups?.['code'],
  );
  expect(codes).toEqual(Object.keys(failureTable));
});

test('docs/chat.md lists each tool by the name that users can reference', () => {
  const names = languageModelTools.map(({ toolReferenceName }) => `\`#${toolReferenceName}\``);
  const page = readText('docs/chat.md');
  expect(names.filter((name) => !page.includes(name))).toEqual([]);
});

test('CHANGELOG.md has the form of Keep a Changelog, and a link for each version', () => {
  const lines = readText('CHANGELOG.md').split('\n');
  const versions = lines.filter((line) => line.startsWith('## '));
  const headingPattern =
    /^## \[(?:Unreleased|(?<version>\d+\.\d+\.\d+))\](?<date> - \d{4}-\d{2}-\d{2})?$/u;
  const groups = versions.map((line) => headingPattern.exec(line)?.groups);
  expect(versions).not.toEqual([]);
  // A version has a date, and unreleased changes have none.
  expect(groups.map((group) => group && !group['version'] === !group['date'])).not.toContain(false);
  expect(groups).not.toContain(undefined);
  const links = lines.filter((line) => /^\[[^\]]+\]: https:/u.test(line));
  expect(links.map((line) => line.replace(/\].*/u, ']'))).toEqual(
    versions.map((line) => line.slice(3).replace(/\].*/u, ']')),
  );
  const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
  const sections = lines.filter((line) => line.startsWith('### ')).map((line) => line.slice(4));
  expect(sections.filter((section) => !kinds.includes(section))).toEqual([]);
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
  const routeMatches = [
    ...readText('test/service/README.md').matchAll(/`(?<route>(?:GET|POST) \/[a-z0-9]+)/gu),
  ];
  const names = routeMatches.map(({ groups }) => groups?.['route'] ?? '');
  expect(routes.length).toBeGreaterThan(10);
  expect(routes.filter((route) => !names.includes(route))).toEqual([]);
});

const docNames = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const walkthroughFiles = readdirSync(join(root, 'media/walkthrough')).filter((name) =>
  name.endsWith('.md'),
);
const userPages = [
  'README.md',
  ...docNames.map((name) => `docs/${name}`),
  ...walkthroughFiles.map((name) => `media/walkthrough/${name}`),
];

test.each(userPages)(
  'the page %s uses bold only for command titles and labels that occur in the code',
  (path) => {
    const knownLabels = new Set([
      ...commands.map(({ title }) => nlsTexts[title.slice(1, -1)]),
      ...[nlsTexts['view.container'], nlsTexts['view.chat']],
    ]);
    const code = [...readProductSources().values()].join('\n');
    const boldLabels = [...readText(path).matchAll(/\*\*(?<label>[^*]+)\*\*/gu)].map(({ groups }) =>
      (groups?.['label'] ?? '').replaceAll(/\s+/gu, ' '),
    );
    const unknownLabels = boldLabels.filter(
      (label) => !knownLabels.has(label) && !code.includes(`'${label}'`) && !otherLabels.has(label),
    );
    expect(unknownLabels).toEqual([]);
  },
);

test.each(userPages)(
  'the page %s names only settings, commands and variables that the code reads',
  (path) => {
    const code = [readText('package.json'), ...readProductSources().values()].join('\n');
    const nameMatches = readText(path).matchAll(
      /\b(?:inferenceService(?:\.[a-z]\w*)+|INFERENCE_SERVICE_[A-Z_]+)\b/gu,
    );
    const isReadByCode = (name: string): boolean =>
      code.includes(`'${name}'`) || code.includes(`"${name}"`);
    const names = [...nameMatches].map(([name]) => name);
    expect(names.filter((name) => !isReadByCode(name))).toEqual([]);
  },
);

test.each(userPages)('the page %s uses italics only for labels that occur in the code', (path) => {
  const code = [readText('package.nls.json'), ...readProductSources().values()].join('\n');
  const text = readText(path).replaceAll(/```.*?```|`[^`]*`|\*\*[^*]+\*\*/gsu, '');
  const labels = [...text.matchAll(/\*(?<label>[^*]+)\*/gu)].map(({ groups }) =>
    (groups?.['label'] ?? '').replaceAll(/\s+/gu, ' '),
  );
  // A label with a placeholder: *Turn off for …* is the text `Turn off for {0}`.
  const isLabelInCode = (label: string): boolean =>
    [`'${label}'`, `"${label}"`, `'${label.replace('…', '{0}')}'`].some((quotedLabel) =>
      code.includes(quotedLabel),
    );
  expect(labels.filter((label) => !isLabelInCode(label) && !otherItalics.has(label))).toEqual([]);
});

/**
 * Italic texts in the user documentation that are not labels in the code: values of a setting, and a model of the local
 * service.
 */
const otherItalics: ReadonlySet<string> = new Set([
  'Eager',
  'balanced',
  'Economical',
  'Assistant Large',
]);

/**
 * Bold texts in the user documentation that are not labels of the extension: labels of VS Code or of another program.
 */
const otherLabels: ReadonlySet<string> = new Set([
  'Install from VSIX...',
  'Chat: Manage Language Models',
  'Manage Language Models',
  'Add Models',
  'Developer',
  'Start Server',
]);

const repositoryPages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...['test/service/README.md', 'test/foreign/README.md', 'docs/screenshots/README.md'],
];
const allPages = [...new Set([...repositoryPages, ...userPages])];

test.each(allPages)('the page %s mentions only files and folders that exist', (path) => {
  // In pages for users, `.github` is a folder of the user's workspace.
  const folders = repositoryPages.includes(path)
    ? 'src|webview|test|media|docs|\\.github'
    : 'src|webview|test|media|docs';
  const pathMatches = readText(path).matchAll(
    new RegExp(
      String.raw`(?<=\x60(?:[^\x60\n]* )?)(?<path>(?:${folders})/[\w./-]+)(?=\x60| [^\x60\n]*\x60)`,
      'gu',
    ),
  );
  const paths = [...pathMatches].map(({ groups }) => groups?.['path'] ?? '');
  expect(paths.filter((documentedPath) => !existsSync(join(root, documentedPath)))).toEqual([]);
});

test.each(allPages)('the page %s names only npm scripts of the manifest', (path) => {
  const scriptMatches = [
    ...readText(path).matchAll(/\bnpm run (?:--silent )?(?<script>[\w:-]+)/gu),
  ];
  const unknownMatches = scriptMatches.filter(
    ({ groups }) => !Object.hasOwn(scripts, groups?.['script'] ?? ''),
  );
  expect(unknownMatches.map(([command]) => command)).toEqual([]);
});

test('the documentation pages link to each screenshot', () => {
  const pagesText = allPages.map((path) => readText(path)).join('\n');
  const screenshots = ['docs/screenshots', 'media/screenshots'].flatMap((folder) =>
    readdirSync(join(root, folder)).filter((name) => /\.(?:png|gif)$/u.test(name)),
  );
  expect(screenshots.length).toBeGreaterThan(20);
  expect(screenshots.filter((name) => !pagesText.includes(name))).toEqual([]);
});

test.each(allPages)('the page %s links only to files and headings that exist', (path) => {
  const links = [
    ...readText(path).matchAll(
      /\]\((?![a-z]+:)(?<file>[^)#\s]*)(?:#(?<heading>[\w-]+))?\)|\bsrc="(?<image>[^"]+)"/gu,
    ),
  ].map(({ groups }) => ({
    file: groups?.['image'] ?? (groups?.['file'] || basename(path)),
    heading: groups?.['heading'],
  }));
  const brokenLinks = links.filter(({ file, heading }) => {
    const target = join(root, dirname(path), file);
    if (!existsSync(target)) return true;
    return heading !== undefined && !listAnchors(readFileSync(target, 'utf8')).includes(heading);
  });
  expect(brokenLinks).toEqual([]);
});

test.each([
  ['docs/local-service.md', ['test/service/main.ts', 'test/support/commands/start.ts']],
  ['docs/wallet.md', ['src/cli/mint.ts', 'test/support/commands/start.ts']],
  ['test/service/README.md', ['test/service/main.ts', 'test/support/commands/start.ts']],
  ['CONTRIBUTING.md', ['package.json', 'test/e2e/run.ts', 'test/bench/run.ts']],
])('the page %s names only command-line options that its programs read', (path, programs) => {
  const code = programs.map(readText).join('\n');
  const options = [...readText(path).matchAll(/(?<![\w-])--(?<name>[a-z][\w-]+)/gu)]
    .map(({ groups }) => groups?.['name'] ?? '')
    .filter((name) => !otherOptions.has(name));
  expect(options).not.toEqual([]);
  const isReadByCode = (name: string): boolean =>
    new RegExp(String.raw`--${name}\b|[\s{']${name}'?: [{\w]`, 'u').test(code);
  expect(options.filter((name) => !isReadByCode(name))).toEqual([]);
});

test.each(userPages)('the page %s shows only setting values that the manifest allows', (path) => {
  const blocks = [...readText(path).matchAll(/```jsonc\n(?<json>.*?)```/gsu)].map(
    ({ groups }) =>
      JSON.parse(
        (groups?.['json'] ?? '')
          .replaceAll(/^\/\/.*$/gmu, '')
          .replaceAll('0x…', `0x${'0'.repeat(40)}`),
      ) as Record<string, unknown>,
  );
  const errors = blocks.flatMap((block) =>
    Object.entries(block).flatMap(([name, value]) => {
      const schema = settingSchemas.get(name);
      return schema ? new Validator(schema).validate(value).errors : [];
    }),
  );
  expect(errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)).toEqual([]);
});

test.each(userPages)(
  'the page %s names only keyboard shortcuts of the manifest, of the pages and of VS Code',
  (path) => {
    const knownKeys = new Set([
      ...keybindings.flatMap(({ key, mac }) => (mac === undefined ? [key] : [key, mac])),
      ...otherKeys,
    ]);
    const keyMatches = [...readText(path).matchAll(/<kbd>(?<key>[^<]*[^<\w][^<]*|F\d+)<\/kbd>/gu)];
    const unknownMatches = keyMatches.filter(
      ({ groups }) => !knownKeys.has(normalizeKey(groups?.['key'] ?? '')),
    );
    expect(unknownMatches.map(([key]) => key)).toEqual([]);
  },
);

/**
 * Command-line options in the documentation that the project's programs do not read, because they are options of npm,
 * Node.js or vsce.
 */
const otherOptions: ReadonlySet<string> = new Set([
  ...['silent', 'version'],
  ...['baseContentUrl', 'baseImagesUrl'],
]);

/**
 * Keys in the documentation that the manifest does not bind, because a page of the extension, VS Code or a terminal
 * handles them.
 */
const otherKeys: ReadonlySet<string> = new Set([
  ...['shift+enter', 'ctrl+.', 'ctrl+f', 'ctrl+c', '↑'],
  ...['ctrl+→', 'cmd+→', 'alt+[', 'alt+]'],
]);

/** Converts a key in a document to the format of the manifest: lower case, with modifiers in the manifest's order. */
function normalizeKey(key: string): string {
  const [mainKey = '', ...modifiers] = key
    .toLowerCase()
    .replaceAll('option', 'alt')
    .split('+')
    .toReversed();
  const modifierOrder = ['ctrl', 'cmd', 'alt', 'shift'];
  return [
    ...modifiers.toSorted((a, b) => modifierOrder.indexOf(a) - modifierOrder.indexOf(b)),
    mainKey,
  ].join('+');
}

/** Returns the anchors that the repository's website creates for the headings of a page. */
function listAnchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (?<heading>.+)$/gmu)].map(({ groups }) =>
    (groups?.['heading'] ?? '')
      .toLowerCase()
      .replaceAll(/[^\w\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/**
 * Reads the tables of settings in a document. Returns the default (second column) by setting name (first column).
 * Expands abbreviated names: `.next` means `chat.next` if the first name in the cell is `chat.first`.
 */
function readSettingDefaults(markdown: string): ReadonlyMap<string, string | undefined> {
  const rows = markdown.matchAll(/^\| (?<names>`[^|]*) \| (?<defaults>[^|]*)\|/gmu);
  return new Map(
    [...rows].flatMap(({ groups }) => {
      const names = [...(groups?.['names'] ?? '').matchAll(/`(?<name>[^`]+)`/gu)];
      const defaults = (groups?.['defaults'] ?? '').replaceAll('`', '').trim().split(', ');
      const family = names[0]?.groups?.['name']?.replace(/\.[^.]+$/u, '') ?? '';
      return names.map(({ groups: nameGroups }, index): [string, string | undefined] => {
        const name = nameGroups?.['name'] ?? '';
        return [name.startsWith('.') ? `${family}${name}` : name, defaults[index]];
      });
    }),
  );
}
