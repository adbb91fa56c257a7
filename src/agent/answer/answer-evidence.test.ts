import { expect, test } from 'vitest';
import { readEditAnswer } from './edit-answer.ts';

/** An edit request with two answers to it. */
interface DoubtCase {
  /** Name of the doubt that {@link refusedAnswer} raises, such as `long remarks`. */
  readonly doubt: string;
  readonly language: string;
  readonly instruction: string;
  readonly before?: string;
  readonly original: string;
  readonly after?: string;
  /** Answer that the parser must refuse because of the doubt. */
  readonly refusedAnswer: string;
  /** Similar answer that the parser must accept. */
  readonly acceptedAnswer: string;
  /** Lines that the parser must return for the accepted answer. */
  readonly expectedText: string;
}

const encloseInFence = (code: string, info = ''): string => `\`\`\`${info}\n${code}\n\`\`\``;

const cases: readonly DoubtCase[] = [
  {
    doubt: 'remark without a code fence',
    language: 'typescript',
    instruction: 'Use a constant',
    original: 'let width = 4;\nlet height = 5;',
    refusedAnswer: 'The height also stays the same forever:\n\nconst width = 4;',
    acceptedAnswer: 'Here is the updated code:\n\nconst width = 4;\nlet height = 5;',
    expectedText: 'const width = 4;\nlet height = 5;',
  },
  {
    doubt: 'second thoughts',
    language: 'typescript',
    instruction: 'Double the width',
    original: 'const width = 4;',
    refusedAnswer: `${encloseInFence('const width = 8;')}\n\nWait, the height has to change too.`,
    acceptedAnswer: `${encloseInFence('const width = 8;')}\n\nThe width is now 8.`,
    expectedText: 'const width = 8;',
  },
  {
    doubt: 'statement that nothing changed',
    language: 'typescript',
    instruction: 'Fix the bug',
    original: 'const width = 4;',
    refusedAnswer: `${encloseInFence('const width = 40;')}\n\nNo changes were needed here.`,
    acceptedAnswer: `${encloseInFence('const width = 40;')}\n\nThe width was too small.`,
    expectedText: 'const width = 40;',
  },
  {
    doubt: 'words in place of lines',
    language: 'python',
    instruction: 'Add types',
    original: 'def add(a, b):\n    return a + b',
    refusedAnswer: encloseInFence(
      'def add(a: int, b: int) -> int:\n    return a + b\n# same for the others',
    ),
    acceptedAnswer: encloseInFence('def add(a: int, b: int) -> int:\n    return a + b'),
    expectedText: 'def add(a: int, b: int) -> int:\n    return a + b',
  },
  {
    doubt: 'steps for the user',
    language: 'typescript',
    instruction: 'Read the file',
    original: 'const text = read();',
    refusedAnswer: `Add the import at the top of the file:\n\n${encloseInFence('const text = await readFile(path);\nread(text);')}`,
    acceptedAnswer: `The file is read with a promise:\n\n${encloseInFence('const text = await readFile(path);\nread(text);')}`,
    expectedText: 'const text = await readFile(path);\nread(text);',
  },
  {
    doubt: 'a second version',
    language: 'markdown',
    instruction: 'Make this friendlier',
    original: 'Send us your order before noon.',
    refusedAnswer: encloseInFence(
      'Please send us your order before noon.\n\nOr even shorter:\n\nOrder before noon, please.',
    ),
    acceptedAnswer: encloseInFence('Please send us your order before noon.'),
    expectedText: 'Please send us your order before noon.',
  },
  {
    doubt: 'old and new text in one line',
    language: 'markdown',
    instruction: 'Fix the spelling',
    original: 'Our shop open at nine in the morning.',
    refusedAnswer: encloseInFence(
      'Our shop open at nine in the morning. Our shop opens at nine in the morning.',
    ),
    acceptedAnswer: encloseInFence('Our shop opens at nine in the morning.'),
    expectedText: 'Our shop opens at nine in the morning.',
  },
  {
    doubt: 'quoted old text',
    language: 'markdown',
    instruction: 'Fix the spelling',
    original: 'Our shop open at nine in the morning.',
    refusedAnswer: encloseInFence('Change "shop open" to "shop opens" at nine in the morning.'),
    acceptedAnswer: encloseInFence('Our "shop" opens at nine in the morning.'),
    expectedText: 'Our "shop" opens at nine in the morning.',
  },
  {
    doubt: 'several versions of a line',
    language: 'markdown',
    instruction: 'Make this friendlier',
    original: 'Send your order before noon.',
    refusedAnswer: encloseInFence(
      'Please send your order before noon.\nKindly send your order before noon.',
    ),
    acceptedAnswer: encloseInFence('Please send your order before noon, and thank you.'),
    expectedText: 'Please send your order before noon, and thank you.',
  },
  {
    doubt: 'label before each line',
    language: 'markdown',
    instruction: 'Fix the spelling',
    original: 'Our shop open at nine in the morning.',
    refusedAnswer: encloseInFence('Corrected: Our shop opens at nine in the morning.'),
    acceptedAnswer: encloseInFence('Our shop opens at nine in the morning: be there.'),
    expectedText: 'Our shop opens at nine in the morning: be there.',
  },
  {
    doubt: 'text of a console',
    language: 'python',
    instruction: 'Print the sum',
    original: 'total = add(1, 2)',
    refusedAnswer: encloseInFence('>>> total = add(1, 2)\n>>> print(total)'),
    acceptedAnswer: encloseInFence('total = add(1, 2)\nprint(total)'),
    expectedText: 'total = add(1, 2)\nprint(total)',
  },
  {
    doubt: 'visible white space',
    language: 'makefile',
    instruction: 'Run the tests too',
    original: 'check:\n\tlint',
    refusedAnswer: encloseInFence('check:\n<TAB>lint\n<TAB>test'),
    acceptedAnswer: encloseInFence('check:\n\tlint\n\ttest'),
    expectedText: 'check:\n\tlint\n\ttest',
  },
  {
    doubt: 'lost comment marks',
    language: 'typescript',
    instruction: 'Fix the spelling',
    original: '// Returns the widht of the\n// window in pixels',
    refusedAnswer: encloseInFence('Returns the width of the\nwindow in pixels'),
    acceptedAnswer: encloseInFence('// Returns the width of the\n// window in pixels'),
    expectedText: '// Returns the width of the\n// window in pixels',
  },
  {
    doubt: 'only comments',
    language: 'typescript',
    instruction: 'Double the width of the window',
    original: 'const windowWidth = 4;',
    refusedAnswer: encloseInFence('/* windowWidth = 8 */'),
    acceptedAnswer: encloseInFence('// Twice the old width\nconst windowWidth = 8;'),
    expectedText: '// Twice the old width\nconst windowWidth = 8;',
  },
  {
    doubt: 'another language',
    language: 'typescript',
    instruction: 'Double the width',
    original: 'const width = 4;',
    refusedAnswer: encloseInFence('const width = 8;', 'rust'),
    acceptedAnswer: encloseInFence('const width = 8;', 'ts'),
    expectedText: 'const width = 8;',
  },
  {
    doubt: 'lost comma',
    language: 'json',
    instruction: 'Double the width',
    original: '  "width": 4,',
    after: '  "height": 5',
    refusedAnswer: encloseInFence('  "width": 8'),
    acceptedAnswer: encloseInFence('  "width": 8,'),
    expectedText: '  "width": 8,',
  },
  {
    doubt: 'insertion',
    language: 'markdown',
    instruction: 'Add butter',
    before: '| Flour | 1 kg |\n| Water | 1 l |',
    original: '',
    after: '| Salt | 9 g |',
    refusedAnswer: encloseInFence('Butter, 50 g'),
    acceptedAnswer: encloseInFence('| Butter | 50 g |'),
    expectedText: '| Butter | 50 g |',
  },
  {
    doubt: 'brackets',
    language: 'typescript',
    instruction: 'Return early',
    original: 'if (isClosed) {\n  stop();',
    after: '  log();\n}',
    refusedAnswer: encloseInFence('if (isClosed) {\n  stop();\n  return;\n}'),
    acceptedAnswer: encloseInFence('if (isClosed) {\n  stop();\n  return;'),
    expectedText: 'if (isClosed) {\n  stop();\n  return;',
  },
  {
    doubt: 'added brackets',
    language: 'json',
    instruction: 'Double the width',
    original: '"width": 4',
    refusedAnswer: encloseInFence('{\n  "width": 8\n}'),
    acceptedAnswer: encloseInFence('"width": 8'),
    expectedText: '"width": 8',
  },
  {
    doubt: 'start of a document',
    language: 'php',
    instruction: 'Double the width',
    original: '$width = 4;',
    refusedAnswer: encloseInFence('<?php\n$width = 8;'),
    acceptedAnswer: encloseInFence('$width = 8;'),
    expectedText: '$width = 8;',
  },
  {
    doubt: 'lost lines',
    language: 'typescript',
    instruction: 'Log the result',
    original: 'const total = add(price, tax);\nconst label = format(total);\nsend(label);',
    refusedAnswer: encloseInFence(
      'const label = format(total);\nsend(label);\nconsole.log(label);',
    ),
    acceptedAnswer: encloseInFence(
      'const total = add(price, tax);\nconst label = format(total);\nsend(label);\nconsole.log(label);',
    ),
    expectedText:
      'const total = add(price, tax);\nconst label = format(total);\nsend(label);\nconsole.log(label);',
  },
  {
    doubt: 'part of the selection',
    language: 'typescript',
    instruction: 'Use a constant',
    original: 'let sum = add(price);\nadd(sum);\nlet total = add(sum);',
    refusedAnswer: `${encloseInFence('const sum = add(price);\nconst total = add(sum);')}\n\nThe rest stays as it is.`,
    acceptedAnswer: encloseInFence('const sum = add(price);\nadd(sum);\nconst total = add(sum);'),
    expectedText: 'const sum = add(price);\nadd(sum);\nconst total = add(sum);',
  },
  {
    doubt: 'lines around the selection',
    language: 'typescript',
    instruction: 'Double the width',
    before: 'const area = computeArea(width, height);',
    original: 'const width = 4;',
    refusedAnswer: encloseInFence('const area = computeArea(width * 2, height);\nconst width = 8;'),
    acceptedAnswer: encloseInFence('const unit = "cm";\nconst width = 8;'),
    expectedText: 'const unit = "cm";\nconst width = 8;',
  },
  {
    doubt: 'other text',
    language: 'typescript',
    instruction: 'Double the width',
    original: 'const width = 4;\nconst height = 5;\nconst area = width * height;',
    refusedAnswer: encloseInFence('run(server);\nstart();'),
    acceptedAnswer: encloseInFence(
      'const width = 8;\nconst height = 5;\nconst area = width * height;',
    ),
    expectedText: 'const width = 8;\nconst height = 5;\nconst area = width * height;',
  },
  {
    doubt: 'lost code fence',
    language: 'markdown',
    instruction: 'Bake two loaves',
    original: 'Run this:\n\n```js\nbake(1);\n```',
    refusedAnswer: 'Run this:\n\nbake(2);',
    acceptedAnswer: 'Run this:\n\n```js\nbake(2);\n```',
    expectedText: 'Run this:\n\n```js\nbake(2);\n```',
  },
  {
    doubt: 'code in a sentence',
    language: 'typescript',
    instruction: 'Double the width',
    original: 'const width = 4;',
    refusedAnswer: encloseInFence('Use the line `const width = 8;`'),
    acceptedAnswer: encloseInFence('const width = `8`;'),
    expectedText: 'const width = `8`;',
  },
  {
    doubt: 'sentence',
    language: 'typescript',
    instruction: 'Double the width',
    original: 'const width = 4;',
    refusedAnswer: encloseInFence('The const width is 8 now.'),
    acceptedAnswer: encloseInFence('const width = 8;'),
    expectedText: 'const width = 8;',
  },
  {
    doubt: 'indentation of the first line',
    language: 'python',
    instruction: 'Log the total',
    before: 'def run():',
    original: '    send(total)',
    refusedAnswer: 'send(total, now)\n    log(total)',
    acceptedAnswer: '    send(total, now)\n    log(total)',
    expectedText: '    send(total, now)\n    log(total)',
  },
  {
    doubt: 'blank lines',
    language: 'typescript',
    instruction: 'Remove the blank line at the end',
    original: 'const width = 4;\nconst height = 5;\n',
    refusedAnswer: encloseInFence('const width = 4;\nconst height = 5;'),
    acceptedAnswer: '@@ -1,3 +1,2 @@\n const width = 4;\n const height = 5;\n-',
    expectedText: 'const width = 4;\nconst height = 5;',
  },
];

const toLines = (text = ''): readonly string[] => (text === '' ? [] : text.split('\n'));

const readCaseAnswer = (
  { language, instruction, before, original, after }: DoubtCase,
  answer: string,
) =>
  readEditAnswer(answer, {
    language,
    instruction,
    before: toLines(before),
    original: toLines(original),
    after: toLines(after),
    usesTabs: false,
    tabSize: 4,
  });

test.each(cases)('readEditAnswer refuses an answer that raises the doubt "$doubt"', (doubtCase) => {
  expect(readCaseAnswer(doubtCase, doubtCase.refusedAnswer)).toMatchObject({
    reason: 'uncertain',
    doubt: doubtCase.doubt,
  });
});

test.each(cases)(
  'readEditAnswer reads a similar answer that does not raise the doubt "$doubt"',
  (entry) => {
    expect(readCaseAnswer(entry, entry.acceptedAnswer)).toEqual({
      kind: 'lines',
      lines: toLines(entry.expectedText),
    });
  },
);
