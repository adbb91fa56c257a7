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
import { artefactsFolder, root } from '../paths.ts';

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
  const missingTexts: Record<string, Texts> = {};
  const staleTexts: Record<string, Texts> = {};
  for (const { name, collectEnglishTexts, getPath } of textSets) {
    const gaps = findTranslationGaps(await collectEnglishTexts(), readTexts(getPath(languageId)));
    missingTexts[name] = gaps.missingTexts;
    staleTexts[name] = gaps.staleTexts;
  }
  const target = join(artefactsFolder, 'translations', `${languageId}.json`);
  await writeJson(target, { ...missingTexts, stale: staleTexts });
  const summary = `${formatCounts(missingTexts, 'missing')}, ${formatCounts(staleTexts, 'stale')}`;
  console.log(`${languageId.padEnd(5)}  ${summary}  → ${relative(root, target)}`);
  return countTexts(missingTexts) + countTexts(staleTexts) === 0;
}

/** Formats the total number of texts and the number per text set, such as `3 missing (host 2, pages 1)`. */
function formatCounts(texts: TextsBySet, label: string): string {
  const parts = Object.entries(texts)
    .map(([name, textSet]) => [name, Object.keys(textSet).length] as const)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`);
  return `${countTexts(texts)} ${label}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}

function countTexts(texts: TextsBySet): number {
  return Object.values(texts).reduce((sum, textSet) => sum + Object.keys(textSet).length, 0);
}

/**
 * Merges a translated file into the stored translations. Ignores blank translations, which would replace the English
 * texts with nothing.
 */
async function importTranslations(languageId: string, path: string): Promise<void> {
  const importedTexts = JSON.parse(await readFile(path, 'utf8')) as TextsBySet;
  for (const { name, collectEnglishTexts, getPath } of textSets) {
    const mergedTexts: Texts = { ...readTexts(getPath(languageId)), ...importedTexts[name] };
    const entries = Object.keys(await collectEnglishTexts()).map(
      (key) => [key, mergedTexts[key]] as const,
    );
    const translatedEntries = entries.filter(([, text]) => text?.trim());
    await writeJson(join(root, getPath(languageId)), Object.fromEntries(translatedEntries));
  }
}

async function writeJson(path: string, content: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`);
}
