import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { ToolError, type ToolErrorCode } from '../../workspace/tool-error.ts';
import { type Candidate, countLimit, type RefusalCode, type RefusedHunks } from './hunk.ts';

/** A refusal for the model: which hunk, why, and the nearest lines of the file, with what to do next. */
export function refusalError(refusal: RefusedHunks, label: string): ToolError {
  return new ToolError(codes[refusal.code], refusalWords(refusal, label));
}

/** The text of {@link refusalError}. @param label The file, as people see it. */
export function refusalWords(
  { code, hunk, count, candidates }: RefusedHunks,
  label: string,
): string {
  const which = code === 'no-hunks' ? '' : `Edit ${hunk + 1}: `;
  return `${label} was not changed. ${which}${reasons[code](timesOf(count))}${listed(candidates)}`;
}

/** With line numbers, as `read_file` shows them. */
function listed(candidates: readonly Candidate[]): string {
  const parts = candidates.map(({ line, lines }) =>
    lines.map((text, index) => `${line + index}\t${text}`).join('\n'),
  );
  if (parts.length === 0) return '';
  return `\nThe nearest lines:\n${parts.join('\n[…]\n')}${hiddenIn(candidates)}`;
}

/** The caller strips them: without a word the model would search for what it sees once more. */
function hiddenIn(candidates: readonly Candidate[]): string {
  const numbers = candidates.flatMap(({ line, lines }) =>
    lines.flatMap((text, at) => (stripHiddenCharacters(text).removed > 0 ? [line + at] : [])),
  );
  const lines = [...new Set(numbers)];
  if (lines.length === 0) return '';
  const [which, hold] = lines.length === 1 ? ['Line', 'holds'] : ['Lines', 'hold'];
  return `\n${which} ${lines.join(', ')} ${hold} invisible characters, which are not shown to you.`;
}

const codes: Readonly<Record<RefusalCode, ToolErrorCode>> = {
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
  overlap: 'ambiguous',
  'empties-file': 'bad-arguments',
  'too-many': 'too-large',
};

const reasons: Readonly<Record<RefusalCode, (times: string) => string>> = {
  'no-hunks': () => 'There is no edit in the call.',
  'empty-search': () =>
    'The search is empty. Give lines that stand in the file; a new file is made with create_file.',
  'empty-file': () => 'The file is empty. An empty search fills it.',
  'no-change': () => 'The file has the replacement already.',
  elision: () =>
    'The replacement has a comment that stands for code it leaves out. Write every line that is to stay, or make the search smaller.',
  'not-text': () => 'The search or the replacement holds half a character or a null character.',
  'no-match': () =>
    'The search does not stand in the file. Repeat its lines exactly, without line numbers.',
  ambiguous: (times) =>
    `The search stands in ${times} places. Add lines around the one that is meant, or set "occurrence" or "all".`,
  'no-occurrence': (times) => `The search stands in ${times} places only.`,
  'cuts-word': () =>
    'The search begins or ends inside a word of the file. Give whole words or lines.',
  'not-exact': () => '"occurrence" and "all" need a search that stands in the file exactly.',
  overlap: () =>
    'The search covers lines that an earlier edit of the call changed. Make one edit of both, or search for what the earlier one wrote.',
  'empties-file': () => 'Nothing would be left of the file. Use delete_file to remove it.',
  'too-many': () => 'The search fits too many places. Give more lines.',
};

function timesOf(count = 0): string {
  const number = count.toLocaleString('en-US');
  return count >= countLimit ? `at least ${number}` : number;
}
