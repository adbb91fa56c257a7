/**
 * What translators need: `npm run translations` lists what each language lacks, as `.artefacts/translations/<language>.json`
 * with one object of English texts for each set; `npm run translations -- de FILE` takes such a file back, translated, and
 * drops what no source says any more.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { argv } from 'node:process';
import { languages, readTexts, type Texts, textSets } from '../../architecture/translations.ts';
import { artefacts, root } from '../paths.ts';

const [, , language, file] = argv;
if (language !== undefined && file !== undefined) await take(language, file);
else for (const each of languages) await list(each);

async function list(of: string): Promise<void> {
  const lacking: Record<string, Texts> = {};
  for (const { name, english, file: fileOf } of textSets) {
    const have = readTexts(fileOf(of));
    const missing = Object.entries(await english()).filter(([key]) => !have[key]);
    lacking[name] = Object.fromEntries(missing);
  }
  const target = join(artefacts, 'translations', `${of}.json`);
  await write(target, lacking);
  const count = Object.values(lacking).reduce((sum, texts) => sum + Object.keys(texts).length, 0);
  console.log(`${of}: ${count} missing, see ${target}`);
}

async function take(of: string, path: string): Promise<void> {
  const given = JSON.parse(await readFile(path, 'utf8')) as Readonly<Record<string, Texts>>;
  for (const { name, english, file: fileOf } of textSets) {
    const all: Texts = { ...readTexts(fileOf(of)), ...given[name] };
    const kept = Object.keys(await english()).flatMap((key) =>
      all[key] === undefined ? [] : [[key, all[key]]],
    );
    await write(join(root, fileOf(of)), Object.fromEntries(kept));
  }
}

async function write(path: string, content: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`);
}
