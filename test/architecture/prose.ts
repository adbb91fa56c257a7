import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { root } from '../support/paths.ts';

/** Measure of a writing habit that makes texts hard to understand. */
export interface Measure {
  readonly name: string;
  readonly pattern: RegExp;
  readonly maxValue: number;
  /**
   * Unit of `maxValue`, which applies to each folder. `openings`: percentage of doc comments whose opening matches
   * `pattern`. `words`: matches of `pattern` per 10,000 words of comments and test titles.
   */
  readonly unit: 'openings' | 'words';
  readonly reason: string;
}

/** All measures. The limits are rates that comparable projects meet. */
export const measures: readonly Measure[] = [
  {
    name: 'bare clause',
    pattern: /^(?:what|whether|who|whose|where|how|why|which|when)\b/iu,
    maxValue: 3,
    unit: 'openings',
    reason: 'a doc comment opens with a verb or a noun phrase, so that it can be read alone',
  },
  {
    name: 'preposition',
    pattern: /^(?:of|by|as|with|without|for|from|among|below|behind|in place of)\b/iu,
    maxValue: 2,
    unit: 'openings',
    reason: 'a doc comment opens with a verb or a noun phrase, so that it can be read alone',
  },
  {
    name: 'stand',
    pattern: /\b(?:stands?|stood)\b/giu,
    maxValue: 1,
    unit: 'words',
    reason: 'data is stored, contained or positioned; it does not stand',
  },
  {
    name: 'say',
    pattern: /\b(?:says?|said)\b/giu,
    maxValue: 8,
    unit: 'words',
    reason: 'programs return, report and state; they do not speak',
  },
  {
    name: 'tell',
    pattern: /\b(?:tells?|told|telling)\b/giu,
    maxValue: 5,
    unit: 'words',
    reason: 'programs show, notify and return; they do not speak',
  },
  {
    name: 'person',
    pattern: /\b(?:persons?|people)\b/giu,
    maxValue: 3,
    unit: 'words',
    reason: 'the person in front of the editor is "the user"',
  },
  {
    name: 'nobody',
    pattern: /\b(?:nobody|somebody|anybody)\b/giu,
    maxValue: 1,
    unit: 'words',
    reason: 'a sentence names its actor: the user, the model, the service',
  },
  {
    name: 'anew',
    pattern: /\banew\b/giu,
    maxValue: 0.5,
    unit: 'words',
    reason: 'the common word is "again"',
  },
  {
    name: 'is none',
    pattern: /\b(?:is|are|was|were) (?:none|no)\b/giu,
    maxValue: 6,
    unit: 'words',
    reason: '"There is no …" hides the subject; write who lacks what',
  },
  {
    name: 'what comes of',
    pattern: /\bwhat (?:comes?|came|becomes?|became) of\b/giu,
    maxValue: 0.5,
    unit: 'words',
    reason: 'the noun is "result" or "outcome"',
  },
  {
    name: 'go on',
    pattern: /\b(?:go|goes|went|going) on\b/giu,
    maxValue: 2,
    unit: 'words',
    reason: 'the verb is "continue"',
  },
  {
    name: 'behind',
    pattern: /\bbehind\b/giu,
    maxValue: 3,
    unit: 'words',
    reason: 'text has no depth: it is after or before a position',
  },
  {
    name: 'by itself',
    pattern: /\b(?:by itself|by themselves|of its own|of their own)\b/giu,
    maxValue: 5,
    unit: 'words',
    reason: 'the adverbs are "automatically" and "separately"',
  },
];

/** Comments and test titles of a source file. */
export interface Prose {
  readonly docComments: readonly string[];
  /** All comments, including doc comments. Adjacent `//` lines form one comment. */
  readonly comments: readonly string[];
  /** Titles of tests and test groups. */
  readonly testTitles: readonly string[];
}

/**
 * Returns names in doc comments that do not exist: `@param` names that the signature below does not contain, and
 * `{@link}` names that the code of the file does not contain.
 */
export function findUnknownNames(path: string, source: string): string[] {
  const { comments, program } = parseSync(path, source);
  const code = comments.reduceRight(
    (text, { start, end }) => text.slice(0, start) + ' '.repeat(end - start) + text.slice(end),
    source,
  );
  const signatures: { readonly start: number; readonly parameters: readonly string[] }[] = [];
  const addSignature = ({ start, params }: Signature): void =>
    void signatures.push({
      start,
      parameters: params.map((parameter) => code.slice(parameter.start, parameter.end)),
    });
  new Visitor({
    FunctionDeclaration: addSignature,
    FunctionExpression: addSignature,
    ArrowFunctionExpression: addSignature,
    TSDeclareFunction: addSignature,
    TSFunctionType: addSignature,
    TSMethodSignature: addSignature,
    TSCallSignatureDeclaration: addSignature,
  }).visit(program);
  signatures.sort((a, b) => a.start - b.start);
  return comments
    .filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
    .flatMap(({ value, end }) => {
      const parameters = signatures.find(({ start }) => start >= end)?.parameters ?? [];
      // A destructured parameter has no name of its own, so its comment may use any name.
      const isDestructured = parameters.some((parameter) => parameter.startsWith('{'));
      return [
        ...listNames(value, /@param\s+(?<name>\w+)/gu).filter(
          (name) => !isDestructured && !hasWord(parameters.join(), name),
        ),
        ...listNames(value, /\{@link\s+(?<name>\w+)/gu).filter((name) => !hasWord(code, name)),
      ];
    });
}

interface Signature {
  readonly start: number;
  readonly params: readonly { readonly start: number; readonly end: number }[];
}

const listNames = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(({ groups }) => groups?.['name'] ?? []);

const hasWord = (text: string, word: string): boolean =>
  new RegExp(String.raw`(?<!\w)${word}(?!\w)`, 'u').test(text);

const directivePattern =
  /^(?:oxlint|eslint|@ts-|@vitest|#region|#endregion|@type\b|@import\b|\/ <)/u;
const testFunctions = new Set(['test', 'it', 'describe', 'suite']);

/** Returns the comments and the test titles of a TypeScript file. */
export function readProse(path: string, source: string): Prose {
  const { comments, program } = parseSync(path, source);
  const docComments: string[] = [];
  const allComments: string[] = [];
  let lineCommentEnd = -1;
  for (const { type, value, start, end } of comments) {
    const text = toPlainText(value);
    const isContinuation =
      lineCommentEnd >= 0 && /^\s*$/u.test(source.slice(lineCommentEnd, start));
    const isLineComment = type === 'Line';
    lineCommentEnd = isLineComment ? end : -1;
    if (text === '' || directivePattern.test(text)) continue;
    if (isLineComment && isContinuation) {
      allComments.push(`${allComments.pop() ?? ''} ${text}`.trim());
      continue;
    }
    allComments.push(text);
    if (!isLineComment && value.startsWith('*')) docComments.push(text);
  }
  const titles: string[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      if (!testFunctions.has(getRootName(callee))) return;
      if (title?.type === 'Literal' && typeof title.value === 'string') titles.push(title.value);
      if (title?.type === 'TemplateLiteral') {
        titles.push(title.quasis.map(({ value }) => value.cooked ?? '').join(' '));
      }
    },
  }).visit(program);
  return { docComments, comments: allComments, testTitles: titles };
}

const toPlainText = (value: string): string =>
  value
    .replace(/^\*/u, '')
    .replaceAll(/^\s*\* ?/gmu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();

/**
 * Returns the first name in a called expression. For `test`, `test.each` and `test.each(rows)`, this name is `test`.
 */
function getRootName(callee: unknown): string {
  let node = callee as { type: string; name?: string; object?: unknown; callee?: unknown };
  while (node.type === 'MemberExpression' || node.type === 'CallExpression') {
    node = (node.type === 'MemberExpression' ? node.object : node.callee) as typeof node;
  }
  return node.name ?? '';
}

/** Returns the value of a measure for the given comments and titles, in the unit of the measure. */
export function measureProse({ pattern, unit }: Measure, files: readonly Prose[]): number {
  if (unit === 'openings') {
    const openings = files.flatMap(({ docComments }) => docComments);
    return (100 * openings.filter((text) => pattern.test(text)).length) / openings.length;
  }
  const texts = files.flatMap(({ comments, testTitles: titles }) => [...comments, ...titles]);
  const wordCount = texts.reduce((sum, text) => sum + text.split(' ').length, 0);
  const matchCount = texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
  return (10_000 * matchCount) / wordCount;
}

/** Returns the comments and test titles of each TypeScript file below a folder of the repository. */
export const readProseBelow = (folder: string): Prose[] =>
  [...readSourcesBelow(folder)].map(([path, source]) => readProse(path, source));

/** Returns the text of each TypeScript file below a folder of the repository, by path. */
export const readSourcesBelow = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    globSync(`${folder}/**/*.ts`, { cwd: root })
      .map((path) => path.split(sep).join('/'))
      .filter((path) => !path.endsWith('.d.ts'))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const),
  );
