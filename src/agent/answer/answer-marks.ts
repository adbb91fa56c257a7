import { parseLineNumbers } from '../edit/unwrap.ts';

/** Tags in which models enclose an answer. Each tag can also be part of a document. */
const wrappingTag =
  /^\s*<(?<tag>answer|code|new_?code|(?:updated|edited|modified|revised|final|replaced)[_-]?(?:code|text|lines|content)?|replacement|result|output|response|solution|edit|text|content|file)>(?<rest>.*)$/iu;

/** Tags that HTML documents also contain. */
const htmlTags: ReadonlySet<string> = new Set(['code', 'output', 'text', 'content']);

/** Returns the lines inside tags around the answer, or `unclear` if the tags can be part of it. */
export function removeTags(
  lines: readonly string[],
  original: readonly string[],
): readonly string[] | 'unclear' {
  const start = lines.findIndex((line) => wrappingTag.test(line));
  const groups = wrappingTag.exec(lines[start] ?? '')?.groups;
  const tag = groups?.['tag'];
  if (groups === undefined || tag === undefined) return lines;
  const close = `</${tag.toLowerCase()}>`;
  const end = lines.findLastIndex((line) => line.trimEnd().toLowerCase().endsWith(close));
  if (end < start || original.some((line) => line.toLowerCase().includes(`<${tag.toLowerCase()}`)))
    return lines;
  if (htmlTags.has(tag.toLowerCase()) && original.some((line) => /^\s*<\/?[a-z]/iu.test(line)))
    return 'unclear';
  const inner = [groups['rest'] ?? '', ...lines.slice(start + 1, end + 1)];
  const last = inner.at(-1) ?? '';
  const content = [...inner.slice(0, -1), last.slice(0, last.toLowerCase().lastIndexOf(close))];
  return content.slice(
    (content[0] ?? '').trim() === '' ? 1 : 0,
    (content.at(-1) ?? '').trim() === '' ? -1 : content.length,
  );
}

/**
 * Returns the code of an answer that is one line in backticks, or `unclear` if the backticks can be
 * part of it.
 */
export function removeBackticks(
  lines: readonly string[],
  original: readonly string[],
): readonly string[] | 'unclear' {
  const [line = ''] = lines;
  const groups =
    /^\s*(?<marks>`+)(?<code>[^`]+)\k<marks>\s*$/u.exec(line)?.groups ??
    /^\s*(?<marks>`{3,})(?:[\w+#-]+(?=\s))?(?<code>.+?)\k<marks>\s*$/u.exec(line)?.groups;
  const code = groups?.['code'];
  if (lines.length !== 1 || code === undefined) return lines;
  if (original.some((other) => other.trim().startsWith('`'))) return lines;
  const [name = '', ...rest] = code.trim().split(/\s+/u);
  const hasName =
    groups?.['marks'] !== '`' &&
    rest.length > 0 &&
    /^[a-z][\w+#-]*$/u.test(name) &&
    !hasWord(original, name);
  const inner = (hasName ? code.trim().slice(name.length) : code).trim();
  return countOriginalLines([inner], original) > 0 ? [inner] : 'unclear';
}

const hasWord = (lines: readonly string[], word: string): boolean =>
  lines.some((line) => line.match(/[\p{L}\p{N}_]+/gu)?.includes(word) === true);

/**
 * Returns the lines without a first line that contains only the name of the programming language,
 * which some models add.
 */
export function removeLanguageName(
  lines: readonly string[],
  names: readonly string[],
  original: readonly string[],
): readonly string[] {
  const [first = '', ...rest] = lines;
  const isName = names.includes(first.trim()) && first.trim() !== '';
  const isOriginal = original.some((line) => line.trim() === first.trim());
  return isName && !isOriginal && rest.length > 0 ? rest : lines;
}

/**
 * Returns the lines without the line numbers that every line carries in ascending order, and without
 * the `>` of a quotation. Returns `unclear` if the marks can be part of the lines.
 * @param canBeNumbered True if the numbers can be requested, so that only numbers with a bar are marks.
 */
export function removeLineMarks(
  lines: readonly string[],
  original: readonly string[],
  canBeNumbered: boolean,
): readonly string[] | 'unclear' {
  const numbered = removeNumbers(lines, original);
  if (
    numbered !== undefined &&
    canBeNumbered &&
    lines.some((line) => /^\s*1(?!\d)(?! ?[|│→])/u.test(line))
  )
    return 'unclear';
  if (numbered !== undefined) return numbered;
  const content = lines.filter(isNonBlank);
  // Prompts of a console session are no commands.
  const hasPrompt = (line: string): boolean => /^[$>%] \S/u.test(line);
  if (content.every((line) => line.startsWith('$ ')) && content.length > 0)
    return original.some(hasPrompt) ? lines : 'unclear';
  const isQuoted = (line: string): boolean => /^>(?: |$)/u.test(line);
  if (content.length === 0 || !content.every(isQuoted)) return lines;
  const own = original.filter(isNonBlank);
  const countNested = (all: readonly string[]): number =>
    all.filter((line) => line.startsWith('> >')).length;
  if (own.every(isQuoted)) return countNested(content) > countNested(own) ? 'unclear' : lines;
  const unquoted = lines.map((line) => line.replace(/^> ?/u, ''));
  // A quotation of the same lines is the requested change.
  if (unquoted.filter(isNonBlank).join('\n') === own.join('\n')) return lines;
  const isText = original.some((line) => /^(?:[#>]|\p{Lu}.*[.!?]$)/u.test(line));
  return !isText && countOriginalLines(unquoted, original) * 2 > content.length
    ? unquoted
    : 'unclear';
}

function removeNumbers(
  lines: readonly string[],
  original: readonly string[],
): readonly string[] | 'unclear' | undefined {
  const all = parseLineNumbers(lines);
  const hasMark = (candidate: readonly string[]): boolean =>
    candidate.every((line) => !isNonBlank(line) || /^[|│→:]/u.test(line));
  const candidates = all.every(hasMark) ? all : all.filter((candidate) => !hasMark(candidate));
  if (candidates.length === 0 || parseLineNumbers(original).length > 0) return undefined;
  const content = lines.filter(isNonBlank);
  const isSingle = content.length === 1;
  if (isSingle && !/^\s*\d+(?: ?[|│→]|\t|: )/u.test(content[0] ?? '')) return undefined;
  if (isSingle && /^\s*\d+: /u.test(content[0] ?? '')) return 'unclear';
  const [best = [], ...others] = candidates.toSorted(
    (a, b) =>
      countEqualLines(b, original) - countEqualLines(a, original) || compareLeadingSpaces(a, b),
  );
  if (countOriginalLines(best, original) > 0) return best;
  const hasBars = lines.every((line) => /^\s*\d+ ?[|│→\t]/u.test(line));
  return hasBars && others.every((other) => other.join('\n') === best.join('\n'))
    ? best
    : 'unclear';
}

/**
 * Compares two ways to remove line numbers. Prefers the one without a space at the start of every
 * line, because such a space separates the number instead of indenting the line.
 */
function compareLeadingSpaces(a: readonly string[], b: readonly string[]): number {
  const [longer, order] = a.join('').length >= b.join('').length ? [a, -1] : [b, 1];
  return longer.some((line) => /^\S/u.test(line)) ? order : -order;
}

/**
 * Returns the lines of an answer that consists of one string with escaped line breaks, or of a JSON
 * object with such a string. Returns `unclear` if the escaped text can itself be the new text.
 */
export function removeEscapes(
  lines: readonly string[],
  original: readonly string[],
): readonly string[] | 'unclear' {
  const text = lines.join('\n').trim();
  if (/^\{\s*"\w+":\s*"/u.test(text)) return readJsonObject(text, original) ?? lines;
  if (lines.length !== 1) return lines;
  const isString = /^"(?:[^"\\]|\\.)*"$/u.test(text);
  if (isString) return readJsonString(text, original) ?? lines;
  const hasEscapedQuotes = text.includes('"') && !/(?<!\\)"/u.test(text);
  if (hasEscapedQuotes && original.some((line) => line.includes('"') && !line.includes('\\"')))
    return removeOneEscapeLevel(lines.join('\n')) ?? 'unclear';
  const hasDoubled = /\\\\/u.test(text) && !hasSingleBackslash(text);
  if (hasDoubled && original.some(hasSingleBackslash)) {
    const single = lines.map((line) => line.replaceAll('\\\\', '\\'));
    return original.some((line) => line.includes('\\\\')) ? 'unclear' : single;
  }
  if (text.startsWith('\\t') && original[0]?.startsWith('\t') === true)
    return removeOneEscapeLevel(text) ?? 'unclear';
  if (!/\\n/u.test(text) || original.some((line) => line.includes('\\n'))) return lines;
  const outside = text.replaceAll(/(?<!\\)(["'`])(?:(?!\1)[^\\]|\\.)*\1/gu, '');
  if (!/\\n/u.test(outside)) return lines;
  const unescaped = removeOneEscapeLevel(text);
  return unescaped !== undefined && countOriginalLines(unescaped, original) > 0
    ? unescaped
    : 'unclear';
}

const hasSingleBackslash = (text: string): boolean => /(?<!\\)(?:\\\\)*\\(?!\\)/u.test(text);

function readJsonString(
  text: string,
  original: readonly string[],
): readonly string[] | 'unclear' | undefined {
  const content = original.filter(isNonBlank);
  const isSame = content.length <= 1 && /^\s*"/u.test(content[0] ?? '');
  if (isSame && !/\\[n"]/u.test(text)) return undefined;
  const lines = parseString(text);
  if (lines === undefined) return undefined;
  if (
    isSame &&
    !content.some((line) => line.includes('\\')) &&
    countOriginalLines(lines, original) > 0
  )
    return lines;
  return isSame || (lines.length === 1 && countOriginalLines(lines, original) === 0)
    ? 'unclear'
    : lines;
}

function readJsonObject(
  text: string,
  original: readonly string[],
): readonly string[] | 'unclear' | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const entries = Object.entries(value ?? {});
  const [[key, content] = ['', undefined]] = entries;
  if (typeof content !== 'string' || original.some((line) => line.includes(`"${key}"`)))
    return undefined;
  const isWrapping =
    entries.length === 1 &&
    /^(?:code|text|lines|content|answer|result|replacement|output|updated_?\w*|new_?\w*|edit)$/iu.test(
      key,
    );
  const hasBraces = original.some((line) => /^\s*[{}]|^\s*"[^"]+"\s*:/u.test(line));
  if (!isWrapping) return hasBraces ? undefined : 'unclear';
  return hasBraces && countOriginalLines(content.split('\n'), original) === 0
    ? 'unclear'
    : content.split('\n');
}

function parseString(text: string): readonly string[] | undefined {
  try {
    return (JSON.parse(text) as string).split('\n');
  } catch {
    return undefined;
  }
}

/** Removes one level of escapes; undefined if the text contains other escapes. */
const removeOneEscapeLevel = (text: string): readonly string[] | undefined =>
  parseString(`"${text.replaceAll(/(?<!\\)((?:\\\\)*)"/gu, '$1\\"')}"`);

const isNonBlank = (line: string): boolean => line.trim() !== '';

/**
 * Counts the lines that the original also contains, ignoring indentation and lines without letters.
 */
function countOriginalLines(lines: readonly string[], original: readonly string[]): number {
  const known = new Set(original.map((line) => line.trim()));
  const words = new Set(original.flatMap((line) => line.match(/[\p{L}\p{N}_]{3,}/gu) ?? []));
  return lines.filter((line) => {
    if (known.has(line.trim()) && isNonBlank(line)) return true;
    const own = line.match(/[\p{L}\p{N}_]{3,}/gu) ?? [];
    return own.length > 0 && own.filter((word) => words.has(word)).length * 2 >= own.length;
  }).length;
}

function countEqualLines(lines: readonly string[], original: readonly string[]): number {
  const known = new Set(original);
  return lines.filter((line) => known.has(line)).length;
}
