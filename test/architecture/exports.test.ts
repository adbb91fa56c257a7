import { expect, test } from 'vitest';
import { findUnusedExports } from './exports.ts';
import { readProductSources } from './sources.ts';

/** Modules that VS Code, Node.js or a page loads directly. Their exports therefore always count as used. */
const entryPaths = [
  'src/extension.ts',
  'src/cli/mint.ts',
  ...['chat', 'studio', 'usage', 'wallet', 'dictation'].map((page) => `webview/${page}/main.ts`),
  'webview/dictation/recorder.ts',
  // The bundler replaces `@vscode/l10n` in pages by this module.
  'webview/base/translations.ts',
];

test('each export of the product is reachable from an entry file', () => {
  const sources = readProductSources();
  expect(sources.size).toBeGreaterThan(50);
  for (const entry of entryPaths) expect(sources.has(entry)).toBe(true);
  expect(findUnusedExports(sources, entryPaths)).toEqual([]);
});

const entryPath = 'src/extension.ts';
const plantedSource = 'export const planted = (): number => 1;';
const findUnusedExportsOf = (moduleText: string, callerText: string): readonly string[] =>
  findUnusedExports(
    new Map([
      ['src/chat/planted.ts', moduleText],
      [entryPath, callerText],
    ]),
    [entryPath],
  );

test.each([
  ['an import', "import { other, planted } from './chat/planted.ts';\nplanted();"],
  [
    'an import with another name',
    "import { planted as renamed } from './chat/planted.ts';\nrenamed();",
  ],
  [
    'a type import',
    "import type { planted } from './chat/planted.ts';\nexport type A = typeof planted;",
  ],
  [
    'a dynamic import',
    "export async function run() { const { planted } = await import('./chat/planted.ts'); planted(); }",
  ],
  [
    'a `then` callback of a dynamic import',
    "export const run = () => import('./chat/planted.ts').then(({ planted }) => planted());",
  ],
  [
    'a member of a dynamic import',
    "export const run = async () => (await import('./chat/planted.ts')).planted();",
  ],
  ['an import of the whole module', "import * as all from './chat/planted.ts';\nall.planted();"],
  ['a re-export', "export { planted } from './chat/planted.ts';"],
])('%s in reachable code counts as a use of the export', (_, text) => {
  expect(findUnusedExportsOf(plantedSource, text)).toEqual([]);
});

test.each([
  ['an empty source file', ''],
  ['an import without a use', "import { planted } from './chat/planted.ts';"],
  ['an import of another export', "import { other } from './chat/planted.ts';\nother();"],
  [
    'an import of the same name from another module',
    "import { planted } from './agent/planted.ts';\nplanted();",
  ],
  [
    'another member of a dynamic import',
    "export const run = async () => (await import('./chat/planted.ts')).other();",
  ],
  [
    'a comment',
    "// import { planted } from './chat/planted.ts';\nexport const run = () => /* planted */ 1;",
  ],
  [
    'an unreachable declaration',
    "import { planted } from './chat/planted.ts';\nconst unused = () => planted();",
  ],
])('%s does not count as a use of the export', (_, text) => {
  expect(findUnusedExportsOf(`/** Describes planted. */\n${plantedSource}`, text)).toEqual([
    'src/chat/planted.ts planted',
  ]);
});

test('the check for unused exports includes interfaces and classes', () => {
  expect(findUnusedExportsOf('export interface A {}\nexport class B {}', '')).toEqual([
    'src/chat/planted.ts A',
    'src/chat/planted.ts B',
  ]);
});

test('a use of an export inside its own module counts only if the use is reachable', () => {
  const caller = "import { used } from './chat/planted.ts';\nused();";
  expect(
    findUnusedExportsOf(`${plantedSource}\nexport const used = () => planted();`, caller),
  ).toEqual([]);
  expect(
    findUnusedExportsOf(
      `${plantedSource}\nexport const used = () => 1;\nconst other = () => planted();`,
      caller,
    ),
  ).toEqual(['src/chat/planted.ts planted']);
  expect(findUnusedExportsOf('export const again = (): number => again();', '')).toEqual([
    'src/chat/planted.ts again',
  ]);
});

test('a use in a statement that runs on import counts only if a reachable file imports the module', () => {
  expect(
    findUnusedExportsOf(`${plantedSource}\nplanted();`, "import './chat/planted.ts';"),
  ).toEqual([]);
  expect(findUnusedExportsOf(`${plantedSource}\nplanted();`, '')).toEqual([
    'src/chat/planted.ts planted',
  ]);
});
