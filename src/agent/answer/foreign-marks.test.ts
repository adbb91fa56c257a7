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

test.each([
  ['line separators', '\u2028'],
  ['paragraph separators', '\u2029'],
  ['carriage returns', '\r'],
  ['spaces', ' '],
  ['line separators and spaces', '\u2028 '],
])('findForeignMarks takes linear time for a line with a long run of %s', (_, repeatedText) => {
  const run = (size: number): unknown =>
    findForeignMarks([`x${repeatedText.repeat(size)}y`], target);
  expect(measureGrowth(run, { smallSize: 5_000, smallCount: 8 }).timeRatio).toBeLessThan(4);
});

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
  ['<old>', '<new>', '  <old>\na();\n  <new>\nb();'],
  ['<search>', '<updated>', '<search>a();\n<updated>b();'],
  ['<old_text>', '<updated>', '<old_text>\n<updated>b();'],
])(
  'findForeignMarks detects a diff if a line starts with %s and a later line starts with %s',
  (_oldCodeTag, _newCodeTag, text) => {
    const cause = findForeignMarks(['x();', ...text.split('\n'), 'y();'], target);
    expect(cause?.kind).toBe('diff');
  },
);

test.each([
  ['the new-code tag precedes the old-code tag', '<new>\na();\n<old>'],
  ['no line starts with the old-code tag', 'a(); <old>\n<new>'],
])('findForeignMarks detects no diff if %s', (_, text) => {
  const cause = findForeignMarks(['x();', ...text.split('\n'), 'y();'], target);
  expect(cause).toBeUndefined();
});

const code = 'const b = 2;\nuse(b);';

test.each([
  ['a token of a model', 'tokens', 'const b = <|mask|> 2;'],
  ['a function call', 'call', `edit_file("a.ts", "${code.replace('\n', '\\n')}")`],
  ['a tool call', 'call', `<tool_call>\n{"name": "edit"}\n</tool_call>`],
  ['a plus sign before each line', 'marks', '+const b = 2;\n+use(b);'],
  ['emphasis in code', 'marks', 'const **b** = 2;'],
  ['a LaTeX environment', 'delimiters', `\\begin{verbatim}\n${code}\n\\end{verbatim}`],
  ['an edit in YAML', 'diff', `- file: a.ts\n  replace: |\n    ${code}`],
  ['quoted lines', 'escapes', '"const b = 2;\\n",\n"use(b);\\n",'],
  ['one line ten times', 'repeated', `${code}\nuse(c);${'\nuse(c);'.repeat(9)}`],
  ['full-width punctuation', 'layout', 'const b = 2；\nuse（b）；'],
  ['a stated confidence', 'remark', `${code}\nConfidence: 95%`],
  ['an unclosed brace', 'incomplete', 'const b = {\n  c: 1,'],
])('readEditAnswer refuses an answer with %s, and returns the cause "%s"', (_, kind, answer) => {
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
  ])(
    'grows linearly with the number of lines in the file for an answer with %s',
    (_, language, createAnswer) => {
      const run = (size: number): void => {
        const originalLines = createLines(size, 'value').map((line) => `${line} "\\n"`);
        const answerLines = createAnswer(createLines(size, 'other'));
        const document = { ...target, original: originalLines, language, instruction: 'Change it' };
        findForeignMarks(answerLines, document);
        findForeignMarks([...originalLines, ...answerLines], document);
        readEditAnswer(answerLines.join('\n'), document);
      };
      expect(measureGrowth(run, { smallSize: 250, smallCount: 16 }).timeRatio).toBeLessThan(4);
    },
  );

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
