/**
 * Exports and imports texts for translators. `npm run translations` writes `.artefacts/translations/<language>.json`.
 * This file contains the untranslated English texts, grouped by text set. Its group `stale` contains the translations
 * of texts that no longer exist. `npm run translations -- de FILE` imports a translated file and deletes stale
 * translations.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { argv } from 'node:process';
import {
  findTranslationGaps,
  languages,
  readTexts,
  type Texts,
  textSets,
} from '../../architecture/translations.ts';
import { artefacts, root } from '../paths.ts';

type TextsBySet = Readonly<Record<string, Texts>>;

const [, , language, file] = argv;
if (language !== undefined && file !== undefined) await importTranslations(language, file);
else await writeAllTextGaps();

async function writeAllTextGaps(): Promise<void> {
  const completeLanguages: string[] = [];
  for (const languageId of languages)
    if (await writeTextGaps(languageId)) completeLanguages.push(languageId);
  console.log(
    completeLanguages.length === languages.length
      ? `All ${languages.length} languages are complete.`
      : 'Missing texts show in English; stale translations never show.',
  );
}

/**
 * Writes a file with the untranslated texts of a language and with its stale translations. Returns true if there are
 * none of either kind.
 */
async function writeTextGaps(languageId: string): Promise<boolean> {
  const missing: Record<string, Texts> = {};
  const stale: Record<string, Texts> = {};
  for (const { name, collectEnglishTexts, getPath: fileOf } of textSets) {
    const found = findTranslationGaps(await collectEnglishTexts(), readTexts(fileOf(languageId)));
    missing[name] = found.missingTexts;
    stale[name] = found.staleTexts;
  }
  const target = join(artefacts, 'translations', `${languageId}.json`);
  await writeJson(target, { ...missing, stale });
  const summary = `${formatCounts(missing, 'missing')}, ${formatCounts(stale, 'stale')}`;
  console.log(`${languageId.padEnd(5)}  ${summary}  → ${relative(root, target)}`);
  return countTexts(missing) + countTexts(stale) === 0;
}

/** Formats the total number of texts and the number per text set, such as `3 missing (host 2, pages 1)`. */
function formatCounts(texts: TextsBySet, label: string): string {
  const parts = Object.entries(texts)
    .map(([name, set]) => [name, Object.keys(set).length] as const)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`);
  return `${countTexts(texts)} ${label}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}

function countTexts(texts: TextsBySet): number {
  return Object.values(texts).reduce((sum, set) => sum + Object.keys(set).length, 0);
}

/**
 * Merges a translated file into the stored translations. Ignores blank translations, which would replace the English
 * texts with nothing.
 */
async function importTranslations(languageId: string, path: string): Promise<void> {
  const imported = JSON.parse(await readFile(path, 'utf8')) as TextsBySet;
  for (const { name, collectEnglishTexts, getPath: fileOf } of textSets) {
    const merged: Texts = { ...readTexts(fileOf(languageId)), ...imported[name] };
    const entries = Object.keys(await collectEnglishTexts()).map(
      (key) => [key, merged[key]] as const,
    );
    const translated = entries.filter(([, text]) => text?.trim());
    await writeJson(join(root, fileOf(languageId)), Object.fromEntries(translated));
  }
}

async function writeJson(path: string, content: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`);
}
