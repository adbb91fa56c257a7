import { expect, test } from 'vitest';
import { readCommitMessage } from './commit-message.ts';
import {
  createFreshCommitAnswers,
  freshMessages,
  freshProseAnswers,
} from './fresh-commits.fixture.ts';

test('readCommitMessage returns no wrong message for 2,200 answers in 53 formats', () => {
  const answers = [...freshMessages.flatMap(createFreshCommitAnswers), ...freshProseAnswers];
  const wrongAnswers: string[] = [];
  const missedAnswers: string[] = [];
  for (const { form, text, message, expected } of answers) {
    const result = readCommitMessage(text);
    if (result.kind !== 'message') {
      if (expected === 'right') missedAnswers.push(`${form}\n${text}`);
    } else if (expected === 'refuse' || result.text !== message) {
      wrongAnswers.push(`${form}\n--- answer\n${text}\n--- message\n${result.text}`);
    }
  }
  expect(answers.length).toBeGreaterThan(2_200);
  expect(wrongAnswers).toEqual([]);
  expect(missedAnswers.length).toBeLessThanOrEqual(10);
});
