import { expect, test } from 'vitest';
import { applyBlock } from './apply-block.ts';
import type { EditTarget } from './edit-answer.ts';
import { readOfferedAnswer } from './offered-answer.fixture.ts';

const createTarget = (original: string, fields: Partial<EditTarget> = {}): EditTarget => ({
  language: 'typescript',
  original: original.split('\n'),
  before: [],
  after: [],
  usesTabs: false,
  tabSize: 2,
  ...fields,
});

const readAnswer = (answer: string, original: string, fields?: Partial<EditTarget>): unknown => {
  const result = readOfferedAnswer(answer, createTarget(original, fields));
  return result.kind === 'lines' ? result.lines.join('\n') : result.kind;
};

test.each([
  [
    'a word that the original contains without emphasis',
    'markdown',
    'Shelf is a tool who lend books.',
    '**Shelf** is a tool that lends books.',
  ],
  ['a word of a heading', 'markdown', '# Shelf\n\nOld text.', '# **Shelf**\n\nNew text.'],
  [
    'the first word of a new comment',
    'go',
    'func a() {}',
    '// **Get** returns the book.\nfunc a() int { return 1 }',
  ],
  [
    'the first word of a documentation comment',
    'rust',
    'fn a() {}',
    '/// **Finds** a book by its number.\nfn a(id: u32) {}',
  ],
  ['the first word of a block comment', 'c', 'int a;', '/* **Appends** a string. */\nint a, b;'],
  ['a name in a directive', 'c', '#include "a.h"\nint a;', '#**include** "a.h"\nint a, b;'],
])('readEditAnswer refuses an answer that adds emphasis to %s', (_, language, original, answer) => {
  expect(readAnswer(answer, original, { language })).toBe('refused');
});

test.each([
  [
    'around a name if the user requested bold text',
    'markdown',
    'Shelf lends books.',
    '**Shelf** lends books.',
    'Make the name bold',
  ],
  [
    'around a label that begins a new sentence',
    'markdown',
    'Shelf lends books.',
    'Shelf lends books. **Note** that they must return.',
    'Add a note',
  ],
  [
    'around a label in a documentation comment',
    'rust',
    'fn a() {}',
    '/// **Deprecated** since 2.0.\nfn a() {}',
    'Deprecate it',
  ],
  ['as a power operator', 'python', 'y = x * x', 'y = x**a**2', 'Use a power'],
  [
    'around a word if the file already contains emphasis',
    'markdown',
    '**One** and two.',
    '**One** and **two** and three.',
    'Continue',
  ],
])('readEditAnswer keeps asterisks %s', (_, language, original, answer, instruction) => {
  expect(readAnswer(answer, original, { language, instruction })).toBe(answer);
});

test.each([
  ['typescript', "  'a', // red\n  'b', // green", "  1: 'a', // red\n  2: 'b', // green"],
  ['yaml', 'a: red house\nb: green house', '1: red house\n2: green house'],
  ['lua', '  "red",\n  "blue",', '  [1] = "red",\n  [2] = "blue",'],
])(
  'readEditAnswer keeps numeric keys in %s if the user requested them',
  (language, original, answer) => {
    expect(readAnswer(answer, original, { language, instruction: 'Use numeric keys' })).toBe(
      answer,
    );
    expect(readAnswer(answer, original, { language, instruction: 'Use another form' })).toBe(
      'refused',
    );
  },
);

test('readEditAnswer refuses an answer that only adds a number to each line', () => {
  expect(
    readAnswer('1 red house\n2 green house', 'red house\ngreen house', { language: 'plaintext' }),
  ).toBe('refused');
});

test.each([
  ['a plus sign', '+ Shelf is a tool that lends books.'],
  ['a number', '1. Shelf is a tool that lends books.'],
  ['asterisks around it', '**Shelf is a tool that lends books.**'],
])(
  'readEditAnswer refuses a paragraph with %s, unless the user requested such a line',
  (_, answer) => {
    const original = 'Shelf is a tool who lend books.';
    const language = 'markdown';
    expect(readAnswer(answer, original, { language, instruction: 'Fix the grammar' })).toBe(
      'refused',
    );
    const instruction = 'Make it a bold list item';
    expect(readAnswer(answer, original, { language, instruction })).toBe(answer);
  },
);

test('readEditAnswer refuses bullets before the rows of a table', () => {
  const original = '| Ferry | Seats |\n|-------|-------|\n| Ella  | 40    |';
  const answer = '- | Ferry | Seats |\n|-------|-------|\n- | Ella  | 41    |';
  expect(readAnswer(answer, original, { language: 'markdown' })).toBe('refused');
});

const scriptText = 'set -eu\na=1\nb=2\nc=3\necho a\n';

test.each([
  ['a.sh', '#!/bin/sh\n', '#!/**bin**/sh\n'],
  ['a.sh', '#!/bin/sh\n', '#!/<mark>bin</mark>/sh\n'],
  ['a.c', '#include "a.h"\n', '#**include** "a.h"\n'],
  ['a.md', '# Shelf\n', '# **Shelf**\n'],
])(
  'applyBlock refuses a whole file %s with emphasis on its first word',
  (path, firstLine, markedLine) => {
    const applyWithFirstLine = (newFirstLine: string): unknown => {
      const code = newFirstLine + scriptText.replace('echo a', 'echo b');
      return applyBlock(firstLine + scriptText, { code, info: '', lineBefore: '' }, path).kind;
    };
    expect(applyWithFirstLine(firstLine)).toBe('applied');
    expect(applyWithFirstLine(markedLine)).toBe('refused');
  },
);
