import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { EditTarget } from './edit-answer.ts';
import { sourceSamples } from './answer-samples.fixture.ts';

/** A model's answer in one output format, with the replacement lines that the parser should return. */
export interface CorpusAnswer {
  readonly format: string;
  readonly language: string;
  readonly answerText: string;
  readonly target: EditTarget;
  /**
   * Expected replacement lines; undefined if the parser must refuse the answer because it is ambiguous or contains no
   * such lines.
   */
  readonly expectedLines: readonly string[] | undefined;
}

/** Sentences that a model writes before, after or instead of the code of its answer. */
export interface Phrasing {
  readonly introductions: readonly string[];
  readonly conclusions: readonly string[];
  readonly refusals: readonly string[];
}

/** File name extension of each language, and folders that contain files with this extension, by language id. */
const languages: Readonly<
  Record<string, { readonly extension: string; readonly roots: readonly string[] }>
> = {
  typescript: {
    extension: '.d.ts',
    roots: ['node_modules/vitest', 'node_modules/marked', 'node_modules/lit', 'node_modules/viem'],
  },
  javascript: { extension: '.js', roots: ['node_modules/mocha/lib', 'node_modules/undici/lib'] },
  python: {
    extension: '.py',
    roots: ['/usr/lib/python3', '/usr/lib/python3.12', '/usr/lib/python3.11'],
  },
  c: { extension: '.h', roots: ['/usr/include', 'node_modules/node/node_modules'] },
  sql: { extension: '.sql', roots: ['/usr/share'] },
  shellscript: { extension: '.sh', roots: ['node_modules/playwright-core', '/usr/share'] },
  html: { extension: '.html', roots: ['/usr/share/doc', 'node_modules'] },
  css: { extension: '.css', roots: ['node_modules/mocha', 'node_modules/highlight.js'] },
  markdown: {
    extension: '.md',
    roots: [
      'node_modules/undici',
      'node_modules/marked',
      'node_modules/mocha',
      'node_modules/fast-check',
    ],
  },
  json: {
    extension: '.json',
    roots: ['node_modules/viem', 'node_modules/mocha', 'node_modules/vitest'],
  },
  yaml: {
    extension: '.yml',
    roots: ['node_modules/reusify', 'node_modules/pino-abstract-transport', 'node_modules'],
  },
  go: { extension: '.go', roots: ['/usr/share/doc'] },
  rust: { extension: '.rs', roots: [] },
  java: { extension: '.java', roots: [] },
  ruby: { extension: '.rb', roots: [] },
  latex: { extension: '.tex', roots: [] },
};

export const corpusLanguages: readonly string[] = Object.keys(languages);

const infoStrings: Readonly<Record<string, string>> = { shellscript: 'bash', typescript: 'ts' };

/**
 * Creates a random number generator. For the same seed, it returns the same sequence of numbers from 0 (inclusive) to 1
 * (exclusive).
 */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const filesByLanguage = new Map<string, readonly string[]>();

function listFiles(language: string): readonly string[] {
  const known = filesByLanguage.get(language);
  if (known !== undefined) return known;
  const { extension, roots } = languages[language] ?? { extension: '', roots: [] };
  const found: string[] = [];
  const visit = (folder: string, depth: number): void => {
    if (found.length >= 120 || depth > 5 || !existsSync(folder)) return;
    for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      if (found.length >= 120) return;
      const child = path.join(folder, entry.name);
      if (entry.isDirectory()) visit(child, depth + 1);
      else if (entry.isFile() && entry.name.endsWith(extension) && !/\.min\./u.test(entry.name))
        found.push(child);
    }
  };
  for (const root of roots) visit(root, 0);
  filesByLanguage.set(language, found);
  return found;
}

function readSource(language: string, random: () => number): readonly string[] {
  const files = listFiles(language);
  for (let attempts = 0; attempts < 12 && files.length > 0; attempts += 1) {
    const file = files[Math.floor(random() * files.length)] ?? '';
    const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
    const lines = text.replace(/\n$/u, '').split('\n');
    const isUsable =
      lines.length >= 12 &&
      text.length < 400_000 &&
      lines.every((line) => line.length < 300 && line === line.replaceAll(/[^\P{C}\t]/gu, ''));
    if (isUsable) return lines;
  }
  return (sourceSamples[language] ?? sourceSamples['typescript'] ?? '').split('\n');
}

/** Lines of a document, and the lines with which an edit replaces them. */
export interface PickedEdit {
  readonly target: EditTarget;
  readonly expectedLines: readonly string[];
}

/**
 * Selects random lines of a document and edits these lines randomly. Returns undefined if the selected lines are blank
 * or do not change.
 */
export function pickEdit(
  lines: readonly string[],
  language: string,
  random: () => number,
): PickedEdit | undefined {
  const length = 1 + Math.floor(random() ** 2 * 24);
  let start = Math.floor(random() * Math.max(1, lines.length - length));
  // Half of the selections start at a comment or docstring.
  const comments = [...lines.keys()].filter((index) =>
    /^\s*(?:\*|\/\/|#|"""|[A-Z][a-z]+ [a-z]+ )/u.test(lines[index] ?? ''),
  );
  if (random() < 0.4 && comments.length > 0)
    start = comments[Math.floor(random() * comments.length)] ?? start;
  const original = lines.slice(start, start + length);
  const expectedLines = editRandomly(original, random);
  if (expectedLines === undefined || !original.some((line) => line.trim() !== '')) return undefined;
  const target = {
    language,
    original,
    before: lines.slice(Math.max(0, start - 150), start),
    after: lines.slice(start + length, start + length + 100),
    usesTabs: original.some((line) => line.startsWith('\t')),
    tabSize: 4,
  };
  return { target, expectedLines };
}

/**
 * Renames a random word in all lines. May also delete a line or add a similar line. Returns undefined if no line
 * changes.
 */
function editRandomly(
  original: readonly string[],
  random: () => number,
): readonly string[] | undefined {
  const words = original.join('\n').match(/\b[A-Za-z_]{4,}\b/gu) ?? [];
  const word = words[Math.floor(random() * words.length)];
  if (word === undefined) return undefined;
  const kind = random();
  let lines = original.map((line) =>
    line.replaceAll(new RegExp(`\\b${word}\\b`, 'gu'), `${word}Next`),
  );
  const at = Math.floor(random() * lines.length);
  if (kind < 0.25 && lines.length > 2 && at > 0 && isStatement(lines[at] ?? ''))
    lines = lines.toSpliced(at, 1);
  if (kind > 0.7) {
    const model = lines[at] ?? '';
    if (isStatement(model))
      lines = lines.toSpliced(
        at + 1,
        0,
        model.replace(/[A-Za-z_]{4,}/u, (name) => `${name}Extra`),
      );
  }
  const isBlank = !lines.some((line) => line.trim() !== '');
  return isBlank || lines.join('\n') === original.join('\n') ? undefined : lines;
}

/** Checks whether a line neither opens nor closes a block, so that it can be removed or repeated. */
const isStatement = (line: string): boolean =>
  /[A-Za-z_]{4}/u.test(line) &&
  !/[{}[\]()`<>:]|\b(?:end|do|begin|then|module|class|def)\b|["']{3}|\/\*|\*\//u.test(line);

const trimOuterLines = (lines: readonly string[]): readonly string[] =>
  lines
    .join('\n')
    .replaceAll(/^(?:[^\S\n]*\n)+|(?:\n[^\S\n]*)+$/gu, '')
    .split('\n');

export function removeIndentation(lines: readonly string[]): readonly string[] {
  const widths = lines
    .filter((line) => line.trim() !== '')
    .map((line) => /^\s*/u.exec(line)?.[0].length ?? 0);
  const width = Math.min(...widths);
  return lines.map((line) => line.slice(width));
}

/** Formats an edit as a unified diff with one hunk. The line numbers can be wrong, as in diffs that models write. */
export function toDiff(
  { original, before, after }: EditTarget,
  expectedLines: readonly string[],
): readonly string[] {
  const head = before.slice(-2);
  const tail = after.slice(0, 2);
  return [
    '--- a/file',
    '+++ b/file',
    `@@ -1,${head.length + original.length + tail.length} +1,${head.length + expectedLines.length + tail.length} @@`,
    ...head.map((line) => ` ${line}`),
    ...original.map((line) => `-${line}`),
    ...expectedLines.map((line) => `+${line}`),
    ...tail.map((line) => ` ${line}`),
  ];
}

interface FormatInput {
  readonly target: EditTarget;
  readonly expectedLines: readonly string[];
  readonly introduction: string;
  readonly conclusion: string;
  readonly refusal: string;
  readonly random: () => number;
}

export const joinLines = (lines: readonly string[]): string => lines.join('\n');

export const getInfoString = ({ language }: EditTarget): string =>
  infoStrings[language] ?? language;

export const encloseInFence = (lines: readonly string[], info: string, marks = '```'): string =>
  `${marks}${info}\n${joinLines(lines)}\n${marks}`;

/** Returns enough backticks for a code fence that can enclose the lines. */
export const createSafeFence = (lines: readonly string[]): string =>
  lines.some((line) => line.includes('````'))
    ? '`````'
    : lines.some((line) => line.includes('```'))
      ? '````'
      : '```';

/**
 * Functions that write an edit as an answer, by name of the answer format. Each function returns undefined if its
 * format cannot express the edit.
 */
export const answerFormats: Readonly<Record<string, (input: FormatInput) => string | undefined>> = {
  plain: ({ expectedLines }) => joinLines(expectedLines),
  'plain with CRLF': ({ expectedLines }) => expectedLines.join('\r\n'),
  'introduction, plain': ({ expectedLines, introduction }) =>
    `${introduction}\n\n${joinLines(expectedLines)}`,
  'introduction line, plain': ({ expectedLines, introduction }) =>
    `${introduction}\n${joinLines(expectedLines)}`,
  'plain, conclusion': ({ expectedLines, conclusion }) =>
    `${joinLines(expectedLines)}\n\n${conclusion}`,
  'fence with language': ({ target, expectedLines }) =>
    encloseInFence(expectedLines, getInfoString(target)),
  'fence without language': ({ expectedLines }) => encloseInFence(expectedLines, ''),
  'tilde fence': ({ expectedLines, target }) =>
    encloseInFence(expectedLines, getInfoString(target), '~~~'),
  'longer fence': ({ expectedLines, target }) =>
    encloseInFence(expectedLines, getInfoString(target), `${createSafeFence(expectedLines)}\``),
  'introduction, fence': ({ expectedLines, target, introduction }) =>
    `${introduction}\n\n${encloseInFence(expectedLines, getInfoString(target))}`,
  'fence, conclusion': ({ expectedLines, target, conclusion }) =>
    `${encloseInFence(expectedLines, getInfoString(target))}\n\n${conclusion}`,
  'introduction, fence, conclusion': ({ expectedLines, target, introduction, conclusion }) =>
    `${introduction}\n\n${encloseInFence(expectedLines, getInfoString(target))}\n\n${conclusion}`,
  'introduction, bare fence, conclusion': ({ expectedLines, introduction, conclusion }) =>
    `${introduction}\n\n${encloseInFence(expectedLines, '')}\n\n${conclusion}`,
  'unclosed fence': ({ expectedLines, target }) =>
    `\`\`\`${getInfoString(target)}\n${joinLines(expectedLines)}`,
  'context before': ({ target, expectedLines, random }) =>
    joinLines([...target.before.slice(-1 - Math.floor(random() * 6)), ...expectedLines]),
  'context after': ({ target, expectedLines, random }) =>
    joinLines([...expectedLines, ...target.after.slice(0, 1 + Math.floor(random() * 6))]),
  'context around': ({ target, expectedLines, random }) =>
    joinLines([
      ...target.before.slice(-1 - Math.floor(random() * 6)),
      ...expectedLines,
      ...target.after.slice(0, 1 + Math.floor(random() * 6)),
    ]),
  'context around in a fence': ({ target, expectedLines, random }) =>
    encloseInFence(
      [
        ...target.before.slice(-1 - Math.floor(random() * 6)),
        ...expectedLines,
        ...target.after.slice(0, 1 + Math.floor(random() * 6)),
      ],
      getInfoString(target),
    ),
  'whole file': ({ target, expectedLines }) =>
    joinLines([...target.before, ...expectedLines, ...target.after]),
  'whole file in a fence': ({ target, expectedLines }) =>
    encloseInFence([...target.before, ...expectedLines, ...target.after], getInfoString(target)),
  'trimmed answer': ({ expectedLines }) => joinLines(expectedLines).trim(),
  'trimmed answer in a fence': ({ expectedLines, target }) =>
    encloseInFence([joinLines(expectedLines).trim()], getInfoString(target)),
  dedented: ({ expectedLines }) => joinLines(removeIndentation(expectedLines)),
  'dedented in a fence': ({ expectedLines, target }) =>
    encloseInFence(removeIndentation(expectedLines), getInfoString(target)),
  'prose only': ({ refusal }) => refusal,
  'introduction only': ({ introduction }) => introduction,
  'unified diff': ({ target, expectedLines }) => joinLines(toDiff(target, expectedLines)),
  'unified diff in a fence': ({ target, expectedLines }) =>
    encloseInFence(
      toDiff(target, expectedLines),
      'diff',
      createSafeFence([...expectedLines, ...target.original]),
    ),
  'diff without headers in a fence': ({ target, expectedLines, introduction }) =>
    `${introduction}\n\n${encloseInFence(toDiff(target, expectedLines).slice(3), 'diff', createSafeFence([...expectedLines, ...target.original]))}`,
  'SEARCH/REPLACE': ({ target, expectedLines }) =>
    joinLines([
      '<<<<<<< SEARCH',
      ...target.original,
      '=======',
      ...expectedLines,
      '>>>>>>> REPLACE',
    ]),
  'SEARCH/REPLACE in a fence': ({ target, expectedLines, introduction }) =>
    `${introduction}\n\n${encloseInFence(['<<<<<<< SEARCH', ...target.original, '=======', ...expectedLines, '>>>>>>> REPLACE'], getInfoString(target))}`,
  'lines marks': ({ expectedLines }) => `<lines>\n${joinLines(expectedLines)}\n</lines>`,
  'thinking, plain': ({ expectedLines }) =>
    `<think>\nThe user wants another name.\n\nHere is code:\n\`\`\`\nx\n\`\`\`\n</think>\n\n${joinLines(expectedLines)}`,
  'end of thinking, fence': ({ expectedLines, target }) =>
    `Let me see what to rename.\n</think>\n\n${encloseInFence(expectedLines, getInfoString(target))}`,
};

const formatsWithoutCode: ReadonlySet<string> = new Set(['prose only', 'introduction only']);

/** Generates answers in all formats for random edits of real files. */
export function* generateCorpus(
  phrasing: Phrasing,
  {
    seed,
    answersPerFormat,
    only = corpusLanguages,
  }: {
    readonly seed: number;
    readonly answersPerFormat: number;
    readonly only?: readonly string[];
  },
): Generator<CorpusAnswer> {
  for (const language of only) {
    const random = createRandom(seed + corpusLanguages.indexOf(language) * 7_919);
    const pick = (texts: readonly string[]): string =>
      texts[Math.floor(random() * texts.length)] ?? '';
    for (const [form, write] of Object.entries(answerFormats)) {
      for (
        let count = 0, attempts = 0;
        count < answersPerFormat && attempts < answersPerFormat * 20;
        attempts += 1
      ) {
        const picked = pickEdit(readSource(language, random), language, random);
        if (picked === undefined) continue;
        const answer = write({
          ...picked,
          random,
          introduction: pick(phrasing.introductions),
          conclusion: pick(phrasing.conclusions),
          refusal: pick(phrasing.refusals),
        });
        if (answer === undefined) continue;
        count += 1;
        const expectedLines = formatsWithoutCode.has(form) ? undefined : picked.expectedLines;
        yield { format: form, language, answerText: answer, target: picked.target, expectedLines };
      }
    }
  }
}

/**
 * Compares the lines that the parser returned for an answer with the expected lines. Ignores white space at line ends,
 * and blank lines at the start and the end.
 */
export function classifyParsedAnswer(
  { expectedLines }: CorpusAnswer,
  lines: readonly string[] | undefined,
): 'right' | 'refused' | 'wrong' {
  if (lines === undefined) return expectedLines === undefined ? 'right' : 'refused';
  const normalize = (text: readonly string[]): string =>
    trimOuterLines(text)
      .map((line) => line.trimEnd())
      .join('\n');
  return expectedLines !== undefined && normalize(lines) === normalize(expectedLines)
    ? 'right'
    : 'wrong';
}

/** Sentences around the answers in the main corpus. */
export const phrasing: Phrasing = {
  introductions: [
    "Here's the updated code:",
    'Sure! Here is the updated version:',
    'Certainly! Below is the revised code with the requested change:',
    'Here are the modified lines:',
    'I renamed it as you asked. Here is the result:',
    'Of course! I’ve updated the text:',
    'Sure!',
    'Updated code:',
    "**Here's the refactored version:**",
  ],
  conclusions: [
    'I renamed the variable and left everything else unchanged.',
    'Let me know if you want further changes!',
    'This version uses the new name everywhere.',
    '**Changes made:**\n- Renamed the variable\n- Kept the formatting',
    'Explanation:\n\n1. The name is more precise.\n2. Nothing else changed.',
    'These changes keep the behavior the same.',
  ],
  refusals: [
    "I'm sorry, but I can't make this change without more information.",
    'Could you please provide more details about what should change?',
    'The code already looks correct, so no changes are needed.',
    'There is nothing to change here.',
    "I don't see any problem in these lines. What would you like me to do?",
  ],
};
