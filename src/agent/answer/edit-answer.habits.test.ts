import { expect, test } from 'vitest';
import { applyBlock } from './apply-block.ts';
import { type EditTarget, previewEditAnswer } from './edit-answer.ts';
import { readOfferedAnswer } from './offered-answer.fixture.ts';
import { habitFormats, habitSamples } from './model-habits.fixture.ts';
import { getFinishReason, type StyleSample, writeStyleAnswer } from './model-styles.fixture.ts';

const toLines = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));

const toTarget = (sample: StyleSample): EditTarget => ({
  ...sample,
  before: toLines(sample.textBefore),
  original: toLines(sample.originalText),
  after: toLines(sample.textAfter),
  usesTabs: false,
  tabSize: 4,
});

/** Removes white space at line ends, which a correct answer may contain. */
const trimLines = (text: string): string => text.replaceAll(/[^\S\n]+$/gmu, '').trimEnd();

/**
 * Checks whether an answer format can be used for a sample. A format with only the last line requires a sample of
 * several lines.
 */
const isFormatApplicable = (name: string, { originalText }: StyleSample): boolean =>
  name !== 'only the last line' || originalText.includes('\n');

/**
 * Matches the names of formats that add a sentence after the replacement lines. In a Markdown file, such a sentence can
 * be text of the document.
 */
const endsWithSentencePattern = /after the code$|^usage of tokens$|^Phi: invented next task$/u;

const classifyFormat = (name: string, sample: StyleSample): 'right' | 'refused' | 'wrong' => {
  if (!isFormatApplicable(name, sample)) return 'refused';
  const answer = writeStyleAnswer(habitFormats[name]!, sample);
  const result = readOfferedAnswer(answer, toTarget(sample), getFinishReason(name));
  if (result.kind === 'refused') return 'refused';
  return trimLines(result.lines.join('\n')) === sample.expectedText ? 'right' : 'wrong';
};

test.each(Object.keys(habitFormats))(
  'readEditAnswer never returns wrong lines for the answer format "%s" of a model family',
  (name) => {
    const wrongSamples = habitSamples.filter((sample) => classifyFormat(name, sample) === 'wrong');
    expect(wrongSamples.map(({ path }) => path)).toEqual([]);
  },
);

test('readEditAnswer reads at least 550 of 990 answers in the formats of model families, and none incorrectly', () => {
  const verdicts = Object.keys(habitFormats).flatMap((name) =>
    habitSamples.map((sample) => classifyFormat(name, sample)),
  );
  expect(verdicts).toHaveLength(990);
  // Before these formats were used: 501 right, 86 wrong.
  expect(verdicts.filter((result) => result === 'right').length).toBeGreaterThanOrEqual(550);
  expect(verdicts.filter((result) => result === 'wrong')).toEqual([]);
});

test('applyBlock never changes lines other than the intended ones for the formats of all model families', () => {
  const failures: string[] = [];
  for (const [name, format] of Object.entries(habitFormats))
    for (const sample of habitSamples) {
      if (sample.language === 'markdown' && endsWithSentencePattern.test(name)) continue;
      const joinWithContext = (text: string): string =>
        [sample.textBefore, text, sample.textAfter]
          .filter((textPart) => textPart !== '')
          .join('\n');
      const code = writeStyleAnswer(format, sample, joinWithContext);
      // The chat offers Apply on complete code blocks, which contain no fences.
      if (getFinishReason(name) === 'length' || code.includes('```')) continue;
      const block = { code, info: '', lineBefore: '' };
      const result = applyBlock(`${joinWithContext(sample.originalText)}\n`, block, sample.path);
      if (
        result.kind === 'applied' &&
        trimLines(result.text) !== trimLines(joinWithContext(sample.expectedText))
      )
        failures.push(`${name}: ${sample.path}`);
    }
  expect(failures).toEqual([]);
});

test('previewEditAnswer returns only lines of the final edit, for the formats of all model families', () => {
  const failures: string[] = [];
  for (const [name, form] of Object.entries(habitFormats))
    for (const sample of habitSamples) {
      const answer = writeStyleAnswer(form, sample);
      const result = readOfferedAnswer(answer, toTarget(sample));
      if (result.kind === 'refused') continue;
      for (const ratio of [0.3, 0.6, 0.9]) {
        const partialAnswer = answer.slice(0, Math.floor(answer.length * ratio));
        const lines = previewEditAnswer(partialAnswer, toTarget(sample));
        if (!lines.every((line, index) => line.trimEnd() === result.lines[index]?.trimEnd()))
          failures.push(`${name}: ${sample.path}`);
      }
    }
  expect(failures).toEqual([]);
});
