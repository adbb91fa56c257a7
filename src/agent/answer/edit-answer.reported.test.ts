import { expect, test } from 'vitest';
import { applyBlock } from './apply-block.ts';
import { type EditTarget, readEditAnswer } from './edit-answer.ts';
import { type StyleSample, writeStyleAnswer } from './model-styles.fixture.ts';
import {
  reportedAnswerForms,
  reportedLineForms,
  reportedSamples,
} from './reported-forms.fixture.ts';

const toLines = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));

const toTarget = (sample: StyleSample): EditTarget => ({
  ...sample,
  before: toLines(sample.before),
  original: toLines(sample.original),
  after: toLines(sample.after),
  usesTabs: /^(?:go|c)$/u.test(sample.language),
  tabSize: 4,
});

/** Removes white space at line ends, which a correct answer may contain. */
const trimLines = (text: string): string => text.replaceAll(/[^\S\n]+$/gmu, '').trimEnd();

/** Encloses each format of lines in a fence as well. */
const forms = {
  ...reportedLineForms,
  ...reportedAnswerForms,
  ...Object.fromEntries(
    Object.entries(reportedLineForms).map(([name, form]) => [
      `${name}, in a fence`,
      (input: Parameters<typeof form>[0]) => input.fence(form(input)),
    ]),
  ),
};

test.each(Object.keys(forms))(
  'readEditAnswer returns the expected lines or refuses the answer, for the reported answer format "%s"',
  (name) => {
    const wrong: string[] = [];
    for (const sample of reportedSamples) {
      const answer = writeStyleAnswer(forms[name]!, sample);
      const result = readEditAnswer(answer, toTarget(sample));
      if (result.kind === 'refused') continue;
      const text = result.lines.join('\n');
      if (trimLines(text) !== sample.expectedText)
        wrong.push(`${sample.path}\n${answer}\n--- read\n${text}`);
    }
    expect(wrong).toEqual([]);
  },
);

test.each(Object.keys(reportedLineForms))(
  'applyBlock changes only the intended lines of a file or refuses the block, for the reported format "%s"',
  (name) => {
    const wrong: string[] = [];
    for (const sample of reportedSamples) {
      const join = (text: string): string =>
        [sample.before, text, sample.after].filter((part) => part !== '').join('\n');
      const code = writeStyleAnswer(reportedLineForms[name]!, sample, join);
      const block = { code, info: sample.info, lineBefore: '' };
      const result = applyBlock(`${join(sample.original)}\n`, block, sample.path);
      if (
        result.kind === 'applied' &&
        trimLines(result.text) !== trimLines(join(sample.expectedText))
      )
        wrong.push(`${sample.path} (${result.form})\n${code}\n--- read\n${result.text}`);
    }
    expect(wrong).toEqual([]);
  },
);
