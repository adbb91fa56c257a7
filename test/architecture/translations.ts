import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getL10nJson } from '@vscode/l10n-dev';
import { root } from '../support/paths.ts';
import { productSources } from './sources.ts';

/** The languages that the product speaks besides English, as VS Code names them. */
export const languages = ['de', 'es', 'fr', 'ja', 'zh-cn'] as const;

/** English text, or a key of the manifest, → text. */
export type Texts = { readonly [key: string]: string };

/** A set of texts that is translated as a whole, and where its translations lie. */
export interface TextSet {
  readonly name: 'manifest' | 'host' | 'pages';
  readonly english: () => Promise<Texts>;
  readonly file: (language: string) => string;
}

export const textSets: readonly TextSet[] = [
  {
    name: 'manifest',
    english: () => Promise.resolve(readTexts('package.nls.json')),
    file: (language) => `package.nls.${language}.json`,
  },
  {
    name: 'host',
    english: () => textsBelow('src/'),
    file: (language) => `media/l10n/bundle.l10n.${language}.json`,
  },
  {
    name: 'pages',
    english: () => textsBelow('webview/'),
    file: (language) => `webview/l10n/${language}.json`,
  },
];

/** The texts of a translation, of which there are none before the first is written. */
export function readTexts(path: string): Texts {
  const file = join(root, path);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Texts) : {};
}

const known = new Map<string, Promise<Texts>>();

/** Reading all sources as syntax trees takes its time, and they do not change meanwhile. */
function textsBelow(folder: string): Promise<Texts> {
  const texts = known.get(folder) ?? readTextsBelow(folder);
  known.set(folder, texts);
  return texts;
}

async function readTextsBelow(folder: string): Promise<Texts> {
  const files = [...productSources()]
    // Each disk lists its files in another order, and translations are written in this one.
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .filter(([path, text]) => path.startsWith(folder) && text.includes('l10n.t('))
    .map(([, contents]) => ({ contents, extension: '.ts' as const }));
  const found = await getL10nJson(files);
  return Object.fromEntries(
    Object.entries(found).map(([key, text]) => [
      key,
      typeof text === 'string' ? text : text.message,
    ]),
  );
}

/**
 * What is wrong with a translation, one line each: texts that it lacks, has for nothing, or that lost a placeholder or an
 * icon.
 */
export function flaws(english: Texts, translated: Texts): string[] {
  const missing = Object.keys(english).filter((key) => !translated[key]?.trim());
  const needless = Object.keys(translated).filter((key) => !(key in english));
  const broken = Object.keys(english).filter(
    (key) => translated[key] && marks(english[key] ?? '') !== marks(translated[key]),
  );
  return [
    ...missing.map((key) => `missing: ${key}`),
    ...needless.map((key) => `not used: ${key}`),
    ...broken.map((key) => `marks differ: ${key}`),
  ];
}

/** Placeholders, icons, code and addresses: the same in every language, in any order. */
const marks = (text: string): string =>
  (text.match(/\{\w+\}|\$\([a-z-]+(?:~spin)?\)|`[^`]*`|\(command:[^)]*\)|https?:\/\/\S+/gu) ?? [])
    .toSorted()
    .join(' ');
