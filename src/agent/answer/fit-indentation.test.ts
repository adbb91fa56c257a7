import { expect, test } from 'vitest';
import { readEditAnswer } from './edit-answer.ts';

const readAnswer = (original: string, answer: string, language = 'typescript'): unknown => {
  const target = { language, original: original.split('\n'), before: [], after: [] };
  const result = readEditAnswer(answer, { ...target, usesTabs: false, tabSize: 2 });
  return result.kind === 'lines' ? result.lines.join('\n') : result;
};

test.each([
  [
    'the arguments of a call',
    '  expect(read(a)).toEqual({\n    field: 1,\n  });',
    '  expect(await read(a)).toEqual(\n    {\n      field: 1,\n    },\n  );',
  ],
  [
    'the lines inside a new block',
    '  await one();\n  await two();',
    '  // Repeat both.\n  await retry(async () => {\n    await one();\n    await two();\n  });',
  ],
  [
    'a chain inside a condition',
    '  const a = list(b)\n    .filter(c)\n    .map(d);',
    '  const a =\n    b === c\n      ? []\n      : list(b)\n          .filter(c)\n          .map(d);\n  use(a);',
  ],
])('readEditAnswer keeps the deeper indentation of %s', (_, original, answer) => {
  expect(readAnswer(original, answer)).toBe(answer);
});

test('readEditAnswer removes additional indentation that all lines except the first have', () => {
  const [original, answer] = ['a();\nb();\nc();', 'a();\n    b();\n    c(1);'];
  expect(readAnswer(original, answer)).toBe('a();\nb();\nc(1);');
});

test('readEditAnswer keeps the deeper indentation of a CSS rule that moves into a container query', () => {
  const answer = '@container a (width < 9px) {\n  .b {\n    top: 0;\n  }\n}';
  expect(readAnswer('.b {\n  top: 0;\n}', answer, 'css')).toBe(answer);
});
