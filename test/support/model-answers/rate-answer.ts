import type { Expectation } from './corpus-text.ts';

/**
 * Rating of a result. `right`: the accepted text, or a refusal where the answer contains no usable text. `refused`: a
 * refusal that the corpus allows. `lost`: a refusal of a clear answer. `wrong`: another text.
 */
export type Rating = 'right' | 'refused' | 'lost' | 'wrong';

/** Rates the text read from an answer; undefined for a refusal. */
export function rateAnswer(
  text: string | undefined,
  {
    expectation,
    accepted,
    original,
  }: {
    readonly expectation: Expectation;
    readonly accepted: readonly string[];
    readonly original?: string;
  },
): Rating {
  if (expectation === 'refused') return text === undefined || text === original ? 'right' : 'wrong';
  if (text !== undefined) return accepted.includes(text) ? 'right' : 'wrong';
  return expectation === 'right' ? 'lost' : 'refused';
}
