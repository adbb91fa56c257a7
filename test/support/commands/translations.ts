/**
 * Lists what translators need. `npm run translations` writes `.artefacts/translations/<language>.json`: one object of
 * English texts without a translation for each set, and under `stale` the translations of texts that no longer exist.
 * `npm run translations -- de FILE` imports the translated file and deletes stale translations.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { argv } from 'node:process';
import {
  gaps,
  languages,
  readTexts,
  type Texts,
  textSets,
} from '../../architecture/translations.ts';
import { artefacts, root } from '../paths.ts';

type TextsBySet = Readonly<Record<string, Texts>>;

const [, , language, file] = argv;
if (language !== undefined && file !== undefined) await take(language, file);
else await listAll();

async function listAll(): Promise<void> {
  const complete: string[] = [];
  for (const each of languages) if (await list(each)) complete.push(each);
  console.log(
    complete.length === languages.length
      ? `All ${languages.length} languages are complete.`
      : 'Missing texts show in English; stale translations never show.',
  );
}

/** Returns true if the translation is complete and has no stale texts. */
async function list(of: string): Promise<boolean> {
  const missing: Record<string, Texts> = {};
  const stale: Record<string, Texts> = {};
  for (const { name, english, file: fileOf } of textSets) {
    const found = gaps(await english(), readTexts(fileOf(of)));
    missing[name] = found.missing;
    stale[name] = found.stale;
  }
  const target = join(artefacts, 'translations', `${of}.json`);
  await write(target, { ...missing, stale });
  const summary = `${counts(missing, 'missing')}, ${counts(stale, 'stale')}`;
  console.log(`${of.padEnd(5)}  ${summary}  → ${relative(root, target)}`);
  return total(missing) + total(stale) === 0;
}

/** Formats a count with its parts, for example `3 missing (host 2, pages 1)`. */
function counts(texts: TextsBySet, label: string): string {
  const parts = Object.entries(texts)
    .map(([name, set]) => [name, Object.keys(set).length] as const)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`);
  return `${total(texts)} ${label}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}

function total(texts: TextsBySet): number {
  return Object.values(texts).reduce((sum, set) => sum + Object.keys(set).length, 0);
}

/** Merges a translated file into the stored translations. Ignores blank texts, which would hide the English ones. */
async function take(of: string, path: string): Promise<void> {
  const given = JSON.parse(await readFile(path, 'utf8')) as TextsBySet;
  for (const { name, english, file: fileOf } of textSets) {
    const all: Texts = { ...readTexts(fileOf(of)), ...given[name] };
    const entries = Object.keys(await english()).map((key) => [key, all[key]] as const);
    const translated = entries.filter(([, text]) => text?.trim());
    await write(join(root, fileOf(of)), Object.fromEntries(translated));
  }
}

async function write(path: string, content: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`);
}
