import { type EditAnswer, readEditAnswer } from './edit-answer.ts';

/**
 * Reads an answer like {@link readEditAnswer}, but also returns the lines of an answer with the refusal reason
 * `uncertain`, which the user can preview. Used for short test answers, which seldom prove that they are complete.
 */
export function readOfferedAnswer(...args: Parameters<typeof readEditAnswer>): EditAnswer {
  const answer = readEditAnswer(...args);
  return answer.kind === 'refused' && answer.lines !== undefined
    ? { kind: 'lines', lines: answer.lines }
    : answer;
}
