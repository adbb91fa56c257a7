import {
  type Candidate,
  type LineDifference,
  maxCountedMatches,
  type RefusalCode,
  type RefusedHunks,
  type WrappingKind,
} from './hunk.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { ToolError, type ToolErrorCode } from '../../workspace/tool-error.ts';

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
  const { code, hunk, candidates, difference } = refusal;
  const editNumber = code === 'no-hunks' ? '' : `Edit ${hunk + 1}: `;
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
function formatCandidates(candidates: readonly Candidate[]): string {
  const parts = candidates.map(({ line, lines }) =>
    lines.map((text, index) => `${line + index}\t${text}`).join('\n'),
  );
  if (parts.length === 0) return '';
  return `\nThe nearest lines:\n${parts.join('\n[…]\n')}${formatHiddenCharacterNote(candidates)}`;
}

/**
 * Returns a note that names the lines with hidden characters; empty if no line has them. The message to the model omits
 * these characters, so without the note the model would repeat the same search.
 */
function formatHiddenCharacterNote(candidates: readonly Candidate[]): string {
  const numbers = candidates.flatMap(({ line, lines }) =>
    lines.flatMap((text, index) => (stripHiddenCharacters(text).removed > 0 ? [line + index] : [])),
  );
  const lines = [...new Set(numbers)];
  if (lines.length === 0) return '';
  const [subject, verb] = lines.length === 1 ? ['Line', 'holds'] : ['Lines', 'hold'];
  return `\n${subject} ${lines.join(', ')} ${verb} invisible characters, which are not shown to you.`;
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
    'The search is empty. Give lines of the file; create a new file with create_file.',
  'empty-file': () => 'The file is empty. An empty search fills it.',
  'no-change': () => 'The file has the replacement already.',
  elision: () =>
    'The replacement omits code behind a comment. Write every line in full, or search for fewer lines.',
  'not-text': () =>
    'The search or the replacement contains an unpaired surrogate or a null character.',
  'no-match': ({ wrapping }) =>
    `The search does not occur in the file. ${wrapping === undefined ? 'Repeat its lines exactly, without line numbers.' : wrappingReasons[wrapping]}`,
  // Only exact matches can be selected.
  ambiguous: ({ count, insideWordsCount }) =>
    insideWordsCount === undefined
      ? `The search resembles the text in ${formatMatchCount(count)}. Add lines around the right one.`
      : `The search occurs in ${formatMatchCount(count)}${formatInsideWords(insideWordsCount)}. Add lines around the right one, or set "occurrence" or "all".`,
  'no-occurrence': ({ count, insideWordsCount }) =>
    `The search occurs in ${formatMatchCount(count)}${formatInsideWords(insideWordsCount)} only.`,
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
  const number = count.toLocaleString('en-US');
  if (count === 1) return '1 place';
  return count >= maxCountedMatches ? `at least ${number} places` : `${number} places`;
}

const formatInsideWords = (count = 0): string =>
  count === 0 ? '' : `, and ${count.toLocaleString('en-US')} times inside other words`;
