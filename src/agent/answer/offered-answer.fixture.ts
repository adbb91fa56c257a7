import { type EditAnswer, readEditAnswer } from './edit-answer.ts';

/**
 * Reads an answer like {@link readEditAnswer}, but returns the lines of an uncertain answer too, which the user can
 * review. Tests of text around the new lines use it, because their short answers seldom prove that they are complete.
 */
export function readOfferedAnswer(...args: Parameters<typeof readEditAnswer>): EditAnswer {
  const answer = readEditAnswer(...args);
  return answer.kind === 'refused' && answer.lines !== undefined
    ? { kind: 'lines', lines: answer.lines }
    : answer;
}
