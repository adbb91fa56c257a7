import { parseEdits, readCorpusText } from '../support/model-answers/corpus-text.ts';
import {
  type CorpusResult,
  measureAnswers,
  measureBlocks,
  measureCommits,
} from '../support/model-answers/measure-answers.ts';

const readHeldOutEdits = (name: string): ReturnType<typeof parseEdits> =>
  parseEdits(readCorpusText(new URL(`held-answers/${name}.txt`, import.meta.url)));

/**
 * Measures the edits that result from the held-out corpus of model answers. Use this corpus only for measurements, and
 * do not fix bugs based on its answers. Otherwise, it would no longer predict the results for new answers.
 */
export function measureHeldOutAnswers(): Readonly<
  Record<'edits' | 'blocks' | 'commits', readonly CorpusResult[]>
> {
  const edits = ['edits-1', 'edits-2', 'edits-3'].flatMap(readHeldOutEdits);
  return {
    edits: edits.flatMap((edit) => measureAnswers(edit, edit.answers)),
    blocks: readHeldOutEdits('blocks').flatMap((edit) =>
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
    commits: readHeldOutEdits('commits').flatMap(({ replacement, answers }) =>
      measureCommits(replacement.join('\n'), answers),
    ),
  };
}
