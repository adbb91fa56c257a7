import type { Expectation } from './corpus-text.ts';

/**
 * Rating of a result. `right`: the accepted text, or a refusal where the answer contains no usable text. `refused`: a
 * refusal that the corpus allows. `lost`: a refusal of a clear answer. `wrong`: another text.
 */
export type Rating = 'right' | 'refused' | 'lost' | 'wrong';

/** Rates the text that was read from an answer. `text` is undefined if the answer was refused. */
export function rateAnswer(
  text: string | undefined,
  {
    expectation,
    acceptedTexts,
    textWithAnyIndent,
    original,
  }: {
    readonly expectation: Expectation;
    readonly acceptedTexts: readonly string[];
    /** Text that is also accepted if all its lines are shifted by the same indentation. */
    readonly textWithAnyIndent?: string | undefined;
    readonly original?: string;
  },
): Rating {
  if (expectation === 'refused') return text === undefined || text === original ? 'right' : 'wrong';
  const isAccepted =
    text !== undefined &&
    (acceptedTexts.includes(text) ||
      (textWithAnyIndent !== undefined && dedent(text) === dedent(textWithAnyIndent)));
  if (text !== undefined) return isAccepted ? 'right' : 'wrong';
  return expectation === 'right' ? 'lost' : 'refused';
}

/** Removes the indentation that all nonblank lines share. */
function dedent(text: string): string {
  const lines = text.split('\n');
  const indentLengths = lines
    .filter((line) => line.trim() !== '')
    .map((line) => /^\s*/u.exec(line)?.[0].length ?? 0);
  return lines.map((line) => line.slice(Math.min(...indentLengths))).join('\n');
}
