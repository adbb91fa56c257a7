import { expect, test } from 'vitest';
import { applyBlock } from './apply-block.ts';
import { previewEditAnswer, type EditTarget } from './edit-answer.ts';
import { readOfferedAnswer } from './offered-answer.fixture.ts';
import { laterFormats, laterSamples } from './later-styles.fixture.ts';
import {
  getFinishReason,
  lineFormats,
  styleSamples,
  type StyleSample,
  surroundedFormats,
  writeStyleAnswer,
} from './model-styles.fixture.ts';

const toLines = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));

const toTarget = (sample: StyleSample): EditTarget => ({
  ...sample,
  before: toLines(sample.textBefore),
  original: toLines(sample.originalText),
  after: toLines(sample.textAfter),
  usesTabs: /^(?:go|makefile)$/u.test(sample.language),
  tabSize: 4,
});

/** Removes white space at line ends, which a correct answer may contain. */
const trimLines = (text: string): string => text.replaceAll(/[^\S\n]+$/gmu, '').trimEnd();

const testedFormats = { ...lineFormats, ...surroundedFormats };

test.each(Object.keys(testedFormats))(
  'readEditAnswer never returns wrong lines for the answer format "%s" of a model family',
  (name) => {
    const failures: string[] = [];
    for (const sample of styleSamples) {
      const answer = writeStyleAnswer(testedFormats[name]!, sample);
      const result = readOfferedAnswer(answer, toTarget(sample), getFinishReason(name));
      if (result.kind === 'refused') continue;
      const text = result.lines.join('\n');
      if (trimLines(text) !== sample.expectedText)
        failures.push(`${sample.path}\n${answer}\n--- read\n${text}`);
    }
    expect(failures).toEqual([]);
  },
);

test.each(Object.keys(laterFormats))(
  'readEditAnswer never returns wrong lines for the additional answer format "%s"',
  (name) => {
    const failures: string[] = [];
    const samples = [...laterSamples, ...styleSamples].filter(
      // A remark in a comment needs a language with comments.
      ({ commentMarks }) => commentMarks !== undefined || !name.startsWith('comment:'),
    );
    for (const sample of samples) {
      const answer = writeStyleAnswer(laterFormats[name]!, sample);
      const result = readOfferedAnswer(answer, toTarget(sample), getFinishReason(name));
      if (result.kind === 'refused') continue;
      const text = result.lines.join('\n');
      if (trimLines(text) !== sample.expectedText)
        failures.push(`${sample.path}\n${answer}\n--- read\n${text}`);
    }
    expect(failures).toEqual([]);
  },
);

test('readEditAnswer reads more than a quarter of 2,400 answers in the additional formats, and none incorrectly', () => {
  let [correctCount, wrongCount, totalCount] = [0, 0, 0];
  for (const [name, format] of Object.entries(laterFormats))
    for (const sample of [...laterSamples, ...styleSamples]) {
      if (sample.commentMarks === undefined && name.startsWith('comment:')) continue;
      const answer = writeStyleAnswer(format, sample);
      const result = readOfferedAnswer(answer, toTarget(sample), getFinishReason(name));
      const text = result.kind === 'lines' ? trimLines(result.lines.join('\n')) : undefined;
      totalCount += 1;
      if (text === sample.expectedText) correctCount += 1;
      else if (text !== undefined) wrongCount += 1;
    }
  expect(totalCount).toBe(2_400);
  expect(wrongCount).toBe(0);
  expect(correctCount).toBeGreaterThanOrEqual(710);
});

const countCorrectAnswers = (names: readonly string[]): number =>
  names.flatMap((name) =>
    styleSamples.filter((sample) => {
      const result = readOfferedAnswer(
        writeStyleAnswer(testedFormats[name]!, sample),
        toTarget(sample),
      );
      return result.kind === 'lines' && trimLines(result.lines.join('\n')) === sample.expectedText;
    }),
  ).length;

test('readEditAnswer reads more than half of the answers in all formats, and almost all answers that are only a code block', () => {
  const names = Object.keys(testedFormats);
  // Before these forms were used: 1,238 of 3,224 right, 940 wrong.
  expect(countCorrectAnswers(names) / (names.length * styleSamples.length)).toBeGreaterThan(0.5);
  // Refused: two lines of LaTeX as two paragraphs, which can also be a doubled line break.
  expect(countCorrectAnswers(['fence'])).toBe(styleSamples.length - 1);
});

test('previewEditAnswer returns only lines of the final edit, for every answer format', () => {
  const failures: string[] = [];
  for (const form of Object.values(testedFormats))
    for (const sample of styleSamples) {
      const answer = writeStyleAnswer(form, sample);
      const result = readOfferedAnswer(answer, toTarget(sample));
      if (result.kind === 'refused') continue;
      for (const ratio of [0.3, 0.6, 0.9]) {
        const partialAnswer = answer.slice(0, Math.floor(answer.length * ratio));
        const lines = previewEditAnswer(partialAnswer, toTarget(sample));
        if (!lines.every((line, index) => line.trimEnd() === result.lines[index]?.trimEnd()))
          failures.push(`${sample.path}\n${answer}\n--- preview\n${lines.join('\n')}`);
      }
    }
  expect(failures).toEqual([]);
});

test.each(Object.keys(lineFormats))(
  'applyBlock never changes lines other than the intended ones for the answer format "%s"',
  (name) => {
    const failures: string[] = [];
    for (const sample of styleSamples) {
      const joinWithContext = (text: string): string =>
        [sample.textBefore, text, sample.textAfter]
          .filter((textPart) => textPart !== '')
          .join('\n');
      const answer = writeStyleAnswer(lineFormats[name]!, sample, joinWithContext);
      const code = /^(?<marks>`{3,}).*\n(?<code>[\s\S]*)\n\k<marks>$/u.exec(answer)?.groups?.[
        'code'
      ];
      const block = { code: code ?? answer, info: sample.info, lineBefore: '' };
      const result = applyBlock(`${joinWithContext(sample.originalText)}\n`, block, sample.path);
      if (
        result.kind === 'applied' &&
        trimLines(result.text) !== trimLines(joinWithContext(sample.expectedText))
      )
        failures.push(`${sample.path} (${result.format})\n${block.code}\n--- read\n${result.text}`);
    }
    expect(failures).toEqual([]);
  },
);
