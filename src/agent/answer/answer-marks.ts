import * as l10n from '@vscode/l10n';
import { isNonBlank } from '../edit/indentation.ts';
import { findHiddenCharacters, stripHiddenCharacters } from '../../base/hidden-characters.ts';
import {
  answerTagSource,
  haveMostWordsInCommon,
  textKeySource,
  toWords,
} from '../../base/model-answer.ts';

/**
 * Document that an answer changes. Its language, lines and name decide whether markup in the answer is part of the
 * replacement lines.
 */
export interface EditedDocument {
  /** VS Code language id. */
  readonly language: string;
  readonly original: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The user's request. */
  readonly instruction?: string;
  /** Path of the document; absent for a document without a file. */
  readonly path?: string;
}

/** Replacement lines of an answer in several forms for the checks, and the document that they change. */
export interface NewLines {
  readonly lines: readonly string[];
  /** Replacement lines that are not blank. */
  readonly nonBlankLines: readonly string[];
  readonly text: string;
  /** Text of the replacement lines without string literals and regular expressions. */
  readonly textWithoutStrings: string;
  /** Original lines that are not blank. */
  readonly originalLines: readonly string[];
  readonly originalText: string;
  readonly isTextDocument: boolean;
  readonly document: EditedDocument;
}

/**
 * Returns a function that caches the results of `compute` by the array object that it receives, because many rules
 * compute the same value for the same array.
 */
export function memoize<T>(
  compute: (lines: readonly string[]) => T,
): (lines: readonly string[]) => T {
  const results = new WeakMap<readonly string[], { readonly result: T }>();
  return (lines) => {
    const cachedResult = results.get(lines) ?? { result: compute(lines) };
    results.set(lines, cachedResult);
    return cachedResult.result;
  };
}

export const toOriginalWords = memoize((lines) => toWords(lines.join('\n')));

/** Maximum total number of line pairs that a function returned by {@link createSimilarLineCheck} compares. */
const maxLineComparisons = 500_000;

/**
 * Creates a function that checks whether a line has more than half of its words in common with one of `lines`. If
 * `word` is given, compares only with those `lines` that contain it. Returns false after {@link maxLineComparisons}
 * comparisons in total. Only inputs with many different lines and the same words reach this limit.
 */
export function createSimilarLineCheck(
  lines: Iterable<string>,
): (line: string, word?: string) => boolean {
  const linesByWord = new Map<string, Set<ReadonlySet<string>>>();
  for (const line of new Set(lines)) {
    const words = toWords(line);
    for (const word of words)
      linesByWord.set(word, (linesByWord.get(word) ?? new Set()).add(words));
  }
  const countLinesWithWord = (word: string): number => linesByWord.get(word)?.size ?? 0;
  let comparisonCount = 0;
  return (line, requiredWord) => {
    const words = toWords(line);
    // A similar line shares more than a third of the words, so it contains one of the rarest two thirds.
    const rarestWords =
      requiredWord === undefined
        ? [...words]
            .toSorted((a, b) => countLinesWithWord(a) - countLinesWithWord(b))
            .slice(0, words.size - Math.floor(words.size / 3))
        : [requiredWord];
    return rarestWords.some((word) =>
      linesByWord
        .get(word)
        ?.values()
        .some(
          (otherWords) =>
            (comparisonCount += 1) <= maxLineComparisons &&
            haveMostWordsInCommon(words, otherWords),
        ),
    );
  };
}

/**
 * Reason to refuse an answer: kind of text that the model added to the replacement lines, or `incomplete` for a missing
 * part.
 */
export type RefusalCauseKind =
  | 'tokens'
  | 'call'
  | 'marks'
  | 'delimiters'
  | 'diff'
  | 'escapes'
  | 'repeated'
  | 'layout'
  | 'remark'
  | 'incomplete';

export interface RefusalCause {
  readonly kind: RefusalCauseKind;
  /** English name of the rule that the answer breaks, for the log. */
  readonly rule: string;
}

const causeFormatters: Readonly<Record<RefusalCauseKind, () => string>> = {
  tokens: () => l10n.t('The answer contains special tokens of the model.'),
  call: () => l10n.t('The answer contains a call or a command instead of lines.'),
  marks: () => l10n.t('The answer marks lines, for example with numbers or asterisks.'),
  delimiters: () => l10n.t('The answer contains tags or labels around the lines.'),
  diff: () => l10n.t('The answer contains changes in an unknown format.'),
  escapes: () => l10n.t('The answer contains escaped text.'),
  repeated: () => l10n.t('The answer repeats lines.'),
  layout: () => l10n.t('The answer has other line breaks or punctuation.'),
  remark: () => l10n.t('The answer contains remarks between the lines.'),
  incomplete: () => l10n.t('The answer is incomplete.'),
};

/** Formats the cause of a refusal as a sentence for the user. */
export const formatCause = ({ kind }: RefusalCause): string => causeFormatters[kind]();

const tagAttributesSource = String.raw`(?:\s+[\w:-]+=(?:"[^"<>]*"|'[^'<>]*'))*\s*`;
/** Matches tags in which models enclose an answer, such as `<code>`. Documents can also contain these tags. */
const wrappingTagPattern = new RegExp(
  String.raw`^\s*<(?<tag>${answerTagSource})${tagAttributesSource}>(?<rest>.*)$`,
  'iu',
);

/** Tags matched by {@link wrappingTagPattern} that HTML documents also contain. */
const htmlTags: ReadonlySet<string> = new Set(['code', 'pre', 'output', 'text', 'content']);
/**
 * Languages whose documents can contain tags with any name, so a tag on the first line can be part of the replacement
 * lines.
 */
export const taggedLanguages: ReadonlySet<string> = new Set([
  ...['html', 'xml', 'xsl', 'svg', 'vue', 'svelte', 'astro', 'php', 'handlebars', 'razor', 'twig'],
  ...['jinja', 'javascriptreact', 'typescriptreact', 'markdown', 'mdx'],
]);

/**
 * Removes tags that enclose the answer. Returns `unclear` if the tags may belong to the document, and the lines
 * unchanged if no tags enclose them.
 */
export function removeTags(
  lines: readonly string[],
  document: EditedDocument,
): readonly string[] | 'unclear' {
  let innerLines = lines;
  for (let depth = 0; depth < maxTagDepth; depth += 1) {
    const unwrappedLines = removeOuterTag(innerLines, document);
    if (unwrappedLines === 'unclear' || unwrappedLines === innerLines) return unwrappedLines;
    innerLines = removeCdataMarkers(unwrappedLines, document.original);
  }
  return 'unclear';
}

const maxTagDepth = 4;

function removeOuterTag(
  lines: readonly string[],
  { language, original, before, after, instruction = '' }: EditedDocument,
): readonly string[] | 'unclear' {
  const start = lines.findIndex((line) => wrappingTagPattern.test(line));
  const groups = wrappingTagPattern.exec(lines[start] ?? '')?.groups;
  const tag = groups?.['tag']?.toLowerCase();
  if (groups === undefined || tag === undefined)
    return hasUnknownTag(lines, { language, original }) ? 'unclear' : lines;
  const closingTag = `</${tag}>`;
  const end = lines.findLastIndex((line) => line.trimEnd().toLowerCase().endsWith(closingTag));
  if (end < start || original.some((line) => line.toLowerCase().includes(`<${tag}`))) return lines;
  // The answer can repeat lines around the selection, and their tags.
  if ([...before, ...after].some((line) => line.toLowerCase().includes(`<${tag}`))) {
    const linesOutside = [...lines.slice(0, start), ...lines.slice(end + 1)];
    return linesOutside.some(isNonBlank) ? lines : 'unclear';
  }
  const hasTags = original.some((line) => /^\s*<\/?[a-z]/iu.test(line));
  const isRequested =
    taggedLanguages.has(language) && new RegExp(`\\b${tag}\\b`, 'iu').test(instruction);
  const isElement = hasTags || /^(?:html|vue|svelte|astro|php)$/u.test(language);
  if ((htmlTags.has(tag) && isElement) || isRequested) return 'unclear';
  const innerLines = [groups['rest'] ?? '', ...lines.slice(start + 1, end + 1)];
  const lastLine = innerLines.at(-1) ?? '';
  const contentLines = [
    ...innerLines.slice(0, -1),
    lastLine.slice(0, lastLine.toLowerCase().lastIndexOf(closingTag)),
  ];
  return contentLines.slice(
    (contentLines[0] ?? '').trim() === '' ? 1 : 0,
    (contentLines.at(-1) ?? '').trim() === '' ? -1 : contentLines.length,
  );
}

/** Checks whether a tag encloses all lines of the answer, although documents in this language contain no tags. */
function hasUnknownTag(
  lines: readonly string[],
  { language, original }: Pick<EditedDocument, 'language' | 'original'>,
): boolean {
  if (taggedLanguages.has(language)) return false;
  const tag = /^<(?<tag>[a-z][\w:.-]*)\b[^<>]*>/iu.exec(lines.find(isNonBlank) ?? '')?.groups?.[
    'tag'
  ];
  const lastLine = lines.findLast(isNonBlank)?.trimEnd() ?? '';
  return (
    tag !== undefined &&
    lastLine.endsWith(`</${tag}>`) &&
    !original.some((line) => line.includes(`<${tag}`))
  );
}

/** Removes `<![CDATA[` and `]]>` around all lines. */
function removeCdataMarkers(
  lines: readonly string[],
  original: readonly string[],
): readonly string[] {
  const text = lines.join('\n').trim();
  const [start, end] = ['<![CDATA[', ']]>'];
  const isEnclosed =
    text.startsWith(start) && text.endsWith(end) && !original.some((line) => line.includes(start));
  return isEnclosed ? text.slice(start.length, -end.length).split('\n') : lines;
}

/** A comment that only names the file that the following code belongs to, such as `// filepath: src/a.ts`. */
export interface FileComment {
  readonly path: string;
  /** True if a label such as `filepath:` shows that the comment names a file. */
  readonly isLabeled: boolean;
}

/**
 * Reads a line that is a {@link FileComment}; returns undefined for any other line.
 * @param path Path of the document. A comment that contains its file name is recognized even if this name has no
 * extension.
 */
export function readFileComment(line: string, path = ''): FileComment | undefined {
  const start = line.slice(0, maxFileCommentLength);
  // A comment that continues on the next line is part of the code.
  const content =
    (
      /^\s*(?:\/\/+|#+|--|%+|;+|\.\. )\s*(?<content>\S.*?)\s*$/u.exec(start) ??
      /^\s*\/\*+\s*(?<content>\S.*?)\s*\*+\/\s*$/u.exec(start) ??
      /^\s*<!--\s*(?<content>\S.*?)\s*-->\s*$/u.exec(start)
    )?.groups?.['content'] ?? '';
  const labeledPath =
    /^(?:file ?(?:path|name)?|path)\s*:\s*(?<path>[^\s"'<>|*?]+)(?: \([^()]*\))?$/iu.exec(content)
      ?.groups?.['path'];
  if (labeledPath !== undefined) return { path: labeledPath, isLabeled: true };
  const isOwnName = path !== '' && isNameOf(content, path);
  const otherContent = otherCommentPattern.exec(line.slice(0, maxFileCommentLength))?.groups?.[
    'content'
  ];
  if (otherContent !== undefined && path !== '' && isNameOf(otherContent, path))
    return { path: otherContent, isLabeled: false };
  if (isOwnName) return { path: content, isLabeled: false };
  return /^(?:[\w.@-]+[\\/])*[\w@-][\w.@-]*\.[a-z]\w{0,9}$/iu.test(content)
    ? { path: content, isLabeled: false }
    : undefined;
}

const maxFileCommentLength = 300;

/**
 * Matches a comment in a less common notation, such as `(* … *)`. Ordinary text can also begin with some of its
 * characters.
 */
const otherCommentPattern =
  /^\s*(?:\{\/\*|\(\*|\{-|rem\s|::|['!*"c]\s)\s*(?<content>\S.*?)\s*(?:\*\/\}|\*\)|-\})?\s*$/iu;

const isNameOf = (name: string, path: string): boolean =>
  name === path || name.toLowerCase() === getFileName(path);

/** Returns the last segment of a path in lower case. */
export const getFileName = (path: string): string =>
  path.split(/[\\/]/u).at(-1)?.toLowerCase() ?? '';

/** Removes the first line if it only names the file. Returns `unclear` if such a line may be part of the document. */
export function removeFileComment(
  lines: readonly string[],
  { language, original, before, instruction = '', path }: EditedDocument,
): readonly string[] | 'unclear' {
  const start = lines.findIndex(isNonBlank);
  const line = lines[start] ?? '';
  const comment = readFileComment(line, path);
  if (comment === undefined || lines.slice(start + 1).every((otherLine) => !isNonBlank(otherLine)))
    return lines;
  if ([...original, ...before].some((otherLine) => otherLine.trim() === line.trim())) return lines;
  // The answer changes a comment of the document.
  if (readFileComment(original.find(isNonBlank) ?? '') !== undefined) return lines;
  const isHeading = line.trim().startsWith('#') && /^(?:markdown|mdx|quarto|rmd)$/u.test(language);
  const isRequested = /\b(?:file ?name|path|header|heading|title|file comment)/iu.test(instruction);
  if (isHeading && !comment.isLabeled) return lines;
  const isSameFile = path !== undefined && getFileName(path) === getFileName(comment.path);
  if (isRequested || (!isSameFile && path !== undefined)) return 'unclear';
  if (!isSameFile && !comment.isLabeled && !/[\\/]/u.test(comment.path)) return 'unclear';
  return lines.slice(start + 1);
}

/**
 * Removes the backticks around an answer of one line. Returns `unclear` if the backticks may be part of the document,
 * and any other answer unchanged.
 */
export function removeBackticks(
  lines: readonly string[],
  original: readonly string[],
): readonly string[] | 'unclear' {
  const [line = ''] = lines;
  const quotation = lines.length === 1 ? readCodeInBackticks(line.trim()) : undefined;
  if (quotation === undefined) return lines;
  const { code, count } = quotation;
  if (original.some((otherLine) => otherLine.trim().startsWith('`'))) return lines;
  const [name = '', ...rest] = code.trim().split(/\s+/u);
  const hasName =
    count > 1 && rest.length > 0 && /^[a-z][\w+#-]*$/u.test(name) && !hasWord(original, name);
  const innerText = (hasName ? code.trim().slice(name.length) : code).trim();
  return countOriginalLines([innerText], original) > 0 ? [innerText] : 'unclear';
}

/**
 * Reads the text between equally many backticks at the start and the end. With three or more backticks, the text can
 * contain single backticks, and a language name after the opening backticks is removed. Returns undefined for any other
 * text.
 */
function readCodeInBackticks(
  text: string,
): { readonly code: string; readonly count: number } | undefined {
  let [start, end] = [0, 0];
  while (text[start] === '`') start += 1;
  while (text.at(-1 - end) === '`') end += 1;
  const innerText = text.slice(start, text.length - end);
  if (start === end && start > 0 && innerText !== '' && !innerText.includes('`'))
    return { code: innerText, count: start };
  const count = Math.min(start, end, Math.floor((text.length - 1) / 2));
  return count < 3
    ? undefined
    : { code: text.slice(count, -count).replace(/^[\w+#-]+(?=\s)/u, ''), count };
}

const hasWord = (lines: readonly string[], word: string): boolean =>
  lines.some((line) => line.match(/[\p{L}\p{N}_]+/gu)?.includes(word) === true);

/** Removes a first line that contains only the name of the programming language, which some models add. */
export function removeLanguageName(
  lines: readonly string[],
  languageNames: readonly string[],
  original: readonly string[],
): readonly string[] {
  const [firstLine = '', ...rest] = lines;
  const isName = languageNames.includes(firstLine.trim()) && firstLine.trim() !== '';
  const isOriginal = original.some((line) => line.trim() === firstLine.trim());
  return isName && !isOriginal && rest.length > 0 ? rest : lines;
}

/**
 * Removes carriage returns and hidden characters from replacement lines. Retains the hidden characters of a line if the
 * original contains the same line, or a line with most of its words and the same hidden characters.
 */
export function stripAddedCharacters(
  lines: readonly string[],
  original: readonly string[],
): readonly string[] {
  const text = lines.join('\n');
  if (!text.includes('\r') && !hasHiddenCharacters(text)) return lines;
  const knownLines = new Set(
    original.filter((line) => line.includes('\r') || hasHiddenCharacters(line)),
  );
  const similarityChecks = new Map<string, (line: string) => boolean>();
  for (const [hiddenCharacters, hiddenLines] of Map.groupBy(knownLines, listHiddenCharacters))
    similarityChecks.set(hiddenCharacters, createSimilarLineCheck(hiddenLines.map(stripLine)));
  const isOriginalLine = (line: string): boolean =>
    // In a diff, each line begins with a sign.
    knownLines.has(line) ||
    knownLines.has(line.slice(1)) ||
    similarityChecks.get(listHiddenCharacters(line))?.(stripLine(line)) === true;
  return lines
    .flatMap((line) => (knownLines.has(line) ? line : line.split(/\r\n?/u)))
    .map((line) => (hasHiddenCharacters(line) && !isOriginalLine(line) ? stripLine(line) : line));
}

const stripLine = (line: string): string => stripHiddenCharacters(line).text;

const hasHiddenCharacters = (text: string): boolean =>
  findHiddenCharacters(text).next().done !== true;

const listHiddenCharacters = (line: string): string =>
  findHiddenCharacters(line)
    .map(({ character }) => character)
    .toArray()
    .join('');

/**
 * Returns the text lines of an answer that is one string with escaped line breaks, or a JSON object that contains such
 * a string. Returns other answers unchanged, and `unclear` if the document may itself contain the escaped text.
 */
export function removeEscapes(
  lines: readonly string[],
  document: EditedDocument,
): readonly string[] | 'unclear' {
  const decodedLines = decodeLines(lines, document);
  return decodedLines === 'unclear' || decodedLines === lines
    ? decodedLines
    : stripAddedCharacters(decodedLines, document.original);
}

/**
 * Checks whether a text is a JSON object with two members: the path of the document, and a string with its new text.
 */
function isOwnFileJson(
  text: string,
  { path = '', language }: Pick<EditedDocument, 'path' | 'language'>,
): boolean {
  const match =
    /^\{\s*"(?:file|path|filename|file_path)":\s*"(?<name>[^"\\]+)",\s*"\w+":\s*"(?:[^"\\]|\\.)*"\s*\}$/u.exec(
      text,
    );
  const name = match?.groups?.['name'];
  return language.startsWith('json') && name !== undefined && path.endsWith(name);
}

function decodeLines(
  lines: readonly string[],
  document: EditedDocument,
): readonly string[] | 'unclear' {
  const { original } = document;
  const text = lines.join('\n').trim();
  if (isOwnFileJson(text, document)) return 'unclear';
  if (/^\{\s*"\w+":\s*["{]/u.test(text)) return readJsonObject(text, document) ?? lines;
  if (lines.length !== 1) return lines;
  const isStringLiteral = /^"(?:[^"\\]|\\.)*"$/u.test(text);
  if (isStringLiteral) return readJsonString(text, original) ?? lines;
  const hasEscapedQuotes = text.includes('"') && !/(?<!\\)"/u.test(text);
  if (hasEscapedQuotes && original.some((line) => /(?<!\\)"/u.test(line)))
    return removeOneEscapeLevel(lines.join('\n')) ?? 'unclear';
  const hasDoubledBackslashes = /\\\\/u.test(text) && !hasSingleBackslash(text);
  if (hasDoubledBackslashes && original.some(hasSingleBackslash)) {
    const singleBackslashLines = lines.map((line) => line.replaceAll('\\\\', '\\'));
    // If nothing else changed, the edit can be about the backslashes.
    const isOnlyChange = singleBackslashLines.join('\n').trim() === original.join('\n').trim();
    return isOnlyChange || original.some((line) => line.includes('\\\\'))
      ? 'unclear'
      : singleBackslashLines;
  }
  if (text.startsWith('\\t') && original[0]?.startsWith('\t') === true)
    return removeOneEscapeLevel(text) ?? 'unclear';
  if (!/\\n/u.test(text) || original.some((line) => line.includes('\\n'))) return lines;
  const textOutsideStrings = text.replaceAll(/(?<!\\)(["'`])(?:(?!\1)[^\\]|\\.)*\1/gu, '');
  if (!/\\n/u.test(textOutsideStrings)) return lines;
  // Escapes inside strings are part of the code.
  if (countLineBreaks(textOutsideStrings) < countLineBreaks(text) && !text.includes('\\"'))
    return 'unclear';
  const unescapedLines = removeOneEscapeLevel(lines.join('\n').trimEnd());
  return unescapedLines !== undefined && countOriginalLines(unescapedLines, original) > 0
    ? unescapedLines
    : 'unclear';
}

const countLineBreaks = (text: string): number => text.split('\\n').length - 1;

const hasSingleBackslash = (text: string): boolean => /(?<!\\)(?:\\\\)*\\(?!\\)/u.test(text);

function readJsonString(
  text: string,
  original: readonly string[],
): readonly string[] | 'unclear' | undefined {
  const nonBlankLines = original.filter(isNonBlank);
  const isStringOriginal = nonBlankLines.length <= 1 && /^\s*"/u.test(nonBlankLines[0] ?? '');
  if (isStringOriginal && !/\\[n"]/u.test(text)) return undefined;
  const lines = parseStringLines(text);
  if (lines === undefined) return undefined;
  if (
    isStringOriginal &&
    !nonBlankLines.some((line) => line.includes('\\')) &&
    countOriginalLines(lines, original) > 0
  )
    return lines;
  return isStringOriginal || (lines.length === 1 && countOriginalLines(lines, original) === 0)
    ? 'unclear'
    : lines;
}

/**
 * Matches names of JSON members that contain additional information, such as an explanation, instead of replacement
 * lines.
 */
const explanationKeyPattern =
  /^(?:explanations?|descriptions?|summary|notes?|comments?|reason(?:ing)?|changes|language|lang|path|file(?:_?(?:name|path))?)$/iu;

const textKeyPattern = new RegExp(`^(?:${textKeySource})$`, 'iu');

/**
 * Checks whether a JSON object is a tool call with a name and arguments, which may not contain the replacement lines.
 */
const isToolCall = (entries: readonly (readonly [string, unknown])[]): boolean =>
  entries.length > 1 &&
  /^(?:name|tool|tool_name|function|action)$/u.test(entries[0]?.[0] ?? '') &&
  entries.some(([key]) => /^(?:arguments|parameters|input|args|action_input)$/u.test(key));

function readJsonObject(
  text: string,
  { original, language }: EditedDocument,
): readonly string[] | 'unclear' | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const entries = Object.entries(value ?? {});
  const [[key, content] = ['', undefined]] = entries;
  if (original.some((line) => line.includes(`"${key}"`))) return undefined;
  if (typeof content !== 'string') return isToolCall(entries) ? 'unclear' : undefined;
  const isWrapping =
    textKeyPattern.test(key) &&
    entries.slice(1).every(([otherKey]) => explanationKeyPattern.test(otherKey));
  const hasBraces = original.some((line) => /^\s*[{}]|^\s*"[^"]+"\s*:/u.test(line));
  const isJson = language.startsWith('json');
  if (!isWrapping) return hasBraces && isJson && !isToolCall(entries) ? undefined : 'unclear';
  return hasBraces && countOriginalLines(content.split('\n'), original) === 0
    ? 'unclear'
    : content.split('\n');
}

function parseStringLines(text: string): readonly string[] | undefined {
  try {
    return (JSON.parse(text) as string).split('\n');
  } catch {
    return undefined;
  }
}

/** Removes one level of backslash escapes; undefined if the text contains escapes that JSON does not allow. */
const removeOneEscapeLevel = (text: string): readonly string[] | undefined =>
  parseStringLines(`"${text.replaceAll(/(?<!\\)((?:\\\\)*)"/gu, '$1\\"')}"`);

/**
 * Checks whether a document contains the lines consecutively. Takes linear time, also for many equal lines
 * (Knuth–Morris–Pratt).
 */
export function containsLines(documentLines: readonly string[], lines: readonly string[]): boolean {
  // Number of lines at the start of `lines` that precede each line.
  const prefixLengths: number[] = [];
  const computeNextLength = (length: number, line: string | undefined): number => {
    let nextLength = length;
    while (nextLength > 0 && (nextLength === lines.length || lines[nextLength] !== line))
      nextLength = prefixLengths[nextLength - 1] ?? 0;
    return lines[nextLength] === line ? nextLength + 1 : nextLength;
  };
  for (const [index, line] of lines.entries())
    prefixLengths.push(index === 0 ? 0 : computeNextLength(prefixLengths[index - 1] ?? 0, line));
  let length = 0;
  return (
    lines.length === 0 ||
    documentLines.some((line) => (length = computeNextLength(length, line)) === lines.length)
  );
}

/** Counts the lines that the original also contains, ignoring indentation and lines without letters. */
export function countOriginalLines(lines: readonly string[], original: readonly string[]): number {
  const originalTexts = new Set(original.map((line) => line.trim()));
  const words = new Set(original.flatMap((line) => line.match(/[\p{L}\p{N}_]{3,}/gu) ?? []));
  return lines.filter((line) => {
    if (originalTexts.has(line.trim()) && isNonBlank(line)) return true;
    const lineWords = line.match(/[\p{L}\p{N}_]{3,}/gu) ?? [];
    return (
      lineWords.length > 0 &&
      lineWords.filter((word) => words.has(word)).length * 2 >= lineWords.length
    );
  }).length;
}
