import { parseEdits, readCorpusText } from '../support/model-answers/corpus-text.ts';
import {
  type CorpusResult,
  measureAnswers,
  measureBlocks,
  measureCommits,
} from '../support/model-answers/measure-answers.ts';

const readHeldEdits = (name: string): ReturnType<typeof parseEdits> =>
  parseEdits(readCorpusText(new URL(`held-answers/${name}.txt`, import.meta.url)));

/**
 * Reads a corpus of answers that was written for measurement only. Bug fixes must not use it: a corpus that fixes were
 * derived from no longer shows how the readers treat unknown answers.
 */
export function measureHeldAnswers(): Readonly<
  Record<'edits' | 'blocks' | 'commits', readonly CorpusResult[]>
> {
  const edits = ['edits-1', 'edits-2', 'edits-3'].flatMap(readHeldEdits);
  return {
    edits: edits.flatMap((edit) => measureAnswers(edit, edit.answers)),
    blocks: readHeldEdits('blocks').flatMap((edit) =>
      measureBlocks(
        edit,
        edit.answers.map(({ name, expectation, text: code, info = '' }) => ({
          name,
          expectation,
          code,
          info,
        })),
      ),
    ),
    commits: readHeldEdits('commits').flatMap(({ replacement, answers }) =>
      measureCommits(replacement.join('\n'), answers),
    ),
  };
}
