import { expect, test } from 'vitest';
import { readOfferedAnswer } from './offered-answer.fixture.ts';
import { movedLineCases } from './moved-lines.fixture.ts';

const joinTrimmedLines = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/^\n+/u, '')
    .trimEnd();

test.each(movedLineCases)(
  'readEditAnswer never changes the lines of an answer that contains $name',
  ({ answer: answerLines, ...target }) => {
    const result = readOfferedAnswer(answerLines.join('\n'), {
      ...target,
      usesTabs: false,
      tabSize: 4,
    });
    if (result.kind === 'lines')
      expect(joinTrimmedLines(result.lines)).toBe(joinTrimmedLines(answerLines));
    else expect(result.reason).toBe('unclear');
  },
);

const readAnswerLines = (
  answerLines: readonly string[],
  originalLines: readonly string[],
  { before = [], after = [] }: { before?: readonly string[]; after?: readonly string[] },
): readonly string[] | string => {
  const target = {
    language: 'typescript',
    usesTabs: false,
    tabSize: 2,
    before,
    original: originalLines,
    after,
  };
  const result = readOfferedAnswer(answerLines.join('\n'), target);
  return result.kind === 'lines' ? result.lines : result.reason;
};

test('readEditAnswer removes surplus indentation if only the original indentation is correct after the preceding line', () => {
  const answerLines = ['      open(b);', '      close();'];
  const originalLines = ['  open(a);', '  close();'];
  const expectedLines = ['  open(b);', '  close();'];
  expect(
    readAnswerLines(answerLines, originalLines, { before: ['  start();'], after: ['}'] }),
  ).toEqual(expectedLines);
  expect(
    readAnswerLines(answerLines, originalLines, { before: ['    start();'], after: ['}'] }),
  ).toBe('unclear');
  expect(
    readAnswerLines(answerLines, originalLines, { before: ['  start(a &&'], after: ['}'] }),
  ).toBe('unclear');
});

test('readEditAnswer restores the lost indentation of new lines only if the original lines are inside a block', () => {
  const answer = ['send(x);', 'report(y);'];
  const original = ['  open(a);', '  close();'];
  const before = ['function run() {', '  start();'];
  const expectedLines = ['  send(x);', '  report(y);'];
  expect(readAnswerLines(answer, original, { before, after: ['  end();', '}'] })).toEqual(
    expectedLines,
  );
  expect(readAnswerLines(answer, original, { before, after: ['function next() {'] })).toBe(
    'unclear',
  );
  expect(readAnswerLines(answer, original, {})).toBe('unclear');
});
