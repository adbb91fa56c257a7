import { describe, expect, test } from 'vitest';
import { measureGrowth } from '../../../test/support/growth.ts';
import { type RefusalCauseKind, createSimilarLineCheck, formatCause } from './answer-marks.ts';
import { applyBlock } from './apply-block.ts';
import { readEditAnswer } from './edit-answer.ts';
import { findForeignMarks } from './foreign-marks.ts';
import { haveMostWordsInCommon, toWords } from '../../base/model-answer.ts';

const target = {
  original: ['const b = 1;'],
  before: [],
  after: [],
  language: 'typescript',
  usesTabs: false,
  tabSize: 2,
};

test.each(['\u2028', '\u2029', '\r', ' ', '\u2028 '])(
  'findForeignMarks takes linear time for a line with a long run of %j',
  (repeatedText) => {
    const run = (size: number): unknown =>
      findForeignMarks([`x${repeatedText.repeat(size)}y`], target);
    expect(measureGrowth(run, { smallSize: 5_000, smallCount: 8 }).timeRatio).toBeLessThan(4);
  },
);

test.each([' ', '"', '`', '```ts ', 'a', '<', '{', ', a', '"" '])(
  'readEditAnswer takes linear time for a long run of %j, alone or as an argument of a call',
  (part) => {
    const run = (size: number): void => {
      const text = part.repeat(size / part.length);
      for (const answer of [`foo("x\\n"${text}.)`, `foo(${text}\\n.)`, text])
        readEditAnswer(answer, target);
    };
    expect(measureGrowth(run, { smallSize: 5_000, smallCount: 8 }).timeRatio).toBeLessThan(4);
  },
);

test('findForeignMarks takes linear time for many `<old>` tags', () => {
  const run = (size: number): void => {
    findForeignMarks(`a();\n<before>\n${'<old>\n'.repeat(size)}b();`.split('\n'), target);
  };
  expect(measureGrowth(run, { smallSize: 2_000, smallCount: 8 }).timeRatio).toBeLessThan(4);
});

test.each([
  ['  <old>\na();\n  <new>\nb();', 'diff'],
  ['<search>a();\n<updated>b();', 'diff'],
  ['<old_text>\n<updated>b();', 'diff'],
  ['<new>\na();\n<old>', undefined],
  ['a(); <old>\n<new>', undefined],
])(
  'findForeignMarks detects a diff only if a line starts with an old-code tag and a later line with a new-code tag: %j',
  (text, kind) => {
    const cause = findForeignMarks(['x();', ...text.split('\n'), 'y();'], target);
    expect(cause?.kind).toBe(kind);
  },
);

const code = 'const b = 2;\nuse(b);';

test.each([
  ['tokens', 'const b = <|mask|> 2;'],
  ['call', `edit_file("a.ts", "${code.replace('\n', '\\n')}")`],
  ['call', `<tool_call>\n{"name": "edit"}\n</tool_call>`],
  ['marks', '+const b = 2;\n+use(b);'],
  ['marks', 'const **b** = 2;'],
  ['delimiters', `\\begin{verbatim}\n${code}\n\\end{verbatim}`],
  ['diff', `- file: a.ts\n  replace: |\n    ${code}`],
  ['escapes', '"const b = 2;\\n",\n"use(b);\\n",'],
  ['repeated', `${code}\nuse(c);${'\nuse(c);'.repeat(9)}`],
  ['layout', 'const b = 2；\nuse（b）；'],
  ['remark', `${code}\nConfidence: 95%`],
  ['incomplete', 'const b = {\n  c: 1,'],
])('readEditAnswer returns the cause "%s" of a refusal', (kind, answer) => {
  const expected = { kind: 'refused', cause: { kind, rule: expect.stringMatching(/./u) } };
  expect(readEditAnswer(answer, target)).toMatchObject(expected);
  const fencedAnswer = `\`\`\`ts\n${answer}\n\`\`\``;
  expect(readEditAnswer(fencedAnswer, target)).toMatchObject(expected);
});

test('applyBlock returns the cause of a refusal', () => {
  const block = { code: '+const **b** = 2;\nuse(b);', info: 'ts', lineBefore: '' };
  expect(applyBlock('const b = 1;\nuse(b);\n', block, 'a.ts')).toMatchObject({
    kind: 'refused',
    cause: { kind: 'marks' },
  });
});

test('formatCause returns a different sentence for each kind of cause', () => {
  const kinds: readonly RefusalCauseKind[] = [
    ...(['tokens', 'call', 'marks', 'delimiters', 'diff'] as const),
    ...(['escapes', 'repeated', 'layout', 'remark', 'incomplete'] as const),
  ];
  const sentences = kinds.map((kind) => formatCause({ kind, rule: '' }));
  expect(new Set(sentences).size).toBe(kinds.length);
});

describe('the time to read an answer about a long file', () => {
  const createLines = (size: number, name: string): readonly string[] =>
    Array.from(
      { length: size },
      (_, index) => `  ${name}${index}.run(alpha${index}, beta${index});`,
    );

  test.each([
    ['plus signs', 'typescript', () => ['+foo bar', '+baz qux']],
    ['quotation marks', 'python', (lines: readonly string[]) => ['"""', ...lines, '"""']],
    [
      'emphasis',
      'typescript',
      (lines: readonly string[]) => lines.map((line) => `${line} // **x**`),
    ],
    [
      'repeated words',
      'typescript',
      (lines: readonly string[]) => lines.map((line) => `${line} foo`),
    ],
    ['escapes', 'json', (lines: readonly string[]) => lines.map((line) => `"${line}\\"",`)],
    [
      'other escapes',
      'markdown',
      (lines: readonly string[]) => lines.map((line) => `${line} &lt;`),
    ],
  ])('grows linearly with the number of lines in the file for %s', (_, language, createAnswer) => {
    const run = (size: number): void => {
      const originalLines = createLines(size, 'value').map((line) => `${line} "\\n"`);
      const answerLines = createAnswer(createLines(size, 'other'));
      const document = { ...target, original: originalLines, language, instruction: 'Change it' };
      findForeignMarks(answerLines, document);
      findForeignMarks([...originalLines, ...answerLines], document);
      readEditAnswer(answerLines.join('\n'), document);
    };
    expect(measureGrowth(run, { smallSize: 250, smallCount: 16 }).timeRatio).toBeLessThan(4);
  });

  test('grows linearly with the number of lines in the file for a diff that only adds lines', () => {
    const run = (size: number): void => {
      const lines = createLines(size, 'value');
      const addedLines = createLines(size, 'other').map(
        (line) => `+${line.replaceAll(/alpha|beta/gu, 'g')}`,
      );
      const code = [` ${lines[0] ?? ''}`, ...addedLines].join('\n');
      applyBlock(lines.join('\n'), { code, info: 'ts', lineBefore: '' }, 'src/a.ts');
    };
    expect(measureGrowth(run, { smallSize: 250, smallCount: 16 }).timeRatio).toBeLessThan(4);
  });
});

test('createSimilarLineCheck finds the same lines as a comparison with each line', () => {
  const words = ['a', 'b', 'c', 'd', 'e'];
  const lines = Array.from({ length: 3_125 }, (_, index) =>
    [1, 5, 25, 125, 625].map((divisor) => words[Math.floor(index / divisor) % 5]).join(' '),
  );
  for (const step of [7, 11, 13]) {
    const otherLines = lines.filter((_, index) => index % (step * 60) === step);
    const isSimilar = createSimilarLineCheck(otherLines);
    for (const line of lines) {
      const matches = otherLines.filter((otherLine) =>
        haveMostWordsInCommon(toWords(line), toWords(otherLine)),
      );
      expect(isSimilar(line)).toBe(matches.length > 0);
      expect(isSimilar(line, 'c')).toBe(matches.some((otherLine) => otherLine.includes('c')));
    }
  }
});
