import { expect, test } from 'vitest';
import { measureGrowth } from '../../../test/support/growth.ts';
import { findDoubtName } from './answer-evidence.ts';

const repeatLines = (count: number, format: (index: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, index) => format(index));

const context = { before: ['// head'], after: ['// tail'], language: 'typescript' };

test.each<[string, (size: number) => Parameters<typeof findDoubtName>[0]]>([
  [
    'changed lines',
    (size) => {
      const lines = repeatLines(size, (index) => `const name${index} = calc(${index});`);
      const originalLines = repeatLines(
        size,
        (index) => `const value${index} = compute(${index});`,
      );
      return { ...context, answerLines: lines, lines, original: originalLines };
    },
  ],
  [
    'equal lines of markup',
    (size) => {
      const lines = repeatLines(size, (index) => (index % 2 === 0 ? '</div>' : `<p>${index}</p>`));
      return { ...context, answerLines: lines, lines, original: lines.slice(0, size / 2) };
    },
  ],
  [
    'remarks',
    (size) => {
      const lines = repeatLines(size, (index) => `const x${index} = 1;`);
      const remarks = repeatLines(size, (index) => `Remark about the value ${index}.`);
      const answerLines = [...remarks, '```', ...lines, '```'];
      return { ...context, answerLines, lines, original: ['const x = 1;'] };
    },
  ],
  [
    'long lines',
    (size) => {
      const lines = repeatLines(40, (index) => `${'b'.repeat(size)}${index}();`);
      const originalLines = repeatLines(40, (index) => `a${index}();`);
      return { ...context, answerLines: ['```', ...lines, '```'], lines, original: originalLines };
    },
  ],
  [
    'words of one remark',
    (size) => {
      const answerLines = [`No code ${'leave add no code '.repeat(size)}`, '```', 'a();', '```'];
      return { ...context, answerLines, lines: ['a();'], original: ['b();'] };
    },
  ],
])('findDoubtName takes linear time for many %s', (_, create) => {
  const run = (size: number): void => void findDoubtName(create(size));
  expect(measureGrowth(run, { smallSize: 1_000, smallCount: 8 }).timeRatio).toBeLessThan(4);
});
