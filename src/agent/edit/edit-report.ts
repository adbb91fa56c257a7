import {
  type AppliedHunks,
  type MatchCandidate,
  type Hunk,
  type LineDifference,
  type MatchKind,
  maxCountedMatches,
  type RefusalCode,
  type RefusedHunks,
  type TextEdit,
  type WrappingKind,
} from './hunk.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { diffLines, type LineChange } from '../../base/line-diff.ts';
import { ToolError, type ToolErrorCode } from '../../workspace/tool-error.ts';

const contextLineCount = 3;

/** Returns a complete unified diff without file headers; empty for equal texts. Omits carriage returns at line ends. */
export function createUnifiedDiff(before: string, after: string): string {
  const [oldLines, newLines] = [splitLines(before), splitLines(after)];
  const lines: string[] = [];
  for (const group of groupByContext(diffLines(oldLines, newLines)))
    lines.push(...formatHunk(oldLines, newLines, group));
  return lines.map((line) => line.replace(/\r$/u, '')).join('\n');
}

/**
 * Splits a text into lines for a diff; returns no lines for an empty text. Adds the note "No newline at end of file"
 * after a last line without a line break.
 */
function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop() ?? ''}\n${noNewlineNote}`);
  return lines;
}

const noNewlineNote = '\\ No newline at end of file';

/** Groups changes that are close enough to share context lines in the diff. */
function groupByContext(changes: readonly LineChange[]): LineChange[][] {
  const result: LineChange[][] = [];
  for (const change of changes) {
    const lastGroup = result.at(-1);
    const end = lastGroup?.at(-1)?.from.end ?? -Infinity;
    if (lastGroup !== undefined && change.from.start - end <= 2 * contextLineCount)
      lastGroup.push(change);
    else result.push([change]);
  }
  return result;
}

function formatHunk(
  oldLines: readonly string[],
  newLines: readonly string[],
  group: readonly LineChange[],
): string[] {
  const [firstChange, lastChange] = [group[0], group.at(-1)];
  if (firstChange === undefined || lastChange === undefined) return [];
  const leadingCount = Math.min(contextLineCount, firstChange.from.start);
  const trailingCount = Math.min(contextLineCount, oldLines.length - lastChange.from.end);
  const oldRange = {
    start: firstChange.from.start - leadingCount,
    end: lastChange.from.end + trailingCount,
  };
  const newRange = {
    start: firstChange.to.start - leadingCount,
    end: lastChange.to.end + trailingCount,
  };
  const lines = [`@@ -${formatSpan(oldRange)} +${formatSpan(newRange)} @@`];
  let lineIndex = oldRange.start;
  for (const change of group) {
    lines.push(...prefixLines(' ', oldLines.slice(lineIndex, change.from.start)));
    lines.push(...prefixLines('-', oldLines.slice(change.from.start, change.from.end)));
    lines.push(...prefixLines('+', newLines.slice(change.to.start, change.to.end)));
    lineIndex = change.from.end;
  }
  return [...lines, ...prefixLines(' ', oldLines.slice(lineIndex, oldRange.end))];
}

const prefixLines = (prefix: string, lines: readonly string[]): string[] =>
  lines.map((line) => `${prefix}${line}`);

/**
 * Formats a line range as in unified diffs, with line numbers from 1. An empty range has the number of the preceding
 * line.
 */
function formatSpan({ start, end }: { readonly start: number; readonly end: number }): string {
  const count = end - start;
  const lineNumber = count === 0 ? start : start + 1;
  return count === 1 ? String(lineNumber) : `${lineNumber},${count}`;
}

/**
 * Formats the search and replacement texts of hunks that do not match the file, to show them in the approval request.
 */
export const formatHunks = (hunks: readonly Hunk[]): string =>
  hunks
    .flatMap(({ search, replace }) => [
      '@@ @@',
      ...prefixLines('-', splitLines(search)),
      ...prefixLines('+', splitLines(replace)),
    ])
    .join('\n');

export interface AppliedEdit {
  /** File label for display. */
  readonly label: string;
  readonly before: string;
  readonly change: AppliedHunks;
  /** Text of the file after saving. Differs from the requested text if VS Code formats on save. */
  readonly savedText: string;
  /** False if the file changed after the model last read it. */
  readonly isUpToDate: boolean;
  /** True if the report is allowed to contain lines of the file that the model did not write. */
  readonly canShowLines: boolean;
}

export interface EditReport {
  readonly text: string;
  /**
   * True if the model can derive the complete current text of the file from this report and from the lines that it has
   * read.
   */
  readonly showsWholeChange: boolean;
}

/** Maximum length in characters of a diff in the report. */
const maxDiffLength = 4_000;

/**
 * Creates the report that tells the model about an edit: the numbers of the changed lines, and changes that the model
 * did not request.
 */
export function createEditReport(appliedEdit: AppliedEdit): EditReport {
  const { label, before, change, savedText, isUpToDate, canShowLines } = appliedEdit;
  const inexactMatchNotes = change.matches.flatMap((match, index) =>
    match === 'exact' ? [] : [`Edit ${index + 1} ${matchDescriptions[match]}.`],
  );
  const notes = [
    `Changed ${label}: ${formatLineRanges(before, change.edits)}.`,
    ...inexactMatchNotes,
  ];
  if (inexactMatchNotes.length > 0 && canShowLines)
    notes.push(truncateDiff(createUnifiedDiff(before, change.text)));
  const formattingDiff = savedText === change.text ? '' : createUnifiedDiff(change.text, savedText);
  if (formattingDiff !== '') notes.push(...listFormattingNotes(formattingDiff, canShowLines));
  if (!isUpToDate)
    notes.push('The file had changed since you read it: read it again before you edit more.');
  const showsFormatting =
    formattingDiff === '' || (canShowLines && formattingDiff.length <= maxDiffLength);
  return { text: notes.join('\n'), showsWholeChange: isUpToDate && showsFormatting };
}

const listFormattingNotes = (formattingDiff: string, canShowLines: boolean): string[] =>
  canShowLines
    ? ['Saving changed it further:', truncateDiff(formattingDiff)]
    : ['Saving changed it further.'];

const matchDescriptions: Readonly<Record<Exclude<MatchKind, 'exact'>, string>> = {
  tolerant: 'was found with other white space, indentation or punctuation',
  similar: 'was found in lines that are a little different',
  unwrapped: 'was found without its line numbers, code fence, escapes or placeholders',
  repeated: 'repeats an insertion of an earlier edit and was left out',
};

const truncateDiff = (diff: string): string =>
  diff.length <= maxDiffLength
    ? diff
    : `${diff.slice(0, maxDiffLength)}\n[… read the file for the rest]`;

/** Formats the changed line ranges of the edited text, such as `line 3, lines 10-12`. */
function formatLineRanges(before: string, edits: readonly TextEdit[]): string {
  const ranges: [first: number, last: number][] = [];
  let [lineNumber, offset] = [1, 0];
  for (const { start, end, text } of edits) {
    lineNumber += countLineFeeds(before.slice(offset, start));
    const firstLine = lineNumber;
    lineNumber += countLineFeeds(text);
    const lastLine = text.endsWith('\n') ? Math.max(firstLine, lineNumber - 1) : lineNumber;
    const previousRange = ranges.at(-1);
    if (previousRange !== undefined && firstLine <= previousRange[1] + 1)
      previousRange[1] = Math.max(previousRange[1], lastLine);
    else ranges.push([firstLine, lastLine]);
    offset = end;
  }
  const visibleRanges = ranges
    .slice(0, 20)
    .map(([firstLine, lastLine]) =>
      firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine}-${lastLine}`,
    );
  const remainingCount = ranges.length - visibleRanges.length;
  return remainingCount > 0
    ? `${visibleRanges.join(', ')} and ${remainingCount} more places`
    : visibleRanges.join(', ');
}

function countLineFeeds(text: string): number {
  let count = 0;
  for (let offset = text.indexOf('\n'); offset >= 0; offset = text.indexOf('\n', offset + 1))
    count += 1;
  return count;
}

/**
 * Creates the error that tells the model which hunk was rejected, the reason, the matching or most similar lines of the
 * file, and what to do next.
 */
export function createRefusalError(refusal: RefusedHunks, label: string): ToolError {
  return new ToolError(errorCodes[refusal.code], formatRefusalMessage(refusal, label));
}

/**
 * Returns the message of {@link createRefusalError}.
 * @param label Name of the file for display.
 */
export function formatRefusalMessage(refusal: RefusedHunks, label: string): string {
  const { code, hunkIndex, candidates, difference } = refusal;
  const editNumber = code === 'no-hunks' ? '' : `Edit ${hunkIndex + 1}: `;
  return `${label} was not changed. ${editNumber}${reasonFormatters[code](refusal)}${formatDifference(difference)}${formatCandidates(candidates)}`;
}

function formatDifference(difference: LineDifference | undefined): string {
  if (difference === undefined) return '';
  const { searchLine, fileLine, hasSameText } = difference;
  const note =
    hasSameText === true ? ' only in white space, similar punctuation or invisible characters' : '';
  return ` Line ${searchLine} of the search is the first that differs, from line ${fileLine} of the file${note}.`;
}

/** Formats candidates with line numbers in the same format as `read_file`. */
function formatCandidates(candidates: readonly MatchCandidate[]): string {
  const blocks = candidates.map(({ line, lines }) =>
    lines.map((text, index) => `${line + index}\t${text}`).join('\n'),
  );
  if (blocks.length === 0) return '';
  return `\nThe nearest lines:\n${blocks.join('\n[…]\n')}${formatHiddenCharacterNote(candidates)}`;
}

/**
 * Returns a note that names the lines with hidden characters; empty if no line has them. The message to the model omits
 * these characters, so without the note the model would repeat the same search.
 */
function formatHiddenCharacterNote(candidates: readonly MatchCandidate[]): string {
  const lineNumbers = candidates.flatMap(({ line, lines }) =>
    lines.flatMap((text, index) =>
      stripHiddenCharacters(text).removedCount > 0 ? [line + index] : [],
    ),
  );
  const uniqueLineNumbers = [...new Set(lineNumbers)];
  if (uniqueLineNumbers.length === 0) return '';
  const [subject, verb] = uniqueLineNumbers.length === 1 ? ['Line', 'holds'] : ['Lines', 'hold'];
  return `\n${subject} ${uniqueLineNumbers.join(', ')} ${verb} invisible characters, which are not shown to you.`;
}

const errorCodes: Readonly<Record<RefusalCode, ToolErrorCode>> = {
  'no-hunks': 'bad-arguments',
  'empty-search': 'bad-arguments',
  'empty-file': 'not-found',
  'no-change': 'bad-arguments',
  elision: 'bad-arguments',
  'not-text': 'bad-arguments',
  'no-match': 'not-found',
  ambiguous: 'ambiguous',
  'no-occurrence': 'not-found',
  'cuts-word': 'ambiguous',
  'not-exact': 'not-found',
  indentation: 'ambiguous',
  overlap: 'ambiguous',
  'empties-file': 'bad-arguments',
  'too-many': 'too-large',
};

const reasonFormatters: Readonly<Record<RefusalCode, (refusal: RefusedHunks) => string>> = {
  'no-hunks': () => 'There is no edit in the call.',
  'empty-search': () =>
    'The search is empty, but the file is not. Give lines of the file. To insert text, repeat these lines in the replacement.',
  'empty-file': () => 'The file is empty. An empty search fills it.',
  'no-change': () => 'The file has the replacement already.',
  elision: ({ elision: { line, text } = { line: 1, text: '' } }) =>
    `Line ${line} of the replacement is a placeholder for omitted lines: ${JSON.stringify(text)}. Write every line in full, or search for fewer lines.`,
  'not-text': () =>
    'The search or the replacement contains an unpaired surrogate or a null character.',
  'no-match': ({ wrapping }) =>
    `The search does not occur in the file. ${wrapping === undefined ? 'Repeat its lines exactly, without line numbers.' : wrappingReasons[wrapping]}`,
  // Only exact matches can be selected.
  ambiguous: ({ count, insideWordsCount }) =>
    insideWordsCount === undefined
      ? `The search resembles the text in ${formatMatchCount(count)}. Add lines around the right one.`
      : `The search occurs in ${formatMatchCount(count)}${formatCountInsideWords(insideWordsCount)}. Add lines around the right one, or set "occurrence" or "all".`,
  'no-occurrence': ({ count, insideWordsCount }) =>
    `The search occurs in ${formatMatchCount(count)}${formatCountInsideWords(insideWordsCount)} only.`,
  'cuts-word': () =>
    'The search begins or ends inside a word of the file. Give whole words or lines.',
  'not-exact': () => '"occurrence" and "all" need a search that matches exactly.',
  indentation: () =>
    'The indentation of the replacement is not clear. Give whole lines with their indentation in the search and the replacement. To change the indentation, include a line that keeps it.',
  overlap: () =>
    'The search covers lines that an earlier edit changed. Combine the two edits, or search for the new lines.',
  'empties-file': () => 'Nothing would be left of the file. Use delete_file to remove it.',
  'too-many': () => 'The search fits too many places. Give more lines.',
};

const wrappingReasons: Readonly<Record<WrappingKind, string>> = {
  'line-numbers': 'Its lines begin with line numbers: leave them out.',
  fence: 'It begins with a code fence: leave it out.',
  escapes: 'It contains escapes such as \\n: write line breaks and quotation marks as they are.',
  ellipsis: 'It contains a placeholder for omitted lines: write every line in full.',
};

function formatMatchCount(count = 0): string {
  const formattedCount = count.toLocaleString('en-US');
  if (count === 1) return '1 place';
  return count >= maxCountedMatches
    ? `at least ${formattedCount} places`
    : `${formattedCount} places`;
}

const formatCountInsideWords = (count = 0): string =>
  count === 0 ? '' : `, and ${count.toLocaleString('en-US')} times inside other words`;
