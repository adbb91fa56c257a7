import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { getL10nJson } from '@vscode/l10n-dev';
import { root } from '../support/paths.ts';
import { productSources } from './sources.ts';

/** Supported languages besides English, as VS Code identifiers. */
export const languages = ['de', 'es', 'fr', 'ja', 'zh-cn'] as const;

/**
 * Requires every text in every language. Off during development, where a missing translation shows in English. Set
 * `TRANSLATIONS=complete` before a release.
 */
export const required: boolean = env['TRANSLATIONS'] === 'complete';

/** Maps an English text or a manifest key to a text. */
export type Texts = { readonly [key: string]: string };

/** Texts that are translated together, with the location of their translations. */
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

/** Reads the texts of a translation. Empty for a missing file. */
export function readTexts(path: string): Texts {
  const file = join(root, path);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Texts) : {};
}

const cached = new Map<string, Promise<Texts>>();

function textsBelow(folder: string): Promise<Texts> {
  const texts = cached.get(folder) ?? textsOf(sourcesBelow(folder));
  cached.set(folder, texts);
  return texts;
}

/** Returns the sources that contain texts, sorted by path so that translations have a stable order. */
export function sourcesBelow(folder: string): string[] {
  return [...productSources()]
    .filter(([path, text]) => path.startsWith(folder) && text.includes('l10n.t('))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, text]) => text);
}

/**
 * Reads the English texts of TypeScript modules, in order. Parses all modules as one with a single import, because the
 * parser compiles its queries per module and import, which takes almost a minute for all modules.
 */
export async function textsOf(sources: readonly string[]): Promise<Texts> {
  const imports = /^import (?:type )?\* as \w+ from '(?:vscode|@vscode\/l10n)';$/gmu;
  const bodies = sources.map((source) => source.replaceAll(imports, ''));
  // This import covers `l10n.t` as well as `vscode.l10n.t`.
  const contents = ["import * as vscode from 'vscode';", ...bodies].join('\n');
  const found = await getL10nJson([{ contents, extension: '.ts' }]);
  return Object.fromEntries(
    Object.entries(found).map(([key, text]) => [
      key,
      typeof text === 'string' ? text : text.message,
    ]),
  );
}

/** Differences between the keys of a translation and the English ones. */
export interface Gaps {
  /** English texts without a translation. They show in English. */
  readonly missing: Texts;
  /** Translations of texts that no longer exist. They never show. */
  readonly stale: Texts;
}

export function gaps(english: Texts, translated: Texts): Gaps {
  return { missing: omitKeys(english, translated), stale: omitKeys(translated, english) };
}

const omitKeys = (texts: Texts, excludedTexts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => !Object.hasOwn(excludedTexts, key)));

/**
 * Lists the problems of a translation, one line each. A blank text and one that lost a placeholder or an icon are always
 * problems: they show instead of the English text. Gaps are problems only if the translation has to be complete.
 */
export function problems(
  english: Texts,
  translated: Texts,
  { complete }: { readonly complete: boolean },
): string[] {
  const { missing, stale } = gaps(english, translated);
  const present = Object.keys(english).filter((key) => Object.hasOwn(translated, key));
  const blank = present.filter((key) => !translated[key]?.trim());
  const brokenKeys = present.filter(
    (key) =>
      !blank.includes(key) &&
      placeholders(english[key] ?? '') !== placeholders(translated[key] ?? ''),
  );
  return [
    ...(complete ? Object.keys(missing).map((key) => `missing: ${key}`) : []),
    ...(complete ? Object.keys(stale).map((key) => `not used: ${key}`) : []),
    ...blank.map((key) => `blank: ${key}`),
    ...brokenKeys.map((key) => `placeholders differ: ${key}`),
  ];
}

/** Returns the placeholders, icons, code and addresses of a text, sorted. They must be equal in every language. */
const placeholders = (text: string): string =>
  (text.match(/\{\w+\}|\$\([a-z-]+(?:~spin)?\)|`[^`]*`|\(command:[^)]*\)|https?:\/\/\S+/gu) ?? [])
    .toSorted()
    .join(' ');
