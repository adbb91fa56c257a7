import { getLeadingWhitespace, isNonBlank } from '../edit/indentation.ts';
import { diffLines, type LineChange } from '../../base/line-diff.ts';

/**
 * Maximum number of lines without a name, such as statements, that a code block may remove from a file without
 * repeating their words in the lines that it adds.
 */
const maxLostLines = 3;
/** Minimum number of lines of a file for which a code block that omits some lines can still count as the whole file. */
const minWholeFileLines = 20;
/** Maximum number of lines of one declaration to read when comparing declarations. */
const maxNestedLines = 200;
/** Maximum length in characters of a line in which to search for a name. */
const maxLineLength = 300;

/**
 * Returns the index of the first declaration, key or element of a file that the new text of the file omits. If it omits
 * none, returns the index of the first other omitted line if more than {@link maxLostLines} lines are omitted;
 * otherwise undefined. A renamed declaration, key or element does not count as omitted. A text for the whole file may
 * shorten functions and omit a small part, except at the start or the end of the file.
 */
export function findLostLineIndex(
  before: readonly string[],
  after: readonly string[],
  { isFile }: { readonly isFile: boolean },
): number | undefined {
  const changes = diffLines(before, after);
  const removedLines = changes.flatMap(({ from }) => before.slice(from.start, from.end));
  if (!removedLines.some(isNonBlank)) return undefined;
  const lineCount = before.filter(isNonBlank).length;
  const isNearlyWhole =
    isFile &&
    lineCount >= minWholeFileLines &&
    removedLines.filter(isNonBlank).length * 10 <= lineCount &&
    !removedLines.some((line) => essentialElementPattern.test(line)) &&
    !changes.some((change) => isTruncation(before, change));
  return isNearlyWhole
    ? undefined
    : new FileComparison(before, after, isFile).findLostLineIndex(changes);
}

/**
 * Counts the lines of a file that the new text deletes without a replacement. Returns 0 if the number is at most
 * {@link maxLostLines}.
 */
export function countOmittedLines(before: readonly string[], after: readonly string[]): number {
  const count = diffLines(before, after)
    .filter(({ to }) => to.start === to.end)
    .flatMap(({ from }) => before.slice(from.start, from.end))
    .filter(isNonBlank).length;
  return count > maxLostLines ? count : 0;
}

/** Matches HTML elements that occur once in a document and that an edit seldom deletes. */
const essentialElementPattern = /^\s*<(?:html|head|body|script|style|template)\b/iu;

/** Checks whether a change only removes lines, including the file's first or last line with a word. */
function isTruncation(before: readonly string[], { from, to }: LineChange): boolean {
  if (to.end > to.start) return false;
  const firstIndex = before.findIndex((line) => wordCharacterPattern.test(line));
  const lastIndex = before.findLastIndex((line) => wordCharacterPattern.test(line));
  return (
    (from.start <= firstIndex && firstIndex < from.end) ||
    (from.start <= lastIndex && lastIndex < from.end)
  );
}

const wordCharacterPattern = /[\p{L}\p{N}_$]/u;

class FileComparison {
  readonly #oldOutline: Outline;
  readonly #newOutline: Outline;
  readonly #isFile: boolean;
  /** Number of occurrences of each name in the new text minus the number in the old text of the file. */
  readonly #surplusByName = new Map<string, number>();
  /** Lines of the new text without leading and trailing white space. */
  readonly #newLines: ReadonlySet<string>;

  constructor(before: readonly string[], after: readonly string[], isFile: boolean) {
    this.#oldOutline = new Outline(before);
    this.#newOutline = new Outline(after);
    this.#isFile = isFile;
    this.#newLines = new Set(after.map((line) => line.trim()));
    for (const [outline, sign] of [
      [this.#oldOutline, -1],
      [this.#newOutline, 1],
    ] as const)
      for (const part of outline.parts)
        if (part !== undefined)
          this.#surplusByName.set(part.name, (this.#surplusByName.get(part.name) ?? 0) + sign);
  }

  findLostLineIndex(changes: readonly LineChange[]): number | undefined {
    const lostPartIndexes = changes.flatMap((change) => this.#findLostPartIndex(change) ?? []);
    const lostLineIndexes = changes.flatMap((change) => this.#listLostLineIndexes(change));
    return (
      lostPartIndexes[0] ?? (lostLineIndexes.length > maxLostLines ? lostLineIndexes[0] : undefined)
    );
  }

  /** Returns the index of the first declaration, key or element that a change removes without a replacement. */
  #findLostPartIndex({ from, to }: LineChange): number | undefined {
    const addedParts = this.#newOutline.parts
      .slice(to.start, to.end)
      .filter((part) => part !== undefined)
      .filter(({ name }) => (this.#surplusByName.get(name) ?? 0) > 0);
    const lines = this.#newOutline.lines.slice(to.start, to.end);
    const words = readWords(lines);
    for (let index = from.start; index < from.end; index += 1) {
      const part = this.#oldOutline.parts[index];
      if (part === undefined || this.#isRewritten(index, part)) continue;
      if (isRenamedDeclaration(lines, this.#oldOutline.lines[index] ?? '', part)) continue;
      if ((this.#surplusByName.get(part.name) ?? 0) >= 0 || isRewrittenItem(part, words)) continue;
      const nestedLines = this.#oldOutline.listNestedLines(index, from.end);
      const isRenamed = part.isKey || isRemovedPartMentioned(part, nestedLines, words);
      const matchIndex = addedParts.findIndex(
        ({ restOfLine }) => !part.isKey || restOfLine === part.restOfLine,
      );
      if (!isRenamed || matchIndex < 0) return index;
      addedParts.splice(matchIndex, 1);
    }
    return undefined;
  }

  /**
   * Checks whether a declaration, key or element is inside a function that the new text rewrites, so that its removal
   * is intended.
   */
  #isRewritten(index: number, part: NamedPart): boolean {
    const parentIndex = this.#oldOutline.findParentIndex(index);
    if (part.isTest || parentIndex === undefined || !this.#oldOutline.isInFunction(index))
      return false;
    const line = this.#oldOutline.lines[parentIndex] ?? '';
    return (part.isVariable || this.#oldOutline.opensFunction(parentIndex)) && !part.isElement
      ? part.isVariable || part.isKey
      : !this.#newLines.has(line.trim());
  }

  /** Returns the indexes of the removed lines whose words do not occur in the lines that the change adds. */
  #listLostLineIndexes({ from, to }: LineChange): readonly number[] {
    const words = readWords(this.#newOutline.lines.slice(to.start, to.end));
    const lostIndexes: number[] = [];
    for (let index = from.start; index < from.end; index += 1) {
      const line = this.#oldOutline.lines[index] ?? '';
      const canBeRemoved =
        this.#newLines.has(line.trim()) ||
        (this.#isFile &&
          (importLinePattern.test(line) ||
            commentPattern.test(line) ||
            this.#isInRetainedFunction(index)));
      if (!canBeRemoved && !containsHalfOfWords(words, readWords([line]))) lostIndexes.push(index);
    }
    return lostIndexes;
  }

  /** Checks whether a line is inside a function that the new text also contains. */
  #isInRetainedFunction(index: number): boolean {
    for (
      let parentIndex = this.#oldOutline.findParentIndex(index);
      parentIndex !== undefined;
      parentIndex = this.#oldOutline.findParentIndex(parentIndex)
    ) {
      const line = this.#oldOutline.lines[parentIndex] ?? '';
      const name = this.#oldOutline.parts[parentIndex]?.name;
      const isRetained =
        name === undefined ? this.#newLines.has(line.trim()) : this.#newOutline.has(name);
      if (this.#oldOutline.opensFunction(parentIndex) && isRetained) return true;
    }
    return false;
  }
}

/**
 * Checks whether a removed list item still occurs in added lines, for example in a list on one line. `words` contains
 * the words of the added lines.
 */
function isRewrittenItem({ isItem, name }: NamedPart, words: ReadonlySet<string>): boolean {
  const nameWords = readWords([name]);
  return isItem && nameWords.size > 0 && nameWords.isSubsetOf(words);
}

/**
 * Checks whether an added line declares another name with the same words before it, such as `export function`, as a
 * line of the file. The declaration was then renamed.
 */
function isRenamedDeclaration(
  addedLines: readonly string[],
  line: string,
  { name, isKey }: NamedPart,
): boolean {
  const trimmedLine = line.trim();
  const end = trimmedLine.indexOf(name) + name.length;
  const declaration = trimmedLine.slice(0, end);
  return (
    !isKey &&
    trimmedLine.indexOf(name) > 0 &&
    addedLines.some((addedLine) => {
      const addedText = addedLine.trim();
      return addedText.startsWith(declaration) && !wordCharacterPattern.test(addedText[end] ?? '');
    })
  );
}

/** Matches a line that consists of a comment. */
const commentPattern = /^\s*(?:\/\/|\/\*|<!--)/u;

const importLinePattern = /^\s*(?:import|from|use|using|#include|require)\b/u;

/**
 * Checks whether added lines contain at least half of the words of a removed declaration, key or element, without the
 * words of its name. `words` contains the words of the added lines.
 */
function isRemovedPartMentioned(
  { name }: NamedPart,
  lines: readonly string[],
  words: ReadonlySet<string>,
): boolean {
  const nameWords = readWords([name]);
  return containsHalfOfWords(
    words,
    [...readWords(lines)].filter((word) => !nameWords.has(word)),
  );
}

export function containsHalfOfWords(
  words: ReadonlySet<string>,
  expectedWords: Iterable<string>,
): boolean {
  const expected = [...expectedWords];
  return expected.filter((word) => words.has(word)).length * 2 >= expected.length;
}

export const readWords = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(
    (lines.join('\n').match(/[\p{L}\p{N}_$]+/gu) ?? []).filter(
      (word) => !declarationKeywords.has(word),
    ),
  );

/** A named declaration, key or element of a file. */
interface NamedPart {
  readonly name: string;
  /** Text of the line after the key; empty if `isKey` is false or the line is a list item. */
  readonly restOfLine: string;
  readonly isKey: boolean;
  /** True for a list item that consists of only a key, without a value. */
  readonly isItem: boolean;
  readonly isElement: boolean;
  readonly isTest: boolean;
  readonly isVariable: boolean;
}

/**
 * Lines of a text, with the nesting that their indentation shows, and the declaration, key or element that begins on
 * each line.
 */
class Outline {
  readonly lines: readonly string[];
  readonly parts: readonly (NamedPart | undefined)[];
  readonly #parentIndexes: readonly (number | undefined)[];
  readonly #names: ReadonlySet<string>;
  readonly #opensFunctionByIndex: readonly boolean[];

  constructor(lines: readonly string[]) {
    this.lines = lines;
    this.#parentIndexes = findParentIndexes(lines);
    this.#opensFunctionByIndex = lines.map(opensFunction);
    this.parts = lines.map((line, index) =>
      line.length > maxLineLength ? undefined : readNamedPart(line.trim(), lines[index + 1] ?? ''),
    );
    this.#names = new Set(this.parts.flatMap((part) => (part === undefined ? [] : [part.name])));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  findParentIndex(index: number): number | undefined {
    return this.#parentIndexes[index];
  }

  isInFunction(index: number): boolean {
    for (
      let parentIndex = this.#parentIndexes[index];
      parentIndex !== undefined;
      parentIndex = this.#parentIndexes[parentIndex]
    )
      if (this.opensFunction(parentIndex)) return true;
    return false;
  }

  opensFunction(index: number): boolean {
    return this.#opensFunctionByIndex[index] === true;
  }

  /** Returns the line at index `start` and the lines nested in it. Includes no lines from index `end` on. */
  listNestedLines(start: number, end: number): readonly string[] {
    const width = getLeadingWhitespace(this.lines[start] ?? '').length;
    const limit = Math.min(end, start + maxNestedLines);
    let endIndex = start + 1;
    for (; endIndex < limit; endIndex += 1) {
      const line = this.lines[endIndex] ?? '';
      if (isNonBlank(line) && getLeadingWhitespace(line).length <= width) break;
    }
    return this.lines.slice(start, endIndex);
  }
}

/** Returns, for each line, the index of the nearest preceding line with less indentation; undefined if none exists. */
function findParentIndexes(lines: readonly string[]): (number | undefined)[] {
  const openLines: { readonly index: number; readonly width: number }[] = [];
  return lines.map((line, index) => {
    if (!isNonBlank(line)) return openLines.at(-1)?.index;
    const { length: width } = getLeadingWhitespace(line);
    let previousIndex: number | undefined;
    while (openLines.length > 0 && (openLines.at(-1)?.width ?? 0) >= width) {
      const lastLine = openLines.pop();
      if (lastLine?.width === width) previousIndex = lastLine.index;
    }
    const parentIndex = openLines.at(-1)?.index;
    // An opening bracket on a line of its own belongs to the line before.
    openLines.push({ index: line.trim() === '{' ? (previousIndex ?? index) : index, width });
    return parentIndex;
  });
}

const opensFunction = (line: string): boolean =>
  line.length <= maxLineLength &&
  (/=>\s*[({]?\s*$|\)[^()=;]{0,80}\{\s*$|^\s*(?:else|try|finally|do)\b|^\s*\} ?(?:else|catch|finally)\b/u.test(
    line,
  ) ||
    /^\s*(?:[a-z]+ ){0,3}(?:def|fn|func|fun|function|sub|proc|if|elif|for|while|with|switch|match)\b/u.test(
      line,
    ));

const splitAtSpaces = (text: string): readonly string[] => text.split(' ');
const declarationKeywords: ReadonlySet<string> = new Set(
  splitAtSpaces(
    'async await break case catch class const continue def default do elif else enum except export extends finally for from func function if implements import in interface let new private protected public pub return static struct switch this throw try type var void while with yield self',
  ),
);
const declarationModifiersSource =
  '(?:(?:export|default|declare|abstract|async|public|private|protected|internal|static|final|override|readonly|local|pub(?:\\([a-z]+\\))?|unsafe|extern|virtual|inline|data|sealed|partial) )*';
const declarationPattern = new RegExp(
  `^${declarationModifiersSource}(?:(?<variable>const|let|var|val)|function\\*?|class|interface|type|enum|def|fn|func|fun|struct|impl|trait|mod|module|namespace|record|object|protocol|extension|sub|proc|macro) (?:\\([^()]*\\) )?(?<name>[\\p{L}_$][\\p{L}\\p{N}_$]*)`,
  'u',
);
const testCallPattern =
  /^(?<callee>(?:test|it|describe|suite|context)(?:\.\w+)?)\((?<title>'[^']*'|"[^"]*"|`[^`]*`)/u;
const titledCallPattern = /^(?<callee>[\w.]+)\((?<title>'[^']*'|"[^"]*"|`[^`]*`),/u;
const keyPattern = new RegExp(
  `^(?:- )?${declarationModifiersSource}(?<name>"[^"]*"|'[^']*'|[\\p{L}_$@#.-][\\p{L}\\p{N}_$@./#-]*)[?!]? ?(?::(?!:)|=(?![=>]))(?<rest>.*)$`,
  'u',
);
const elementPattern = /^<(?<name>[\p{L}][\w.:-]*)(?:.*?\s(?<id>id=["'][^"']*["']))?/u;
const headingPattern = /^(?<name>#{2,6} .*|\[+[\w.\s"-]+\]+)$/u;
const listItemPattern = /^(?:- )?(?<name>"[^"]*"|'[^']*'|[\p{L}\p{N}_$@./#-]+),?$/u;

/** Reads the declaration, key or element that begins on a trimmed line. Otherwise returns undefined. */
function readNamedPart(line: string, nextLine: string): NamedPart | undefined {
  if (/^(?:\/\/|\/\*|\*|#(?!#|\w)|--|<!--)/u.test(line) || !wordCharacterPattern.test(line))
    return undefined;
  const createPart = (name: string, overrides: Partial<NamedPart> = {}): NamedPart => ({
    name,
    restOfLine: '',
    isKey: false,
    isItem: false,
    isElement: false,
    isTest: false,
    isVariable: false,
    ...overrides,
  });
  const declarationGroups = declarationPattern.exec(line)?.groups;
  if (declarationGroups !== undefined)
    return createPart(declarationGroups['name'] ?? '', {
      isVariable: declarationGroups['variable'] !== undefined,
    });
  const testGroups = (testCallPattern.exec(line) ?? titledCallPattern.exec(line))?.groups;
  if (testGroups !== undefined)
    return createPart(`${testGroups['callee']} ${testGroups['title']}`, {
      isTest: testCallPattern.test(line),
    });
  const tagGroups = elementPattern.exec(line)?.groups;
  if (tagGroups !== undefined)
    return createPart(`<${tagGroups['name']} ${tagGroups['id'] ?? ''}`, { isElement: true });
  const headingGroups = headingPattern.exec(line)?.groups;
  if (headingGroups !== undefined) return createPart(headingGroups['name'] ?? '');
  return readMember(line, nextLine, createPart);
}

function readMember(
  line: string,
  nextLine: string,
  createPart: (name: string, flags?: Partial<NamedPart>) => NamedPart,
): NamedPart | undefined {
  const firstWord = line.split(/[\s(:=.{]/u, 1)[0] ?? '';
  if (
    declarationKeywords.has(firstWord) &&
    !/^(?:async|private|protected|public|static|export|default)$/u.test(firstWord)
  )
    return undefined;
  const keyGroups = keyPattern.exec(line)?.groups;
  const isSelector = line.endsWith('{') && /^[.#&:*\w]/u.test(line) && !line.includes('(');
  if (isSelector && !/[=:]\s*\{$/u.test(line)) return createPart(line);
  if (keyGroups !== undefined) {
    const restOfLine = (keyGroups['rest'] ?? '').replace(/,$/u, '').trim();
    return createPart((keyGroups['name'] ?? '').replaceAll(/^["']|["']$/gu, ''), {
      restOfLine,
      isKey: true,
    });
  }
  const bracketIndex = line.indexOf('(');
  const opensBlock = /[{}]$/u.test(line) || nextLine.trim() === '{';
  if (bracketIndex > 0 && opensBlock) {
    const name = line.slice(0, bracketIndex).trim().split(/\s+/u).at(-1) ?? '';
    return /^[#~]?[\p{L}_$][\p{L}\p{N}_$<>, ]*$/u.test(name) ? createPart(name) : undefined;
  }
  const itemGroups = listItemPattern.exec(line)?.groups;
  return itemGroups === undefined
    ? undefined
    : createPart(itemGroups['name'] ?? '', { isKey: true, isItem: true });
}

/**
 * Matches ids of languages in which the end of a line does not show whether the line is complete, because it can be an
 * operator or an unpaired quotation mark.
 */
const looseLanguagesPattern =
  /^(?:shellscript|fish|dotenv|ini|properties|makefile|dockerfile|bat|plaintext|markdown|mdx|yaml|git-commit|scminput|csv|restructuredtext|asciidoc|quarto|rmd|prompt|latex|tex|bibtex)$/u;
const textLanguagesPattern =
  /^(?:plaintext|markdown|mdx|restructuredtext|asciidoc|quarto|rmd|prompt)$/u;
/** Languages whose blocks end with a keyword, with patterns for the keywords that begin a block on a line. */
const blockStartPatterns: Readonly<Partial<Record<string, RegExp>>> = {
  lua: /\bfunction\b|\bthen\s*$|\bdo\s*$/u,
  ruby: /^\s*(?:def|class|module|if|unless|while|until|for|case|begin)\b|\bdo(?: \|[^|]*\|)?\s*$/u,
  elixir: /\bdo\s*$|\bfn\b/u,
  julia: /^\s*(?:function|if|for|while|let|struct|module|begin|try|macro)\b/u,
  shellscript: /^\s*(?:if|case|for|while|until|select)\b/u,
};
const blockEndPattern = /^\s*(?:end|fi|done|esac)\b/u;

/**
 * Returns the first part of the replacement lines that lacks its end, probably because the service truncated the answer
 * without reporting this. Such a part is a bracket, block, element, string or comment that stays open, although the
 * original lines close theirs, or a last line that ends in an expression. Ignores missing punctuation that is a matter
 * of style. Returns undefined for complete lines.
 */
export function findOpenPart(
  lines: readonly string[],
  { original, language }: { readonly original: readonly string[]; readonly language: string },
): string | undefined {
  const [nonBlankLines, oldNonBlankLines] = [lines.filter(isNonBlank), original.filter(isNonBlank)];
  const lastLine = nonBlankLines.at(-1);
  if (lastLine === undefined || lastLine.trimEnd() === oldNonBlankLines.at(-1)?.trimEnd())
    return undefined;
  if (leavesBracketsOpen(nonBlankLines, { original: oldNonBlankLines, language }))
    return 'open bracket';
  const [bareText, oldBareText] = [nonBlankLines, oldNonBlankLines].map((sideLines) =>
    removeStrings(sideLines, language),
  ) as [string, string];
  const openCounter = openPartCounters
    .filter(({ supportsLanguage }) => supportsLanguage(language))
    .find(
      ({ countOpenParts: count }) =>
        count(oldBareText, language) === 0 && count(bareText, language) > 0,
    );
  return (
    openCounter?.name ??
    (endsInsideConstruct(lastLine, nonBlankLines, oldNonBlankLines, language)
      ? 'open last line'
      : undefined)
  );
}

/**
 * Checks whether brackets stay open, both with and without the text of strings and comments, although the original
 * lines close all of theirs.
 */
export function leavesBracketsOpen(
  lines: readonly string[],
  {
    original: originalLines,
    language,
  }: { readonly original: readonly string[]; readonly language: string },
): boolean {
  if (textLanguagesPattern.test(language)) return false;
  const texts = [originalLines, lines].flatMap((sideLines) => [
    sideLines.join('\n'),
    removeStrings(sideLines, language),
  ]);
  const [oldRawCounts = [], oldBareCounts = [], rawCounts = [], bareCounts = []] = texts.map(
    (text) => ['{}', '()', '[]'].map((bracketPair) => countUnclosedMarks(text, bracketPair)),
  );
  const isClosed = [...oldRawCounts, ...oldBareCounts].every((count) => count === 0);
  return isClosed && rawCounts.some((count, index) => count > 0 && (bareCounts[index] ?? 0) > 0);
}

const countUnclosedMarks = (
  text: string,
  [openMark = '', closeMark = '']: Iterable<string>,
): number => text.split(openMark).length - text.split(closeMark).length;

/** Removes escapes, strings within one line and comments at the end of a line. */
export const removeStrings = (lines: readonly string[], language: string): string =>
  lines
    .map((line) => {
      const plainLine = line
        .replaceAll(/\\./gu, '')
        .replaceAll(/"[^"]*"|(?<!\w)'[^']*'|`[^`]*`|(?<=[=(,:[!&|?{};\s])\/[^/\s*][^/]*\//gu, '');
      if (/^(?:latex|tex)$/u.test(language)) return plainLine;
      return plainLine.replace(/(?:^|\s)(?:\/\/|#(?!\w)|--\s).*$/u, '');
    })
    .join('\n');

const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

interface OpenPartCounter {
  readonly name: string;
  readonly supportsLanguage: (language: string) => boolean;
  /** Counts the open parts in a text without strings and comments. */
  readonly countOpenParts: (text: string, language: string) => number;
}

const markupLanguagesPattern =
  /^(?:html|xml|xsl|svg|vue|svelte|astro|handlebars|javascriptreact|typescriptreact)$/u;
const createLanguageTest =
  (pattern: RegExp) =>
  (language: string): boolean =>
    pattern.test(language);

/**
 * Counts the blocks that begin but do not end, in a language whose blocks end with a keyword; 0 for other languages.
 */
function countOpenBlocks(lines: readonly string[], language: string): number {
  const pattern = blockStartPatterns[language];
  if (pattern === undefined) return 0;
  const relevantLines = lines.filter((line) => !/^\s*else?if\b/u.test(line));
  const startLines = relevantLines.filter((line) => pattern.test(line));
  return startLines.length - relevantLines.filter((line) => blockEndPattern.test(line)).length;
}

/** Returns the number of opening brackets and block keywords minus the number of closing ones. */
export function computeBracketBalance(lines: readonly string[], language: string): number {
  let balance = countOpenBlocks(lines, language);
  for (const bracket of lines.join('').match(/[()[\]{}]/gu) ?? [])
    balance += '([{'.includes(bracket) ? 1 : -1;
  return balance;
}

const openPartCounters: readonly OpenPartCounter[] = [
  {
    name: 'open block',
    supportsLanguage: (language) => blockStartPatterns[language] !== undefined,
    countOpenParts: (text, language) => countOpenBlocks(text.split('\n'), language),
  },
  {
    name: 'open comment',
    supportsLanguage: (language) => !looseLanguagesPattern.test(language),
    countOpenParts: (text) => countUnclosedMarks(text, ['/*', '*/']),
  },
  {
    name: 'open environment',
    supportsLanguage: createLanguageTest(/^(?:latex|tex)$/u),
    countOpenParts: (text) =>
      countMatches(text, /begin\{/gu) - countMatches(text, /end\{\w+\*?\}/gu),
  },
  {
    name: 'open formula',
    supportsLanguage: createLanguageTest(/^(?:latex|tex)$/u),
    countOpenParts: (text) => countMatches(text, /\$/gu) % 2,
  },
  {
    name: 'open element',
    supportsLanguage: createLanguageTest(markupLanguagesPattern),
    countOpenParts: countOpenElements,
  },
  {
    name: 'open tag',
    supportsLanguage: createLanguageTest(markupLanguagesPattern),
    countOpenParts: (text) => countMatches(text, /(?<![\w.])<(?:\/?[a-z][^<>]*|\/)$/giu),
  },
  {
    name: 'open comment',
    supportsLanguage: createLanguageTest(/^(?:html|xml|xsl|svg|vue|svelte|markdown|mdx)$/u),
    countOpenParts: (text) => countUnclosedMarks(text, ['<!--', '-->']),
  },
  {
    name: 'open fence',
    supportsLanguage: createLanguageTest(/^(?:markdown|mdx|quarto|rmd)$/u),
    countOpenParts: (text) => countMatches(text, /^[^\S\n]*`{3,}/gmu) % 2,
  },
  {
    name: 'open string',
    supportsLanguage: (language) =>
      !looseLanguagesPattern.test(language) && !markupLanguagesPattern.test(language),
    countOpenParts: (text) => countMatches(text, /"/gu) % 2,
  },
];

const voidElementsPattern =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|dt|dd|td|tr|th|option)$/iu;

function countOpenElements(text: string): number {
  const openCounts = new Map<string, number>();
  // Values of attributes can contain the signs of tags.
  const bareText = text
    .replaceAll(/=(?:"[^"]*"|'[^']*')/gu, '')
    .replaceAll('=>', '')
    .replaceAll(/\{[^{}]*\}/gu, '')
    .replaceAll(/\{[^{}]*\}/gu, '');
  for (const { groups } of bareText.matchAll(
    /(?:(?<![\w.])<|<(?<slash>\/))(?<name>[a-z][\w.-]*)(?:[^<>]*?)(?<self>\/?)>/giu,
  )) {
    const { slash, name = '', self: selfMark } = groups ?? {};
    if (selfMark === '/' || voidElementsPattern.test(name)) continue;
    openCounts.set(name, (openCounts.get(name) ?? 0) + (slash === '/' ? -1 : 1));
  }
  return [...openCounts.values()].reduce((max, count) => Math.max(max, count), 0);
}

/** Checks whether the last line ends inside a word of the original, inside a table row or inside an expression. */
function endsInsideConstruct(
  line: string,
  nonBlankLines: readonly string[],
  oldNonBlankLines: readonly string[],
  language: string,
): boolean {
  const isPrefix = nonBlankLines
    .slice(0, -1)
    .every((contentLine, index) => contentLine === oldNonBlankLines[index]);
  if (
    isPrefix &&
    nonBlankLines.length > 1 &&
    endsInsideWord(line.trim(), oldNonBlankLines[nonBlankLines.length - 1]?.trim() ?? '')
  )
    return true;
  const isTableRow = (candidate: string): boolean => /^\s*\|.*\|\s*$/u.test(candidate);
  if (/^(?:markdown|mdx)$/u.test(language) && /^\s*\|/u.test(line))
    return !isTableRow(line) && nonBlankLines.some(isTableRow);
  if (looseLanguagesPattern.test(language) || /^\s*(?:\/\/|\*|#|--|%|;)/u.test(line)) return false;
  const endsWithOperator = (candidate: string): boolean =>
    /(?:\w|\))\s+(?:=|[+%^&|<-]|&&|\|\||=>|->|:=|[=!<>]=)\s*$/u.test(candidate);
  return endsWithOperator(line) && !endsWithOperator(oldNonBlankLines.at(-1) ?? '');
}

/** Checks whether a line is the beginning of another line, cut in the middle of a word. */
const endsInsideWord = (line: string, fullLine: string): boolean =>
  line.length < fullLine.length &&
  fullLine.startsWith(line) &&
  /\w\W+\w+$/u.test(line) &&
  /^\w/u.test(fullLine.slice(line.length));
