import { expect, test } from 'vitest';
import { readCommitMessage } from './commit-message.ts';
import {
  createFreshCommitAnswers,
  freshMessages,
  freshProseAnswers,
} from './fresh-commits.fixture.ts';

test('readCommitMessage returns no wrong message for 2,200 answers in 53 formats', () => {
  const answers = [...freshMessages.flatMap(createFreshCommitAnswers), ...freshProseAnswers];
  const wrong: string[] = [];
  const lost: string[] = [];
  for (const { form, text, message, expected } of answers) {
    const result = readCommitMessage(text);
    if (result.kind !== 'message') {
      if (expected === 'right') lost.push(`${form}\n${text}`);
    } else if (expected === 'refuse' || result.text !== message) {
      wrong.push(`${form}\n--- answer\n${text}\n--- message\n${result.text}`);
    }
  }
  expect(answers.length).toBeGreaterThan(2_200);
  expect(wrong).toEqual([]);
  expect(lost.length).toBeLessThanOrEqual(10);
});
