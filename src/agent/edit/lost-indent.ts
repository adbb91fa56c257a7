import { diffLines } from '../../base/line-diff.ts';
import type { TextParts } from './find-exact.ts';
import type { Hunk } from './hunk.ts';
import {
  blockOpeningPattern,
  detectIndentUnit,
  getLeadingWhitespace,
  isIndentLevel,
  isNonBlank,
  opensBlock,
} from './indentation.ts';

/** Matches directives of preprocessors and makefiles, which start at column 0 even between indented lines. */
const directiveLinePattern =
  /^(?:#(?:if|ifn?def|elif|else|endif|define|include|undef|pragma)\b|(?:ifn?eq|ifn?def|endif|define|endef)\b|else$|-?include\s)/u;

/** Matches declarations that are common at the top level of a file, such as functions and classes. */
const declarationLinePattern =
  /^(?:(?:export|import|async|class|interface|enum|namespace|function|def|struct)\s|@\w|[\w-]+\(\)\s*\{)/u;

/**
 * Matches a line of prose: at least four words, of which the first is capitalized, and a period or colon at the end.
 */
const proseLinePattern = /^\p{Lu}\S*(?: \S+){3,}[.:]$/u;

/** Matches the target line of a makefile rule, such as `all: main.o`. */
const makefileRulePattern = /^[\w.$()%/ -]+:(?!=)[^,;{}"']*$/u;
const isAtColumn0 = (line: string): boolean => /^\S/u.test(line);

/**
 * Restores the indentation of a replacement if all lines, or only the first one, lack the indentation of the search
 * text. Derives the missing indentation from lines that both texts contain. Returns undefined if the correct
 * indentation cannot be determined.
 * @param start Offset of the search text in `text`, at the start of a line.
 */
export function restoreLostIndent(
  text: TextParts,
  start: number,
  { search, replace }: Hunk,
): string | undefined {
  const edit = readEditLines(search, replace);
  if (edit === undefined || isDedentOnly(edit)) return replace;
  const { lines, firstLineIndex, commonIndent } = edit;
  const end = start + search.length;
  const isAtStart = getLeadingWhitespace(lines[firstLineIndex] ?? '') === '';
  if (isAtStart && areLaterLinesIndented(edit)) {
    const indent = findFirstIndent(edit);
    if (indent !== undefined)
      return lines.with(firstLineIndex, indent + lines[firstLineIndex]).join('\n');
  } else {
    const shifts = findIndentShifts(edit);
    const firstShift = shifts[0];
    const isFirstLineNew = hasNewFirstLine(edit);
    const closesMoreBrackets =
      countUnmatchedClosingBrackets(replace) > countUnmatchedClosingBrackets(search);
    if (
      isAtStart
        ? isFirstLineNew && closesMoreBrackets && !shifts.includes('lost')
        : !mayHaveLostIndent(edit, shifts)
    )
      return replace;
    const isLost = firstShift === 'lost' && !shifts.includes('kept') && !closesMoreBrackets;
    const canRestore =
      lines.some(isAtColumn0) &&
      (isAtStart || !isFirstLineNew) &&
      !opensChangedBlock(edit) &&
      !addsDeclaration(edit);
    if (isLost && canRestore && isInsideBlock(text, end, commonIndent))
      return lines
        .map((line) =>
          isNonBlank(line) || edit.search.includes(commonIndent + line)
            ? commonIndent + line
            : line,
        )
        .join('\n');
  }
  return commonIndent === '' || isPlausibleAtColumn0(text, end, edit) ? replace : undefined;
}

interface LostIndentEdit {
  readonly search: readonly string[];
  readonly lines: readonly string[];
  /** Index of the replacement's first non-blank line. */
  readonly firstLineIndex: number;
  /** Indentation that all lines of the search text share. */
  readonly commonIndent: string;
}

/** Splits the search text and the replacement into lines. Returns undefined if one of them is blank. */
function readEditLines(search: string, replace: string): LostIndentEdit | undefined {
  const edit = { search: search.split('\n'), lines: replace.split('\n') };
  const firstLineIndex = edit.lines.findIndex(isNonBlank);
  const indents = edit.search.filter(isNonBlank).map(getLeadingWhitespace);
  if (firstLineIndex < 0 || indents.length === 0) return undefined;
  return { ...edit, firstLineIndex, commonIndent: indents.reduce(getCommonPrefix) };
}

function getCommonPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}

/** Checks whether the replacement is the search text without its common indentation, and otherwise unchanged. */
function isDedentOnly({ search, lines, commonIndent }: LostIndentEdit): boolean {
  return (
    search.length === lines.length &&
    search.every((line, index) => line.slice(commonIndent.length) === lines[index])
  );
}

/**
 * Checks whether all lines after the first line of the replacement have at least the indentation of the search text.
 */
function areLaterLinesIndented({ lines, firstLineIndex, commonIndent }: LostIndentEdit): boolean {
  const rest = lines.slice(firstLineIndex + 1).filter(isNonBlank);
  return rest.length > 0 && rest.every((line) => line.startsWith(commonIndent));
}

/**
 * Checks whether a replacement may have lost indentation by mistake. If none of its lines starts at column 0, it may
 * instead be the content of a removed block, so it must also begin with the first line of the search text.
 */
function mayHaveLostIndent(edit: LostIndentEdit, shifts: readonly IndentShift[]): boolean {
  const { search, lines, firstLineIndex } = edit;
  const firstShift = shifts[0];
  if (!lines.some(isAtColumn0))
    return firstShift === 'lost' && search[0]?.trim() === lines[firstLineIndex]?.trim();
  return firstShift === 'lost' || (hasNewFirstLine(edit) && shifts.includes('lost'));
}

/** Checks that the search text does not contain the first line of the replacement. */
const hasNewFirstLine = ({ search, lines, firstLineIndex }: LostIndentEdit): boolean =>
  search.every((line) => line.trim() !== lines[firstLineIndex]?.trim());

/**
 * Returns the missing indentation of the first line if the other lines lack none. Returns undefined if no other line
 * determines the missing indentation.
 */
function findFirstIndent(edit: LostIndentEdit): string | undefined {
  const { search, lines, firstLineIndex, commonIndent } = edit;
  const shifts = findIndentShifts({ ...edit, lines: lines.slice(firstLineIndex + 1) });
  if (!shifts.includes('kept') || shifts.includes('lost')) return undefined;
  const line = lines[firstLineIndex] ?? '';
  if (search.includes(line)) return undefined;
  const sameSearchLine = search.find((searchLine) => searchLine.trim() === line.trim());
  const nextLine = lines.slice(firstLineIndex + 1).find(isNonBlank) ?? '';
  if (sameSearchLine !== undefined) {
    const nextSearchLine = search[search.indexOf(sameSearchLine) + 1] ?? '';
    const isDeeper =
      getLeadingWhitespace(nextSearchLine).length > getLeadingWhitespace(sameSearchLine).length;
    const isOpened =
      getLeadingWhitespace(nextLine).length > getLeadingWhitespace(sameSearchLine).length;
    return isDeeper && !isOpened && !/^\s*[)\]}]/u.test(nextLine)
      ? undefined
      : getLeadingWhitespace(sameSearchLine);
  }
  if (commonIndent === '' || directiveLinePattern.test(line)) return undefined;
  const indent = getLeadingWhitespace(search[0] ?? '');
  const nextIndent = getLeadingWhitespace(nextLine);
  return blockOpeningPattern.test(line) && nextIndent.length <= indent.length ? undefined : indent;
}

/**
 * Compares the indentation of a line in the replacement with that in the search text. `kept`: both are equal. `lost`: the
 * replacement omits the indentation that all lines of the search text share. `other`: they differ in another way.
 */
type IndentShift = 'kept' | 'lost' | 'other';

/** Compares the indentation of each line that both the search text and the replacement contain. */
function findIndentShifts({ search, lines, commonIndent }: LostIndentEdit): IndentShift[] {
  const trimLines = (untrimmedLines: readonly string[]): string[] =>
    untrimmedLines.map((line) => line.trim());
  const changes = diffLines(trimLines(search), trimLines(lines));
  const shifts: IndentShift[] = [];
  let [searchIndex, lineIndex] = [0, 0];
  for (const unchangedEnd of [...changes.map(({ from }) => from.start), search.length]) {
    for (; searchIndex < unchangedEnd; searchIndex += 1, lineIndex += 1) {
      const [searchLine = '', line = ''] = [search[searchIndex], lines[lineIndex]];
      if (!isNonBlank(line)) continue;
      const [searchIndent, lineIndent] = [
        getLeadingWhitespace(searchLine),
        getLeadingWhitespace(line),
      ];
      shifts.push(
        searchIndent === lineIndent
          ? 'kept'
          : searchIndent === commonIndent + lineIndent
            ? 'lost'
            : 'other',
      );
    }
    const change = changes.find(({ from }) => from.start === unchangedEnd);
    [searchIndex, lineIndex] = [change?.from.end ?? searchIndex, change?.to.end ?? lineIndex];
  }
  return shifts;
}

/** Checks whether the replacement contains a top-level declaration, but the search text contains none. */
const addsDeclaration = ({ search, lines }: LostIndentEdit): boolean =>
  lines.some((line) => declarationLinePattern.test(line)) &&
  !search.some((line) => declarationLinePattern.test(line.trim()));

/**
 * Checks whether the first line of the search text opens a block and differs from the first line of the replacement.
 */
const opensChangedBlock = ({ search, lines, firstLineIndex }: LostIndentEdit): boolean =>
  blockOpeningPattern.test(search[0] ?? '') && search[0]?.trim() !== lines[firstLineIndex]?.trim();

/**
 * Checks whether the matched text is inside a block. This is the case if the next non-blank line has the given
 * indentation or closes a block.
 */
function isInsideBlock(text: TextParts, end: number, indent: string): boolean {
  const nextLine = findNextNonBlankLine(text, end);
  return (
    nextLine !== '' && (nextLine.startsWith(indent) || /^\s*(?:[)\]}]|<\/|end\b)/u.test(nextLine))
  );
}

/** Checks whether the replacement may start at column 0 on purpose, although the search text does not. */
function isPlausibleAtColumn0(text: TextParts, end: number, edit: LostIndentEdit): boolean {
  const { lines, firstLineIndex, commonIndent } = edit;
  const line = lines[firstLineIndex] ?? '';
  const isNew = (pattern: RegExp): boolean =>
    pattern.test(line) && !edit.search.some((searchLine) => pattern.test(searchLine.trim()));
  if (isNew(directiveLinePattern) || isNew(proseLinePattern) || addsDeclaration(edit)) return true;
  if (isInsideBlock(text, end, commonIndent)) {
    const lastLine = lines.findLast(isNonBlank) ?? '';
    if (/^\s/u.test(lastLine)) return false;
    const opensLastBlock =
      (opensBlock(lastLine) && isIndentLevel(commonIndent)) ||
      (commonIndent === '\t' && makefileRulePattern.test(lastLine));
    return opensLastBlock && getLeadingWhitespace(findNextNonBlankLine(text, end)) === commonIndent;
  }
  return firstLineIndex > 0 && isNonBlank(edit.search[0] ?? '');
}

/** Counts the closing brackets without an opening bracket. */
export function countUnmatchedClosingBrackets(text: string): number {
  let [depth, unmatchedCount] = [0, 0];
  for (const [bracket] of text.matchAll(/[()[\]{}]/gu)) {
    if ('([{'.includes(bracket)) depth += 1;
    else if (depth > 0) depth -= 1;
    else unmatchedCount += 1;
  }
  return unmatchedCount;
}

/** Returns the first non-blank line after the line that contains an offset; empty if none exists. */
function findNextNonBlankLine(text: TextParts, offset: number): string {
  for (let length = 1024; ; length *= 4) {
    const nextText = text.slice(offset, offset + length);
    const line = nextText
      .split('\n')
      .slice(offset === 0 ? 0 : 1)
      .find(isNonBlank);
    if (line !== undefined || offset + length >= text.length) return line ?? '';
  }
}

/**
 * Adapts the replacement of an exact match that begins inside or after the indentation of a line. Removes indentation
 * that only the replacement contains, because the file would otherwise contain it twice. Returns the replacement of any
 * other match unchanged, and undefined if the indentation is ambiguous.
 */
export function adaptFirstIndent(text: TextParts, start: number, hunk: Hunk): string | undefined {
  const { search, replace } = hunk;
  const indent = getIndentBefore(text, start);
  const isLineStart = start === 0 || text.slice(start - 1, start) === '\n';
  if (isLineStart && /^[ \t]/u.test(search)) return restoreLostIndent(text, start, hunk);
  if (indent === '' || !/^[ \t]*\S/u.test(search) || !isLineEnd(text, start + search.length))
    return replace;
  // The search text can have a part of the indentation.
  const ownIndent = getLeadingWhitespace(search);
  const lineIndent = indent + ownIndent;
  const [firstLine = '', ...rest] = replace.split('\n');
  const isFirstRemoved = firstLine.trim() === '' && search.includes('\n') && rest.some(isIndented);
  if (isFirstRemoved || beginsWithLaterLine(search, firstLine, lineIndent)) return undefined;
  const firstIndent = getLeadingWhitespace(firstLine);
  if (firstIndent === lineIndent) return [firstLine.slice(indent.length), ...rest].join('\n');
  if (search.trimEnd().includes('\n') || rest.every((line) => line.trim() === '')) return replace;
  if (firstIndent !== ownIndent) return ownIndent === '' ? replace : undefined;
  const style = detectStyleAfterFirstLine(firstLine, rest, {
    indent: lineIndent,
    ownIndent,
    closingCount: countUnmatchedClosingBrackets(search),
    unit: detectIndentUnit(text.slice(Math.max(0, start - 4_000), start + 4_000).split('\n')),
  });
  if (style === undefined) return undefined;
  const addedIndent = style === 'search' ? indent : '';
  return [firstLine, ...rest.map((line) => (line.trim() === '' ? line : addedIndent + line))].join(
    '\n',
  );
}

/**
 * Checks whether a replacement begins with a line that is not the first line of the search text but a later one with
 * other indentation than `indent`.
 */
function beginsWithLaterLine(search: string, firstLine: string, indent: string): boolean {
  const [firstSearchLine = '', ...laterLines] = search.split('\n');
  if (firstLine.trim() === '' || firstLine.trim() === firstSearchLine.trim()) return false;
  const line = laterLines.find((line) => line.trim() === firstLine.trim());
  return line !== undefined && getLeadingWhitespace(line) !== indent;
}

const isIndented = (line: string): boolean => /^[ \t]+\S/u.test(line);

/** Returns the white space between the start of a line and an offset; empty if other text is before the offset. */
function getIndentBefore(text: TextParts, offset: number): string {
  for (let length = 256; ; length *= 4) {
    const textBefore = text.slice(Math.max(0, offset - length), offset);
    const indent = textBefore.slice(textBefore.lastIndexOf('\n') + 1);
    if (/[^ \t]/u.test(indent)) return '';
    if (indent.length < textBefore.length || textBefore.length === offset) return indent;
  }
}

const isLineEnd = (text: TextParts, offset: number): boolean =>
  offset === text.length || text.slice(offset - 1, offset + 1).includes('\n');

/**
 * Detects whether the lines after the first line of the replacement are indented like the search text or like the file.
 * Returns undefined if this cannot be determined.
 */
function detectStyleAfterFirstLine(
  firstLine: string,
  rest: readonly string[],
  {
    indent,
    ownIndent,
    unit,
    closingCount,
  }: {
    readonly indent: string;
    readonly ownIndent: string;
    readonly unit: string;
    /** Number of closing brackets in the search text without an opening bracket. */
    readonly closingCount: number;
  },
): 'search' | 'file' | undefined {
  const lines = rest.filter((line) => line.trim() !== '');
  if (lines.every((line) => line.startsWith(indent))) {
    if (!blockOpeningPattern.test(firstLine)) return 'file';
    // A block that the first line opens needs deeper lines.
    const nextIndent = getLeadingWhitespace(lines[0] ?? '');
    const [fileExtraIndent, searchExtraIndent] = [
      nextIndent.slice(indent.length),
      nextIndent.slice(ownIndent.length),
    ];
    if (!isIndentLevel(fileExtraIndent)) return 'search';
    if (!isIndentLevel(searchExtraIndent) || fileExtraIndent === unit) return 'file';
    return searchExtraIndent === unit ? 'search' : undefined;
  }
  if (countUnmatchedClosingBrackets([firstLine, ...lines].join('\n')) > closingCount) return 'file';
  return rest.slice(0, -1).some((line) => line.trim() === '') ? undefined : 'search';
}
