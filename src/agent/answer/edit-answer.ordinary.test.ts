import { expect, test } from 'vitest';
import { applyBlock } from './apply-block.ts';
import { previewEditAnswer } from './edit-answer.ts';
import { readOfferedAnswer } from './offered-answer.fixture.ts';
import {
  gitHistoryEdits,
  correctEdits,
  type CorrectEdit,
  toEditTarget,
} from './ordinary-edits.fixture.ts';

const edits: readonly CorrectEdit[] = [
  ...correctEdits,
  ...gitHistoryEdits.map(
    ([language, before, original, after, answer]) =>
      [language, original, answer, { before, after }] as const,
  ),
];

test('readEditAnswer reads more than 200 correct answers that resemble damaged ones, with and without a code fence', () => {
  expect(edits.length).toBeGreaterThan(200);
  const failures: string[] = [];
  for (const edit of edits) {
    const [language, original, answer] = edit;
    for (const text of [answer, `\`\`\`\`${language}\n${answer}\n\`\`\`\``]) {
      const result = readOfferedAnswer(text, toEditTarget(edit));
      if (result.kind === 'lines' && result.lines.join('\n') === answer) continue;
      const readText = result.kind === 'lines' ? result.lines.join('\n') : JSON.stringify(result);
      failures.push(`${language}\n${original}\n--- answer\n${text}\n--- read\n${readText}`);
    }
  }
  expect(failures).toEqual([]);
});

test('previewEditAnswer returns only lines of the final edit for a correct answer that resembles a damaged one', () => {
  for (const edit of edits) {
    const [, , answer] = edit;
    const lines = previewEditAnswer(answer, toEditTarget(edit));
    expect(answer.split('\n').slice(0, lines.length)).toEqual(lines);
  }
});

const importingSource = `import a from 'a';

export function run(): void {
  a();
  log('x');
}

run();
`;

test.each<readonly [name: string, path: string, text: string, code: string]>([
  [
    'one quotation mark in a pattern',
    'a.ts',
    importingSource,
    importingSource.replace("'x'", '/"/u'),
  ],
  [
    'the start of a comment in a string',
    'a.ts',
    importingSource,
    importingSource.replace("'x'", "'<!--'"),
  ],
  [
    'a last line without a semicolon',
    'a.ts',
    importingSource,
    importingSource.replace(/run\(\);\n$/u, 'export const start = (): void => run()\n'),
  ],
  [
    'a class in place of the last statement',
    'a.ts',
    importingSource,
    importingSource.replace(/run\(\);\n$/u, 'class A {\n  b() {\n    run();\n  }\n}\n'),
  ],
  ['a quotation mark', 'a.py', 'a = 1\nb = 2\nprint(a)\n', "a = 1\nb = 2\nprint(a, '\"')\n"],
  [
    'an inch mark',
    'a.md',
    '# Screens\n\nA has 27 inches.\nB has 30 inches.\n',
    '# Screens\n\nA has 27".\nB has 30 inches.\n',
  ],
])('applyBlock applies a whole file that contains %s', (_, path, text, code) => {
  expect(applyBlock(text, { code, info: '', lineBefore: '' }, path)).toMatchObject({
    kind: 'applied',
    text: code,
  });
});
