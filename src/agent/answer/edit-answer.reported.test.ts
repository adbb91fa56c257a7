import { expect, test } from 'vitest';
import { applyBlock } from './apply-block.ts';
import { type EditTarget, previewEditAnswer } from './edit-answer.ts';
import { readOfferedAnswer } from './offered-answer.fixture.ts';
import { getFinishReason, type StyleSample, writeStyleAnswer } from './model-styles.fixture.ts';
import {
  reportedAnswerFormats,
  reportedLineFormats,
  reportedSamples,
} from './reported-forms.fixture.ts';

const toLines = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));

const toTarget = (sample: StyleSample): EditTarget => ({
  ...sample,
  before: toLines(sample.textBefore),
  original: toLines(sample.originalText),
  after: toLines(sample.textAfter),
  usesTabs: /^(?:go|c)$/u.test(sample.language),
  tabSize: 4,
});

/** Removes white space at line ends, which a correct answer may contain. */
const trimLines = (text: string): string => text.replaceAll(/[^\S\n]+$/gmu, '').trimEnd();

/** All reported answer formats. Formats of the replacement lines alone are also tested inside a code fence. */
const testedFormats = {
  ...reportedLineFormats,
  ...reportedAnswerFormats,
  ...Object.fromEntries(
    Object.entries(reportedLineFormats).map(([name, format]) => [
      `${name}, in a fence`,
      (input: Parameters<typeof format>[0]) => input.createFence(format(input)),
    ]),
  ),
};

/**
 * Matches ids of languages in which the format `deepest lines flattened` can be read with or without indentation. LaTeX
 * and SQL ignore indentation, and the original lines of these samples are not indented.
 */
const flatLanguagesPattern = /^(?:latex|sql)$/u;

const isExpectedText = (
  name: string,
  text: string,
  { expectedText, language }: StyleSample,
): boolean =>
  trimLines(text) === expectedText ||
  (name.startsWith('deepest lines flattened') &&
    flatLanguagesPattern.test(language) &&
    trimLines(text).replaceAll(/^ +/gmu, '') === expectedText.replaceAll(/^ +/gmu, ''));

test.each(Object.keys(testedFormats))(
  'readEditAnswer never returns wrong lines for the publicly reported answer format "%s"',
  (name) => {
    const failures: string[] = [];
    for (const sample of reportedSamples) {
      const answer = writeStyleAnswer(testedFormats[name]!, sample);
      const result = readOfferedAnswer(answer, toTarget(sample), getFinishReason(name));
      if (result.kind === 'refused') continue;
      const text = result.lines.join('\n');
      if (!isExpectedText(name, text, sample))
        failures.push(`${sample.path}\n${answer}\n--- read\n${text}`);
    }
    expect(failures).toEqual([]);
  },
);

test('readEditAnswer reads at least 630 of 2,562 answers in publicly reported formats, and none incorrectly', () => {
  let [correctCount, wrongCount, totalCount] = [0, 0, 0];
  for (const [name, form] of Object.entries(testedFormats))
    for (const sample of reportedSamples) {
      const answer = writeStyleAnswer(form, sample);
      const result = readOfferedAnswer(answer, toTarget(sample), getFinishReason(name));
      const text = result.kind === 'lines' ? result.lines.join('\n') : undefined;
      totalCount += 1;
      if (text === undefined) continue;
      if (isExpectedText(name, text, sample)) correctCount += 1;
      else wrongCount += 1;
    }
  expect(totalCount).toBe(2_562);
  // Before these formats were used: 487 right, 1,096 wrong.
  expect(correctCount).toBeGreaterThanOrEqual(630);
  expect(wrongCount).toBe(0);
});

const truncatedFormats = Object.keys(testedFormats).filter(
  (name) => getFinishReason(name) === 'length',
);

test('readEditAnswer refuses more than half of the truncated answers that the service reports as complete', () => {
  let [refusedCount, totalCount] = [0, 0];
  for (const name of truncatedFormats)
    for (const sample of reportedSamples) {
      const answer = writeStyleAnswer(testedFormats[name]!, sample);
      totalCount += 1;
      if (readOfferedAnswer(answer, toTarget(sample)).kind === 'refused') refusedCount += 1;
    }
  expect(refusedCount / totalCount).toBeGreaterThan(0.5);
});

// The chat offers no Apply action on a block without a closing fence.
test.each(Object.keys(reportedLineFormats).filter((name) => !truncatedFormats.includes(name)))(
  'applyBlock never changes lines other than the intended ones for the publicly reported format "%s"',
  (name) => {
    const failures: string[] = [];
    for (const sample of reportedSamples) {
      const joinWithContext = (text: string): string =>
        [sample.textBefore, text, sample.textAfter]
          .filter((textPart) => textPart !== '')
          .join('\n');
      const code = writeStyleAnswer(reportedLineFormats[name]!, sample, joinWithContext);
      const block = { code, info: sample.info, lineBefore: '' };
      const result = applyBlock(`${joinWithContext(sample.originalText)}\n`, block, sample.path);
      if (
        result.kind === 'applied' &&
        trimLines(result.text) !== trimLines(joinWithContext(sample.expectedText))
      )
        failures.push(`${sample.path} (${result.format})\n${code}\n--- read\n${result.text}`);
    }
    expect(failures).toEqual([]);
  },
);

test.each(['   \n', '\n \n', '"""a""",', '{a}', '[-', '<a "', '{{\n', 'end of '])(
  'readEditAnswer and applyBlock read an answer that repeats %j without exponential or quadratic time',
  (part) => {
    const answer = `f(${part.repeat(Math.floor(200_000 / part.length))}`;
    const sample = reportedSamples[1]!;
    const target = { ...toTarget(sample), original: ['const a = 1;', 'b(a);'] };
    expect(readOfferedAnswer(answer, target).kind).toBe('refused');
    const block = { code: answer, info: '', lineBefore: '' };
    expect(applyBlock('const a = 1;\nb(a);\n', block, 'src/a.tsx').kind).toBe('refused');
  },
);

test('applyBlock applies a diff to a file of 300,000 lines', () => {
  const lines = Array.from({ length: 300_000 }, (_, index) => `line ${index}`);
  const code = '--- a/x\n+++ b/x\n@@ -250000,1 +250000,1 @@\n-line 249999\n+other';
  const result = applyBlock(`${lines.join('\n')}\n`, { code, info: 'diff', lineBefore: '' }, 'x');
  expect(result).toMatchObject({
    kind: 'applied',
    text: lines.with(249_999, 'other').join('\n') + '\n',
  });
});

test('previewEditAnswer returns only lines of the final edit, for every publicly reported format', () => {
  const failures: string[] = [];
  for (const form of Object.values({ ...reportedLineFormats, ...reportedAnswerFormats }))
    for (const sample of reportedSamples) {
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

const acceptedAnswers: readonly (readonly [string, Partial<EditTarget>, string])[] = [
  [
    'emphasis that the user requested',
    { language: 'html', original: ['<p>Open daily</p>'], instruction: 'Highlight "daily"' },
    '<p>Open <mark>daily</mark></p>',
  ],
  [
    'a token that the original contains',
    { language: 'typescript', original: ["const end = '<|im_end|>';"] },
    "const end = '<|im_end|>\\n';",
  ],
  [
    'a line that opens a block, as the original does',
    { language: 'typescript', original: ['if (heat > 300) {'] },
    'if (heat > 300 || isBroken) {',
  ],
  [
    'an opening bracket in a string',
    { language: 'typescript', original: ["const open = 'x';", 'use(open);'] },
    "const open = '(';\nuse(open + '[');",
  ],
  [
    'a body without indentation, as in the original',
    {
      language: 'cpp',
      original: ['namespace a {', 'int f() {', '  return 1;', '}', '}  // namespace a'],
    },
    'namespace a {\nint f() {\n  return 2;\n}\n}  // namespace a',
  ],
  [
    'three blank lines where a line was deleted',
    { language: 'python', original: ['a = 1', '', 'b = 2', '', '', 'c = a'] },
    'a = 1\n\n\n\nc = a',
  ],
  [
    'a function that becomes an expression without a final bracket',
    { language: 'typescript', original: ['function two() {', '  return 2;', '}'] },
    'const two = () => 2;',
  ],
  [
    'a changed number in a text',
    { language: 'plaintext', original: ['Ella has 40 seats.', 'Ada has 20 seats.'] },
    'Ella has 48 seats.\nAda has 20 seats.',
  ],
  [
    'wrapped lines in parentheses after an assignment',
    { language: 'python', original: ['x = f(a)', 'y = g(b)'] },
    'x = f(\n    a,\n)\ny = g(\n    b,\n)',
  ],
  [
    'code in which a comment becomes the only content',
    { language: 'typescript', original: ['a();', 'b();'], instruction: 'Comment this out' },
    '// a();\n// b();',
  ],
];

test.each(acceptedAnswers)(
  'readEditAnswer returns all lines of an answer with %s',
  (_, target, answer) => {
    const result = readOfferedAnswer(answer, {
      language: 'typescript',
      original: [],
      before: [],
      after: [],
      usesTabs: false,
      tabSize: 4,
      ...target,
    });
    expect(result).toEqual({ kind: 'lines', lines: answer.split('\n') });
  },
);

test('readEditAnswer refuses an answer with extra closing brackets', () => {
  const target = { language: 'typescript', original: ['a();'], before: ['if (x) {'], after: ['}'] };
  expect(readOfferedAnswer('a();\n}\n}', { ...target, usesTabs: false, tabSize: 2 })).toEqual({
    kind: 'refused',
    reason: 'unclear',
  });
});
