import { applyHunks } from '../edit/apply-hunks.ts';
import type { Hunk } from '../edit/hunk.ts';
import { createSimilarLineCheck, stripAddedCharacters } from './answer-marks.ts';
import {
  isPatchStart,
  normalDiffHeaderPattern,
  oldTextKeySource,
  parseFence,
  searchMarkerPattern,
} from '../../base/model-answer.ts';
import { detectIndentUnit, getLeadingWhitespace, isNonBlank } from '../edit/indentation.ts';

/**
 * Parses a unified diff, SEARCH/REPLACE blocks, or a patch between `*** Begin Patch` and `*** End Patch`. Returns
 * undefined if the lines contain none of these formats, and `malformed` if a hunk, block or patch is incomplete.
 * @param fileLines Lines of the changed file before the change, if known. They help to repair diffs with wrong columns.
 */
export function parseAnswerHunks(
  lines: readonly string[],
  fileLines: readonly string[] = [],
): readonly Hunk[] | 'malformed' | undefined {
  if (lines.some((line) => searchMarkerPattern.test(line))) return parseSearchBlocks(lines);
  if (normalDiffHeaderPattern.test(lines.find(isNonBlank) ?? '')) return parseNormalDiff(lines);
  if (lines.some(isPatchStart)) return parsePatch(lines, fileLines);
  return isDiff(lines) ? parseDiff(lines, fileLines) : undefined;
}

/**
 * Matches the line with a line number, such as `:start_line:12`, that some tools write before the search lines of a
 * SEARCH/REPLACE block.
 */
const searchPositionPattern = /^:(?:start|end)_line:\s*\d+\s*$/u;
const patchFilePattern = /^\*{3} (?<action>Add|Update|Delete) File: (?<path>\S.*)$/u;
const patchMovePattern = /^\*{3} Move to: (?<path>\S.*)$/u;
const separatorMarkerPattern = /^\s*={5,9}\s*$/u;
const replaceMarkerPattern = /^\s*>{5,9} ?(?:REPLACE|UPDATED|\w+)\s*$/u;
const hunkHeaderPattern = /^@@(?: -\d+(?:,\d+)? \+\d+(?:,\d+)?)?.*(?:@@|$)/u;

const isDiff = (lines: readonly string[]): boolean =>
  lines.some(
    (line, index) =>
      /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/u.test(line) ||
      (/^--- \S/u.test(line) && /^\+\+\+ \S/u.test(lines[index + 1] ?? '')),
  );

/** A SEARCH/REPLACE block whose last line has not been read yet. */
interface OpenBlock {
  /**
   * Number of characters in each marker line. A line of equal signs with a different length is text, such as the
   * underline of a heading.
   */
  readonly markerLength: number;
  readonly lines: string[];
  /** True if a line number precedes the search lines. */
  hasLineNumber?: boolean;
  /**
   * Index in `lines` of the first replacement line, after the search lines; undefined until the separator line is read.
   */
  replacementIndex?: number;
}

function parseSearchBlocks(lines: readonly string[]): readonly Hunk[] | 'malformed' {
  const hunks: Hunk[] = [];
  let block: OpenBlock | undefined;
  for (const line of lines) {
    const isStart = searchMarkerPattern.test(line);
    if (block === undefined) {
      if (isStart) block = { markerLength: /<+/u.exec(line)?.[0].length ?? 0, lines: [] };
      continue;
    }
    const { markerLength, replacementIndex } = block;
    const isSeparator = separatorMarkerPattern.test(line) && line.trim().length === markerLength;
    if (isStart || (isSeparator && replacementIndex !== undefined)) return 'malformed';
    if (block.lines.length === 0 && replacementIndex === undefined) {
      if (searchPositionPattern.test(line)) {
        block.hasLineNumber = true;
        continue;
      }
      if (block.hasLineNumber === true && /^-{3,}\s*$/u.test(line)) continue;
    }
    if (replacementIndex !== undefined && replaceMarkerPattern.test(line)) {
      const [search, replace] = [
        block.lines.slice(0, replacementIndex),
        block.lines.slice(replacementIndex),
      ];
      hunks.push(createHunk(search, replace));
      block = undefined;
    } else if (isSeparator) block.replacementIndex = block.lines.length;
    else block.lines.push(line);
  }
  return block === undefined && hunks.length > 0 ? hunks : 'malformed';
}

/**
 * Parses the output format of `diff` without options. Returns `malformed` for a hunk that only adds lines, because such
 * a hunk has no context.
 */
function parseNormalDiff(lines: readonly string[]): readonly Hunk[] | 'malformed' {
  const hunks: { readonly search: string[]; readonly replace: string[] }[] = [];
  for (const line of lines.filter(isNonBlank)) {
    const lastHunk = hunks.at(-1);
    if (normalDiffHeaderPattern.test(line)) hunks.push({ search: [], replace: [] });
    else if (/^<(?: |$)/u.test(line)) lastHunk?.search.push(line.slice(2));
    else if (/^>(?: |$)/u.test(line)) lastHunk?.replace.push(line.slice(2));
    else if (line !== '---') return 'malformed';
  }
  if (hunks.some(({ search }) => search.length === 0)) return 'malformed';
  return hunks.map(({ search, replace }) => createHunk(search, replace));
}

const createHunk = (search: readonly string[], replace: readonly string[]): Hunk => ({
  search: search.join('\n'),
  replace: replace.join('\n'),
  ...(replace.length === 0 ? { deletesLines: true } : {}),
});

const oldTextKeyPattern = new RegExp(`^(?:${oldTextKeySource})$`, 'iu');
const newTextKeyPattern =
  /^(?:new_?(?:string|str|text|code)|replace(?:ment|_with)?|updated(?:_?(?:text|code))?)$/iu;
const additionalKeyPattern =
  /^(?:(?:file_?)?path|file(?:_?name)?|command|type|action|explanation|description|reason|expected_replacements)$/iu;

/**
 * Parses JSON with search and replacement texts, as in the arguments of an edit tool: an object, an array of objects,
 * or an object with an array `edits`. Returns undefined for other text. Removes hidden characters that the file does
 * not contain.
 */
export function parseJsonHunks(
  lines: readonly string[],
  fileLines: readonly string[],
): readonly Hunk[] | undefined {
  const text = lines.join('\n').trim();
  if (!/^[{[]/u.test(text) || text.length > maxJsonLength) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    const edits =
      isObject(value) && Array.isArray(value['edits']) ? value['edits'] : [value].flat();
    const hunks = edits.map((edit: unknown) => readJsonHunk(edit));
    const isComplete = hunks.length > 0 && hunks.every((hunk) => hunk !== undefined);
    if (!isComplete) return undefined;
    const fileText = fileLines.join('\n');
    const stripHunkText = (hunkText: string): string =>
      stripAddedCharacters(hunkText.split('\n'), fileLines).join('\n');
    return hunks.map(({ search, replace }) => ({
      search: fileText.includes(search) ? search : stripHunkText(search),
      replace: stripHunkText(replace),
    }));
  } catch {
    return undefined;
  }
}

const maxJsonLength = 200_000;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readJsonHunk(value: unknown): Hunk | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  const [searchEntry, ...otherSearchEntries] = entries.filter(([key]) =>
    oldTextKeyPattern.test(key),
  );
  const [replaceEntry, ...otherReplaceEntries] = entries.filter(([key]) =>
    newTextKeyPattern.test(key),
  );
  const isComplete = entries.every(([key]) =>
    [oldTextKeyPattern, newTextKeyPattern, additionalKeyPattern].some((pattern) =>
      pattern.test(key),
    ),
  );
  if (!isComplete || otherSearchEntries.length > 0 || otherReplaceEntries.length > 0)
    return undefined;
  const [searchText, replaceText] = [searchEntry?.[1], replaceEntry?.[1]];
  return typeof searchText === 'string' &&
    typeof replaceText === 'string' &&
    searchText.trim() !== ''
    ? { search: searchText, replace: replaceText }
    : undefined;
}

/**
 * Parses a patch that changes a single file and does not move the file. Returns `malformed` for any other patch, and
 * for a patch whose last line is missing.
 */
function parsePatch(
  lines: readonly string[],
  fileLines: readonly string[],
): readonly Hunk[] | 'malformed' {
  const start = lines.findIndex(isPatchStart);
  const end = lines.findLastIndex((line) => /^\*{3} End Patch\s*$/u.test(line));
  const isMoved = lines.some((line) => patchMovePattern.test(line));
  if (end < start || isMoved || listDiffFiles(lines).length !== 1) return 'malformed';
  const body = lines.slice(start + 1, end);
  const unifiedDiff = body.map((line) => (line.startsWith('*** ') ? '@@' : line));
  return parseDiff(unifiedDiff, fileLines);
}

/**
 * Parses a unified diff, with or without file and hunk headers. Returns `malformed` if a line has no diff sign, or if
 * no line changes.
 * @param fileLines Lines of the file before the change. They show whether the diff's unchanged lines lack the leading
 * space, or have two.
 */
export function parseDiff(
  diff: readonly string[],
  fileLines: readonly string[] = [],
): readonly Hunk[] | 'malformed' {
  const lines = fileLines.length === 0 ? diff : alignColumns(diff, fileLines);
  if (lines === 'unclear') return 'malformed';
  const hunks: Hunk[] = [];
  let [search, replace]: [string[], string[]] = [[], []];
  const finishHunk = (): void => {
    if (search.join('\n') !== replace.join('\n')) hunks.push(createHunk(search, replace));
    [search, replace] = [[], []];
  };
  for (const [index, line] of lines.entries()) {
    if (isDiffHeader(lines, index)) finishHunk();
    else if (line.startsWith('\\ No newline')) continue;
    else if (line.startsWith('+')) replace.push(line.slice(1));
    else if (line.startsWith('-')) search.push(line.slice(1));
    else if (line === '' || line.startsWith(' ')) {
      search.push(line.slice(1));
      replace.push(line.slice(1));
    } else return 'malformed';
  }
  finishHunk();
  return hunks.length > 0 ? hunks : 'malformed';
}

/**
 * Parses a diff of a file that itself contains a diff. Returns undefined for other text, such as new content of the
 * file. Returns `malformed` if some lines lack the additional `+`, `-` or space of the outer diff.
 */
export function parseDiffOfDiff(
  lines: readonly string[],
  fileLines: readonly string[],
): readonly Hunk[] | 'malformed' | undefined {
  const knownLines = new Set(fileLines);
  const isRemoved = (line: string): boolean =>
    /^-[-+ ]/u.test(line) && knownLines.has(line.slice(1)) && !knownLines.has(line);
  const start = lines.findIndex((line) => line.startsWith('@@')) + 1;
  const oldLines = lines.slice(start).filter((line) => isNonBlank(line) && !line.startsWith('+'));
  const isDiff =
    oldLines.every((line) => /^[- ]/u.test(line) && knownLines.has(line.slice(1))) &&
    oldLines.some((line) => !knownLines.has(line));
  if (lines.some(isRemoved)) return isDiff ? parseDiff(lines) : 'malformed';
  const addedLines = lines.filter((line) => /^\+[-+ ]/u.test(line) && !knownLines.has(line));
  if (isDiff && addedLines.length > 0) return parseDiff(lines);
  return addedLines.some((line) => /^\+\+(?!\+)/u.test(line)) ? 'malformed' : undefined;
}

/** Checks whether a line of a diff is a header of a file or of a hunk. */
function isDiffHeader(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? '';
  return (
    (/^--- \S/u.test(line) && /^\+\+\+ \S/u.test(lines[index + 1] ?? '')) ||
    (/^\+\+\+ \S/u.test(line) && /^--- \S/u.test(lines[index - 1] ?? '')) ||
    /^(?:diff --git|index [0-9a-f]+\.\.|(?:new|deleted) file mode|similarity index) ?/u.test(
      line,
    ) ||
    hunkHeaderPattern.test(line)
  );
}

/**
 * Repairs a diff whose unchanged lines lack the leading space or have two, as a comparison with the file shows.
 * Afterwards, every line has exactly one character (space, `+` or `-`) before its text. Returns `unclear` if it is
 * uncertain whether the sign of a changed line replaces a space of its text. Returns a correct diff unchanged.
 */
function alignColumns(
  diff: readonly string[],
  fileLines: readonly string[],
): readonly string[] | 'unclear' {
  const knownLines = new Set(fileLines);
  const isMetadataLine = (line: string, index: number): boolean =>
    isDiffHeader(diff, index) || line.startsWith('\\ No newline');
  const body = diff.filter((line, index) => isNonBlank(line) && !isMetadataLine(line, index));
  // A line of the file can begin with a minus sign.
  const isChangedLine = (line: string): boolean =>
    /^[-+]/u.test(line) && (!knownLines.has(line) || knownLines.has(line.slice(1)));
  const contextLines = body.filter((line) => !isChangedLine(line));
  const isPrefixWidth = (width: number): boolean =>
    contextLines.every(
      (line) => line.startsWith(' '.repeat(width)) && knownLines.has(line.slice(width)),
    );
  const width = [1, 0, 2].find(isPrefixWidth);
  if (contextLines.length === 0 || width === undefined || width === 1) return diff;
  if (width === 0 && body.some((line) => isChangedLine(line) && knownLines.has(line)))
    return 'unclear';
  const readText =
    width === 0
      ? (line: string): string => ` ${line.slice(1)}`
      : (line: string): string | undefined => (line[1] === ' ' ? line.slice(2) : undefined);
  const changedLines = body.filter(isChangedLine);
  const hasKnownIndent = createIndentCheck(fileLines);
  const canReadChangedLines = (read: (line: string) => string | undefined): boolean =>
    changedLines.every((line) => {
      const text = read(line);
      return (
        text !== undefined && (line.startsWith('-') ? knownLines.has(text) : hasKnownIndent(text))
      );
    });
  const removedLines = changedLines.filter(
    (line) => line.startsWith('-') && isNonBlank(line.slice(1)),
  );
  const matchesRemovedLines = (read: (line: string) => string | undefined): boolean =>
    removedLines.every((line) => knownLines.has(read(line) ?? line));
  const removeSign = (line: string): string => line.slice(1);
  const [isAdded, isReplaced] = [canReadChangedLines(removeSign), canReadChangedLines(readText)];
  const exactReaders = [removeSign, readText].filter(matchesRemovedLines);
  if ((isAdded && isReplaced) || exactReaders.length === 0) return 'unclear';
  const preferredReader = isAdded
    ? removeSign
    : isReplaced
      ? readText
      : width === 0
        ? removeSign
        : readText;
  const read = exactReaders.length === 1 ? exactReaders[0] : preferredReader;
  const isReadable =
    read === removeSign || changedLines.every((line) => readText(line) !== undefined);
  if (read === undefined || !isReadable) return 'unclear';
  return diff.map((line, index) => {
    if (isMetadataLine(line, index) || line === '') return line;
    if (isChangedLine(line)) return (line[0] ?? '') + (read(line) ?? '');
    return width === 0 ? ` ${line}` : line.slice(1);
  });
}

/**
 * Creates a check whether the indentation of a line occurs in the file or is a multiple of the file's indentation unit.
 * Lines of comments that begin with `*` are compared only with other such lines.
 */
function createIndentCheck(fileLines: readonly string[]): (line: string) => boolean {
  const toKey = (line: string): string =>
    getLeadingWhitespace(line) + (line.trim().startsWith('*') ? '*' : '');
  const knownKeys = new Set(fileLines.filter(isNonBlank).map(toKey));
  const indentUnit = detectIndentUnit(fileLines);
  return (line) => {
    const key = toKey(line);
    return knownKeys.has(key) || key.replaceAll(indentUnit, '') === '' || !isNonBlank(line);
  };
}

/**
 * Parses a diff without headers, whose unchanged lines can lack the leading space. Returns `malformed` if the diff is
 * incomplete. Returns undefined if the file contains neither the removed nor the unchanged lines, because the answer
 * may then be code instead of a diff.
 */
export function parseBareDiff(
  lines: readonly string[],
  fileLines: readonly string[],
): readonly Hunk[] | 'malformed' | undefined {
  const knownLines = new Set(fileLines);
  const knownTexts = new Set(fileLines.map((line) => line.trim()));
  const isKnown = (line: string): boolean => knownTexts.has(line.trim());
  const isMarked = (mark: string, line: string): boolean =>
    line.startsWith(mark) && line.slice(1).trim() !== '' && !isKnown(line);
  const removedLines = lines.filter((line) => isMarked('-', line));
  const addedLines = lines.filter((line) => isMarked('+', line));
  if (removedLines.length === 0 && addedLines.length === 0) return undefined;
  const context = lines.filter((line) => line.trim() !== '' && !/^[-+]/u.test(line));
  const isPrefixed = lines.every((line) => /^[-+ ]|^$/u.test(line));
  const hasContext =
    context.every((line) => isKnown(line.slice(1))) &&
    context.some((line) => !knownLines.has(line));
  if (isPrefixed && hasContext) {
    // An added line replaces a line of the file that the diff does not contain.
    const contextTexts = new Set(lines.map((line) => line.slice(1).trim()));
    const isOther = createSimilarLineCheck(
      fileLines.filter((line) => !contextTexts.has(line.trim())),
    );
    const replacesOtherLine = removedLines.length === 0 && addedLines.some((line) => isOther(line));
    return replacesOtherLine ? 'malformed' : parseDiff(lines, fileLines);
  }
  const removesLines =
    removedLines.length > 0 && removedLines.every((line) => isKnown(line.slice(1)));
  if (!removesLines || addedLines.length === 0) return undefined;
  if (isPrefixed && context.every((line) => !knownLines.has(line)))
    return parseDiff(lines, fileLines);
  const isChange = (line: string): boolean =>
    /^[-+]$/u.test(line.trim()) || isMarked('-', line) || isMarked('+', line);
  return parseDiff(lines.map((line) => (isChange(line) ? line : ` ${line}`)));
}

/** Lines of a file that an answer replaces (`original`), and the file's lines before and after these. */
export interface SurroundedLines {
  readonly original: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Applies hunks to `original`, with the lines before and after it as context. Returns undefined if a hunk does not
 * match, or changes lines of this context.
 */
export function applyHunksToLines(
  hunks: readonly Hunk[],
  { original, before, after, language }: SurroundedLines & { readonly language: string },
): readonly string[] | undefined {
  const textBefore = before.map((line) => `${line}\n`).join('');
  const textAfter = after.map((line) => `\n${line}`).join('');
  const documentResult = applyHunks(textBefore + original.join('\n') + textAfter, hunks, language);
  if (documentResult.type === 'applied') {
    const { text } = documentResult;
    if (
      text.length < textBefore.length + textAfter.length ||
      !text.startsWith(textBefore) ||
      !text.endsWith(textAfter)
    )
      return undefined;
    return text.slice(textBefore.length, text.length - textAfter.length).split('\n');
  }
  // The lines around the selection may contain the same text.
  const selectionResult = applyHunks(original.join('\n'), hunks, language);
  return selectionResult.type === 'applied' ? selectionResult.text.split('\n') : undefined;
}

/** A hunk of a unified diff, whose lines include their line breaks. */
interface DiffHunk {
  /** Index in the file of the hunk's first old line. */
  readonly start: number;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}

/**
 * Old and new file name in a header of a diff. `/dev/null` as the old name means a new file, as the new name a deleted
 * file.
 */
export interface DiffFiles {
  readonly oldName: string;
  readonly newName: string;
}

/** Returns the file names in each header of a diff or patch. */
export function listDiffFiles(lines: readonly string[]): readonly DiffFiles[] {
  if (lines.some(isPatchStart)) return listPatchFiles(lines);
  return lines.flatMap((line, index) => {
    const oldHeader = /^--- (?<path>\S.*)$/u.exec(line)?.groups?.['path'];
    const newHeader = /^\+\+\+ (?<path>\S.*)$/u.exec(lines[index + 1] ?? '')?.groups?.['path'];
    return oldHeader === undefined || newHeader === undefined
      ? []
      : [{ oldName: parseHeaderPath(oldHeader, 'a/'), newName: parseHeaderPath(newHeader, 'b/') }];
  });
}

function listPatchFiles(lines: readonly string[]): readonly DiffFiles[] {
  return lines.flatMap((line, index) => {
    const { action, path = '' } = patchFilePattern.exec(line)?.groups ?? {};
    if (action === undefined) return [];
    const movedPath = patchMovePattern.exec(lines[index + 1] ?? '')?.groups?.['path'];
    const [oldName, newName] = [path.trim(), (movedPath ?? path).trim()];
    return {
      oldName: action === 'Add' ? '/dev/null' : oldName,
      newName: action === 'Delete' ? '/dev/null' : newName,
    };
  });
}

/**
 * Returns the path in a header line of a diff, without the timestamp and without the prefix `a/` or `b/` that Git adds.
 */
function parseHeaderPath(header: string, prefix: string): string {
  const path = (header.split('\t', 1)[0] ?? '').trim().replaceAll(/^"|"$/gu, '');
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/**
 * Applies a unified diff exactly at the line numbers of its hunk headers. Supports only `\n` as line ending. Returns
 * undefined if a line number, a line count or an unchanged or removed line does not match the text.
 */
export function applyExactDiff(text: string, diff: readonly string[]): string | undefined {
  const hunks = parseHunks(diff);
  if (hunks === undefined || hunks.length === 0) return undefined;
  const lines = splitKeepingLineBreaks(text);
  const lineGroups: (readonly string[])[] = [];
  let nextIndex = 0;
  for (const { start, oldLines, newLines } of hunks) {
    if (start < nextIndex || oldLines.some((line, index) => lines[start + index] !== line))
      return undefined;
    lineGroups.push(lines.slice(nextIndex, start), newLines);
    nextIndex = start + oldLines.length;
  }
  if (nextIndex > lines.length) return undefined;
  const result = [...lineGroups, lines.slice(nextIndex)].flat();
  // Only the last line can have no line break.
  if (result.slice(0, -1).some((line) => !line.endsWith('\n'))) return undefined;
  return result.join('');
}

const splitKeepingLineBreaks = (text: string): readonly string[] =>
  text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];

function parseHunks(diff: readonly string[]): readonly DiffHunk[] | undefined {
  const hunks: DiffHunk[] = [];
  for (let index = 0; index < diff.length;) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/u.exec(diff[index] ?? '');
    index += 1;
    if (header === null) continue;
    const lineCounts = { old: Number(header[2] ?? 1), new: Number(header[3] ?? 1) };
    const [oldLines, newLines]: [string[], string[]] = [[], []];
    while (oldLines.length < lineCounts.old || newLines.length < lineCounts.new) {
      const line = diff[index];
      if (line === undefined) return undefined;
      const content = line.slice(1).replace(/^\uFEFF/u, '');
      // A diff notes a missing line break on the line after it.
      const lineBreak = diff[index + 1]?.startsWith('\\ No newline') === true ? '' : '\n';
      if (line.startsWith('-')) oldLines.push(content + lineBreak);
      else if (line.startsWith('+')) newLines.push(content + lineBreak);
      else if (line === '' || line.startsWith(' ')) {
        oldLines.push(content + lineBreak);
        newLines.push(content + lineBreak);
      } else if (!line.startsWith('\\ No newline')) return undefined;
      index += 1;
    }
    if (oldLines.length !== lineCounts.old || newLines.length !== lineCounts.new) return undefined;
    if (diff[index]?.startsWith('\\ No newline') === true) index += 1;
    // Further lines mean that the counts are wrong.
    if (/^[-+ ]/u.test(diff[index] ?? '') && !/^--- \S/u.test(diff[index] ?? '')) return undefined;
    hunks.push({ start: Number(header[1]) - (lineCounts.old === 0 ? 0 : 1), oldLines, newLines });
  }
  return hunks;
}

/**
 * Checks whether an answer begins with a file name as a label or with a command that writes a file, or contains labels
 * such as `Before:` and `After:` outside code fences.
 */
export function hasFileLabels(
  answerLines: readonly string[],
  {
    original,
    isUnwrapped,
  }: { readonly original: readonly string[]; readonly isUnwrapped: boolean },
): boolean {
  const nonBlankLines = answerLines.filter(isNonBlank);
  const [firstLine = ''] = nonBlankLines;
  const isInOriginal = (pattern: RegExp): boolean => original.some((line) => pattern.test(line));
  const fileMarkPattern = /^(?:-{3}|={3}|>{3}|\*{3}) (?:Update File: )?\S+\.\w+(?: ={3})?$/u;
  const heredocPattern = /^\s*(?:cat|tee)\s.*<<\s*-?['"]?\w+/u;
  const labelLines = nonBlankLines.filter((line) => oldOrNewLabelPattern.test(line));
  const hasFence = nonBlankLines.some((line) => parseFence(line) !== undefined);
  return (
    [fileMarkPattern, heredocPattern].some(
      (pattern) => pattern.test(firstLine) && !isInOriginal(pattern),
    ) ||
    (labelLines.length > 1 && !isInOriginal(oldOrNewLabelPattern) && (isUnwrapped || !hasFence))
  );
}

/** Matches a line that labels the original or the changed code, such as `Before:` or `Updated code:`. */
const oldOrNewLabelPattern =
  /^\W{0,4}(?:before|after|original|old|new|updated|modified)(?: code)?\W{0,3}$/iu;

/**
 * Checks whether an answer marks all changed lines with `-` or `+`, as in a diff. At least one original line must be
 * marked with `-`.
 */
export function hasDiffSigns(
  lines: readonly string[],
  { original }: { readonly original: readonly string[] },
): boolean {
  const nonBlankLines = lines.filter(isNonBlank);
  const knownTexts = new Set(original.filter(isNonBlank).map((line) => line.trim()));
  const isMarked = (line: string): boolean => /^[-+]/u.test(line) && !knownTexts.has(line.trim());
  const removedLines = nonBlankLines.filter(
    (line) => line.startsWith('-') && knownTexts.has(line.slice(1).trim()),
  );
  return (
    removedLines.length > 0 &&
    removedLines.every((line) => isMarked(line)) &&
    nonBlankLines.every((line) => isMarked(line) || knownTexts.has(line.trim()))
  );
}
