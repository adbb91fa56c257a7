import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.ts';
import { createRandom } from './random.ts';
import type { Hunk } from '../../../src/agent/edit/hunk.ts';

/** Edit in the form in which a model sends it, with the file content that it must produce. */
export interface EditCase {
  readonly kind: string;
  readonly fileText: string;
  readonly hunk: Hunk;
  /** Intended content of the file. The agent may also refuse the edit, but must not produce any other content. */
  readonly expectedText: string;
  /** Line numbers of the first and last line that the edit is intended to change, from 1. */
  readonly intendedLineRange: readonly [first: number, last: number];
}

/** Names of packages whose README.md is used as a source file. */
const readmePackages =
  'abitype agent-base ai ajv-formats ajv argparse assertion-error async-function async-generator-function avvio axe-core azure-devops-node-api balanced-match binaryextensions boundary brace-expansion buffer-crc32 buffer-equal-constant-time call-bind-apply-helpers call-bound chai chokidar cliui color-convert command-exists cookie cross-spawn css-select debug deepmerge-json detect-libc diff dom-serializer dompurify dunder-proto eastasianwidth ecdsa-sig-formatter editions emoji-regex es-define-property es-errors es-module-lexer es-object-atoms estree-walker eventemitter3 eventsource-parser expect-type fast-check fast-decode-uri-component fast-deep-equal fast-json-stringify fast-querystring fast-uri fastify'.split(
    ' ',
  );

/**
 * Packages whose files are in several languages and indentation styles. Each has a glob pattern for the files to use.
 */
const packageSources: readonly (readonly [name: string, pattern: string])[] = [
  ['viem', 'actions/**/*.ts'],
  ['mocha', 'lib/**/*.js'],
  ['argparse', '**/*.js'],
  ['dompurify', 'src/*.ts'],
  ['fast-check', 'lib/**/*.d.ts'],
  ['ws', 'lib/*.js'],
  ['playwright-core', 'lib/**/*.css'],
  ['katex', 'src/**/*.py'],
  ['katex', 'src/styles/*.scss'],
  ['highlight.js', 'scss/*.scss'],
  ...readmePackages.map((name) => [name, 'README.md'] as const),
];

/**
 * Returns the texts of real files of 1 to 60 kB in a fixed order, with `\n` as line break. The files belong to packages
 * with fixed versions in package-lock.json, so that other versions do not change the sample.
 * @throws if a package is not installed in its fixed version
 */
export function readSources(): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version: string } | undefined>>;
  };
  return packageSources
    .flatMap(([name, pattern]) => {
      const folder = join(root, 'node_modules', name);
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        readonly version: string;
      };
      if (version !== packages[`node_modules/${name}`]?.version)
        throw new Error(`${name} ${version} is not the version in package-lock.json. Run npm ci.`);
      const paths = globSync(pattern, { cwd: folder, exclude: ['**/node_modules'] }).toSorted();
      if (paths.length === 0) throw new Error(`${name} contains no files ${pattern}.`);
      return paths.slice(0, 60).map((path) => join(folder, path));
    })
    .map((path) => readFileSync(path, 'utf8').replaceAll('\r\n', '\n'))
    .filter((text) => text.length > 1_000 && text.length < 60_000 && !text.includes('\uFFFD'));
}

interface Block {
  readonly linesBefore: readonly string[];
  readonly lines: readonly string[];
  readonly changedLines: readonly string[];
  readonly linesAfter: readonly string[];
}

const getIndent = (line: string): string => /^[ \t]*/u.exec(line)?.[0] ?? '';
const findCommonIndent = (lines: readonly string[]): string =>
  lines
    .filter((line) => line.trim() !== '')
    .map(getIndent)
    .reduce((a, b) => (a.length <= b.length ? a : b), ' '.repeat(80));
const removeIndent = (lines: readonly string[], length: number): string[] =>
  lines.map((line) => line.slice(Math.min(length, getIndent(line).length)));
const dedent = (lines: readonly string[]): string[] =>
  removeIndent(lines, findCommonIndent(lines).length);
const trimFirstLine = ([firstLine = '', ...rest]: readonly string[]): string[] => [
  firstLine.trimStart(),
  ...rest,
];
const numberLines = (
  lines: readonly string[],
  firstLineNumber: number,
  format: (number: number, line: string) => string,
): string[] => lines.map((line, index) => format(firstLineNumber + index, line));
const addFence = (lines: readonly string[]): string[] => ['```ts', ...lines, '```'];
const escapeLines = (lines: readonly string[]): string[] => [
  JSON.stringify(lines.join('\n')).slice(1, -1),
];
const escapeQuotes = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replaceAll('"', '\\"'));
const indentWithTabs = (lines: readonly string[]): string[] =>
  lines.map((line) => {
    const indent = getIndent(line);
    return indent.includes('\t')
      ? indent.replaceAll('\t', '    ') + line.slice(indent.length)
      : '\t'.repeat(Math.floor(indent.length / 2)) + line.slice(2 * Math.floor(indent.length / 2));
  });
const elideLines = (lines: readonly string[]): string[] =>
  lines.length < 5 ? [...lines] : [lines[0] ?? '', '// ...', lines.at(-1) ?? ''];
/**
 * Misspells the last long word of a block, both in the search text and in the replacement. Leaves either text unchanged
 * if it does not contain the word.
 */
const misspell =
  ({ lines }: Block) =>
  (sideLines: readonly string[]): string[] => {
    const word =
      lines
        .join('\n')
        .match(/\b[a-z]{5,}\b/gu)
        ?.at(-1) ?? 'return';
    const misspelledWord = word.slice(0, 2) + word.slice(3);
    return sideLines.map((line) =>
      line.replaceAll(new RegExp(`\\b${word}\\b`, 'gu'), misspelledWord),
    );
  };

type EditSides = readonly [search: readonly string[], replace: readonly string[]];
type AddNoise = (block: Block) => EditSides;
const changeBothSides =
  (change: (lines: readonly string[]) => string[]): AddNoise =>
  ({ lines, changedLines }) => [change(lines), change(changedLines)];
const getFirstLineNumber = ({ linesBefore }: Block): number => linesBefore.length + 1;

/** Functions that add a typical error of models to an edit, by name of the error. */
const distortions: Readonly<Record<string, AddNoise>> = {
  none: changeBothSides((lines) => [...lines]),
  'search dedented': ({ lines, changedLines }) => [dedent(lines), changedLines],
  'both dedented': ({ lines, changedLines }) => {
    const { length } = findCommonIndent(lines);
    return [removeIndent(lines, length), removeIndent(changedLines, length)];
  },
  'first line dedented': changeBothSides(trimFirstLine),
  'first line of the search dedented': ({ lines, changedLines }) => [
    trimFirstLine(lines),
    changedLines,
  ],
  'other unit': changeBothSides(indentWithTabs),
  'search with other unit': ({ lines, changedLines }) => [indentWithTabs(lines), changedLines],
  'line numbers': (block) =>
    changeBothSides((lines) =>
      numberLines(lines, getFirstLineNumber(block), (number, line) => `${number}\t${line}`),
    )(block),
  'line numbers in the search': (block) => [
    numberLines(block.lines, getFirstLineNumber(block), (number, line) => `${number}\t${line}`),
    block.changedLines,
  ],
  'line numbers with a bar': (block) =>
    changeBothSides((lines) =>
      numberLines(
        lines,
        getFirstLineNumber(block),
        (number, line) => `${String(number).padStart(5)} | ${line}`,
      ),
    )(block),
  'line numbers with a colon': (block) =>
    changeBothSides((lines) =>
      numberLines(lines, getFirstLineNumber(block), (number, line) => `${number}: ${line}`),
    )(block),
  fence: changeBothSides(addFence),
  'fence in the search': ({ lines, changedLines }) => [addFence(lines), changedLines],
  escaped: changeBothSides(escapeLines),
  'escaped search': ({ lines, changedLines }) => [escapeLines(lines), changedLines],
  'escaped quotes': changeBothSides(escapeQuotes),
  misspelled: (block) => changeBothSides(misspell(block))(block),
  'search misspelled': (block) => [misspell(block)(block.lines), block.changedLines],
  'blank line added': changeBothSides((lines) => ['', ...lines]),
  'trailing white space': ({ lines, changedLines }) => [
    lines.map((line) => `${line} `),
    changedLines,
  ],
};

export const noiseNames: readonly string[] = [...Object.keys(distortions), 'shared ellipsis'];

/** Creates edit cases from real files. The same seed creates the same cases. */
export function createEditCases(
  sources: readonly string[],
  { seed, count }: { readonly seed: number; readonly count: number },
): EditCase[] {
  const random = createRandom(seed);
  const cases: EditCase[] = [];
  for (let attempt = 0; cases.length < count && attempt < 50 * count; attempt += 1) {
    const source = sources[Math.floor(random() * sources.length)] ?? '';
    const block = createBlock(source.split('\n'), random);
    const kind = noiseNames[cases.length % noiseNames.length] ?? 'none';
    const editCase = block && createCase(kind, source, block);
    if (editCase !== undefined) cases.push(editCase);
  }
  return cases;
}

function createCase(kind: string, fileText: string, block: Block): EditCase | undefined {
  const originalText = block.lines.join('\n');
  // The source must contain the intended lines only once.
  if (fileText.indexOf(originalText) !== fileText.lastIndexOf(originalText)) return undefined;
  const addNoise: AddNoise =
    distortions[kind] ??
    (({ lines, changedLines }) => [
      elideLines(lines),
      lines.length === changedLines.length
        ? [changedLines[0] ?? '', ...elideLines(lines).slice(1, -1), changedLines.at(-1) ?? '']
        : changedLines,
    ]);
  if (kind === 'shared ellipsis') {
    const { lines, changedLines } = block;
    const hasInnerChange = changedLines
      .slice(1, -1)
      .some((line, index) => line !== lines[index + 1]);
    if (lines.length < 5 || lines.length !== changedLines.length || hasInnerChange)
      return undefined;
  }
  const [search, replace] = addNoise(block).map((lines) => lines.join('\n'));
  if (search === undefined || replace === undefined || search === replace) return undefined;
  if (kind !== 'none' && search === originalText && replace === block.changedLines.join('\n'))
    return undefined;
  // The intended text is unknown if the search has no error, but the replacement has one that a correct edit could have.
  if (/^(?:first line dedented|other unit)$/u.test(kind) && search === originalText)
    return undefined;
  if (kind === 'fence in the search' && fileText.includes(search)) return undefined;
  return {
    kind,
    fileText,
    hunk: { search, replace },
    expectedText: [...block.linesBefore, ...block.changedLines, ...block.linesAfter].join('\n'),
    intendedLineRange: [
      block.linesBefore.length + 1,
      block.linesBefore.length + block.lines.length,
    ],
  };
}

function createBlock(lines: readonly string[], random: () => number): Block | undefined {
  const length = random() < 0.1 ? 60 + Math.floor(random() * 20) : 1 + Math.floor(random() * 14);
  const start = Math.floor(random() * (lines.length - length));
  const blockLines = lines.slice(start, start + length);
  if (start < 0 || blockLines.length < length) return undefined;
  if (blockLines[0]?.trim() === '' || blockLines.at(-1)?.trim() === '') return undefined;
  if (blockLines.every((line) => line.trim().length < 8)) return undefined;
  if (findCommonIndent(blockLines).replaceAll('\t', '').length % 2 === 1) return undefined;
  const changedLines = changeLines(blockLines, random);
  return {
    linesBefore: lines.slice(0, start),
    lines: blockLines,
    changedLines,
    linesAfter: lines.slice(start + length),
  };
}

/** Changes the block in one random way: changes a word, adds a line, removes a line, or wraps lines. */
function changeLines(block: readonly string[], random: () => number): string[] {
  const index = Math.floor(random() * block.length);
  const line = block[index] ?? '';
  const randomValue = random();
  if (line.trim() === '')
    return block.with(index, `${getIndent(block.find((line) => line.trim() !== '') ?? '')}added`);
  if (randomValue < 0.45 && /[A-Za-z]{3}/u.test(line))
    return block.with(
      index,
      line.replace(/[A-Za-z]{3,}/u, (word) => `${word}Changed`),
    );
  if (randomValue < 0.7) return block.toSpliced(index + 1, 0, `${getIndent(line)}addedCall(1)`);
  if (randomValue < 0.85 && block.length > 2) return block.toSpliced(index, 1);
  // The smallest indentation in the block is a unit or several.
  const indents = new Set(block.map(getIndent));
  const indentUnit = [...indents].some((text) => text.startsWith('\t'))
    ? '\t'
    : ' '.repeat([...indents].every(({ length }) => length % 4 === 0) ? 4 : 2);
  return [
    ...block.slice(0, index),
    `${getIndent(line)}if (added) {`,
    indentUnit + line,
    `${getIndent(line)}}`,
    ...block.slice(index + 1),
  ];
}
