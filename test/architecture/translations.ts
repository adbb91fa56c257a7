import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { getL10nJson } from '@vscode/l10n-dev';
import { root } from '../support/paths.ts';
import { readProductSources } from './sources.ts';

/** Supported display languages except English, as VS Code identifiers. */
export const languages = ['de', 'es', 'fr', 'ja', 'zh-cn'] as const;

/**
 * True if translations must be complete. During development, `TRANSLATIONS=partial` permits missing translations,
 * because VS Code then shows the English texts.
 */
export const areTranslationsRequired: boolean = env['TRANSLATIONS'] !== 'partial';

/** Texts by key. The key is an English text, or a key of `package.nls.json`. */
export type Texts = { readonly [key: string]: string };

/** Set of texts that are translated together. `getPath` returns the path of the translation into a language. */
export interface TextSet {
  readonly name: 'manifest' | 'host' | 'pages';
  readonly collectEnglishTexts: () => Promise<Texts>;
  readonly getPath: (language: string) => string;
}

export const textSets: readonly TextSet[] = [
  {
    name: 'manifest',
    collectEnglishTexts: () => Promise.resolve(readTexts('package.nls.json')),
    getPath: (language) => `package.nls.${language}.json`,
  },
  {
    name: 'host',
    collectEnglishTexts: () => readTextsBelow('src/'),
    getPath: (language) => `media/l10n/bundle.l10n.${language}.json`,
  },
  {
    name: 'pages',
    collectEnglishTexts: () => readTextsBelow('webview/'),
    getPath: (language) => `webview/l10n/${language}.json`,
  },
];

/** Returns the texts of a translation file, or an empty object if the file is missing. */
export function readTexts(path: string): Texts {
  const file = join(root, path);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Texts) : {};
}

const cachedTexts = new Map<string, Promise<Texts>>();

function readTextsBelow(folder: string): Promise<Texts> {
  const textsPromise = cachedTexts.get(folder) ?? collectTexts(readSourcesWithTexts(folder));
  cachedTexts.set(folder, textsPromise);
  return textsPromise;
}

/**
 * Returns the text of each source that is below `folder` and calls `l10n.t`. The sources are sorted by path, so that
 * translations have a stable order.
 */
export function readSourcesWithTexts(folder: string): string[] {
  return [...readProductSources()]
    .filter(([path, text]) => path.startsWith(folder) && text.includes('l10n.t('))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, text]) => text);
}

/**
 * Returns the English texts of TypeScript modules, in order. Joins all modules into one with a single import, because
 * the parser compiles its queries for each module and each import. Separate modules would take almost a minute.
 */
export async function collectTexts(sources: readonly string[]): Promise<Texts> {
  const importPattern = /^import (?:type )?\* as \w+ from '(?:vscode|@vscode\/l10n)';$/gmu;
  const sourcesWithoutImports = sources.map((source) => source.replaceAll(importPattern, ''));
  // This import applies to `l10n.t` and to `vscode.l10n.t`.
  const contents = ["import * as vscode from 'vscode';", ...sourcesWithoutImports].join('\n');
  const foundTexts = await getL10nJson([{ contents, extension: '.ts' }]);
  return Object.fromEntries(
    Object.entries(foundTexts).map(([key, text]) => [
      key,
      typeof text === 'string' ? text : text.message,
    ]),
  );
}

/** Differences between the keys of a translation and the English keys. */
export interface TranslationGaps {
  /** English texts that have no translation. VS Code shows the English text. */
  readonly missingTexts: Texts;
  /** Translations whose English text no longer exists. They are never displayed. */
  readonly staleTexts: Texts;
}

export function findTranslationGaps(englishTexts: Texts, translatedTexts: Texts): TranslationGaps {
  return {
    missingTexts: omitKeys(englishTexts, translatedTexts),
    staleTexts: omitKeys(translatedTexts, englishTexts),
  };
}

const omitKeys = (texts: Texts, excludedTexts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => !Object.hasOwn(excludedTexts, key)));

/**
 * Returns a line for each problem of a translation. Blank texts, and texts with lost or changed placeholders or icons,
 * are always problems, because VS Code would display them. Missing and unused texts are problems only if
 * `mustBeComplete` is true.
 */
export function findTextProblems(
  englishTexts: Texts,
  translatedTexts: Texts,
  { mustBeComplete }: { readonly mustBeComplete: boolean },
): string[] {
  const { missingTexts, staleTexts } = findTranslationGaps(englishTexts, translatedTexts);
  const translatedKeys = Object.keys(englishTexts).filter((key) =>
    Object.hasOwn(translatedTexts, key),
  );
  const blankKeys = translatedKeys.filter((key) => !translatedTexts[key]?.trim());
  const brokenKeys = translatedKeys.filter(
    (key) =>
      !blankKeys.includes(key) &&
      listPlaceholders(englishTexts[key] ?? '') !== listPlaceholders(translatedTexts[key] ?? ''),
  );
  return [
    ...(mustBeComplete ? Object.keys(missingTexts).map((key) => `missing: ${key}`) : []),
    ...(mustBeComplete ? Object.keys(staleTexts).map((key) => `not used: ${key}`) : []),
    ...blankKeys.map((key) => `blank: ${key}`),
    ...brokenKeys.map((key) => `placeholders differ: ${key}`),
  ];
}

/**
 * Returns the placeholders, icons, inline code, command links and web addresses of a text, sorted and joined. The
 * result must be the same in every language.
 */
const listPlaceholders = (text: string): string =>
  (
    text.match(
      /\{\w+\}|\$\([a-z-]+(?:~spin)?\)|`[^`]*`|\(command:[^)]*\)|https?:\/\/(?:[^\s\p{P}]|[/:.-](?=[a-z\d]))*/gu,
    ) ?? []
  )
    .toSorted()
    .join(' ');
