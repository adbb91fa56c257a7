import { expect, test } from 'vitest';
import { previewEditAnswer } from './edit-answer.ts';
import { readOfferedAnswer } from './offered-answer.fixture.ts';
import {
  answerFormats,
  listAnswers,
  refusedFormats,
  type TextAnswer,
  toFormatInput,
  translationAnswers,
  wrappingSamples,
} from './wrapping-forms.fixture.ts';

/** Creates an answer in one format for the edit of each sample. */
const createAnswers = (formatName: string): readonly TextAnswer[] =>
  wrappingSamples.map((sample) => {
    const input = toFormatInput(sample);
    const answerText = (answerFormats[formatName] ?? refusedFormats[formatName])?.(input) ?? '';
    return { answerText, expectedText: input.code, target: input.target };
  });

/** Counts the answers that the parser reads correctly, and returns those that it reads incorrectly. */
function readAllAnswers(answers: readonly TextAnswer[]) {
  const wrongAnswers: (TextAnswer & { readonly readText: string })[] = [];
  let correctCount = 0;
  for (const textAnswer of answers) {
    const result = readOfferedAnswer(textAnswer.answerText, textAnswer.target);
    if (result.kind === 'refused') continue;
    const text = result.lines.join('\n');
    if (text === textAnswer.expectedText) correctCount += 1;
    else wrongAnswers.push({ ...textAnswer, readText: text });
  }
  return { wrongAnswers, correctCount };
}

test.each(Object.keys(answerFormats))(
  'readEditAnswer never returns wrong lines for the answer format "%s"',
  (form) => {
    expect(readAllAnswers(createAnswers(form)).wrongAnswers).toEqual([]);
  },
);

test('readEditAnswer reads more than 85 % of the answers in all formats', () => {
  const answers = Object.keys(answerFormats).flatMap(createAnswers);
  expect(answers.length).toBeGreaterThan(1_500);
  // Before these forms were used: 1,266 of 1,845 right, 214 wrong.
  expect(readAllAnswers(answers).correctCount / answers.length).toBeGreaterThan(0.85);
});

test.each(Object.keys(refusedFormats))(
  'readEditAnswer refuses the answer format "%s", which contains no new lines or several alternatives',
  (form) => {
    expect(readAllAnswers(createAnswers(form))).toEqual({ wrongAnswers: [], correctCount: 0 });
  },
);

test('readEditAnswer rejects shell commands as new lines for a document that is not a shell script', () => {
  const answer = '```bash\ncurl -O https://example.com/tides.zip\n```';
  const targets = wrappingSamples.map((sample) => toFormatInput(sample).target);
  for (const target of targets.filter(({ language }) => language !== 'shellscript'))
    expect(readOfferedAnswer(answer, target)).toMatchObject({ kind: 'refused' });
});

test('readEditAnswer reads a rewritten list, and removes the explanation after the list', () => {
  const { wrongAnswers, correctCount } = readAllAnswers(listAnswers);
  expect(wrongAnswers).toEqual([]);
  // Refused: "Each item now begins with a verb" after a list, which can be new text.
  expect(correctCount / listAnswers.length).toBeGreaterThan(0.94);
});

test('readEditAnswer reads a translation that shares no words with the original', () => {
  const { wrongAnswers, correctCount } = readAllAnswers(translationAnswers);
  expect(wrongAnswers).toEqual([]);
  expect(correctCount).toBe(translationAnswers.length);
});

test('previewEditAnswer returns only lines of the final edit', () => {
  const answers = [...Object.keys(answerFormats).flatMap(createAnswers), ...translationAnswers];
  const failures: string[] = [];
  for (const { answerText, target } of answers) {
    const result = readOfferedAnswer(answerText, target);
    if (result.kind === 'refused') continue;
    for (const ratio of [0.2, 0.4, 0.6, 0.8, 0.95]) {
      const lines = previewEditAnswer(
        answerText.slice(0, Math.floor(answerText.length * ratio)),
        target,
      );
      if (!lines.every((line, index) => line.trimEnd() === result.lines[index]?.trimEnd()))
        failures.push(`${target.language}\n${answerText}\n--- preview\n${lines.join('\n')}`);
    }
  }
  expect(failures).toEqual([]);
});
