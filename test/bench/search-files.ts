import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Temporary folder of generated source files. Disposal removes the folder. */
export interface GeneratedFiles extends AsyncDisposable {
  readonly folder: string;
  readonly fileCount: number;
  /** Number of files that contain {@link rareWord}. Excludes ignored files. */
  readonly rareFileCount: number;
}

const filesPerFolder = 50;
const words =
  'const value return import from export function type string number await async map filter tide gauge level read write station height record open close'.split(
    ' ',
  );

/** Word that occurs in one of every 5,000 files. */
export const rareWord = 'quaysideMarker';
/** Word that occurs many times in every file. */
export const commonWord = 'function';

/**
 * Generates source files of about 6 KB, fifty per folder. For each 25 source files, also generates one file that an
 * ignore file excludes.
 */
export async function generateFiles(fileCount: number): Promise<GeneratedFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'inference-service-search-'));
  const texts = Array.from({ length: 64 }, (_, seed) => createText(seed));
  writeFileSync(join(folder, '.gitignore'), 'dist/\n');
  let rareFileCount = 0;
  for (let index = 0; index < fileCount; index++) {
    const fileFolder = join(
      folder,
      `part${index % 10}`,
      `unit${Math.floor(index / filesPerFolder)}`,
    );
    if (index % filesPerFolder < 10) mkdirSync(fileFolder, { recursive: true });
    const isRare = index % 5_000 === 17;
    const rareLine = isRare ? `const ${rareWord} = ${index};\n` : '';
    if (isRare) rareFileCount++;
    writeFileSync(
      join(fileFolder, `file${index}.ts`),
      `// ${index}\n${texts[index % texts.length]}${rareLine}`,
    );
  }
  mkdirSync(join(folder, 'dist'));
  for (let index = 0; index < fileCount / 25; index++)
    writeFileSync(join(folder, 'dist', `out${index}.js`), `${texts[0]}const ${rareWord} = 0;\n`);
  return {
    folder,
    fileCount: fileCount + 1,
    rareFileCount,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Generates a source text. The same seed always gives the same text. */
function createText(seed: number): string {
  let state = seed * 7_919 + 1;
  const nextRandom = (max: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * max);
  };
  const lines = Array.from({ length: 110 }, () => {
    const line = Array.from({ length: 5 + nextRandom(6) }, () => words[nextRandom(words.length)]);
    return `${' '.repeat(nextRandom(4) * 2)}${line.join(' ')};`;
  });
  return `${lines.join('\n')}\n`;
}
