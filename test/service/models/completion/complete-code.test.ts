import { describe, expect, test } from 'vitest';
import { completeInfill } from './complete-code.ts';
import {
  type CodeModelMisbehavior,
  codeModelMisbehaviorSchema,
  applyMisbehavior,
} from './misbehavior.ts';
import { readInfillRequest } from './infill-request.ts';

describe('the infill request in a completion prompt', () => {
  test.each([
    ['tags', 'Do it.\n<prefix>a</prefix><suffix>b</suffix>\nNow.', 'Do it.\n'],
    ['tags in reverse order', '<suffix>b</suffix><prefix>a</prefix>', undefined],
    ['an unclosed tag', '<prefix>a<suffix>b', undefined, 'a<suffix>b'],
    ['FIM tokens', 'x\n<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>', 'x\n'],
    ['FIM tokens in reverse order', '<|fim_suffix|>b<|fim_prefix|>a<|fim_middle|>', undefined],
    ['no delimiters', 'a', undefined, 'a', ''],
  ])(
    'is read from a message with %s',
    (_description, text, contextText, prefix = 'a', suffix = 'b') => {
      const context = contextText === undefined ? [] : [contextText];
      expect(readInfillRequest(text)).toEqual({ context, prefix, suffix });
    },
  );

  test('has a separate context text for each file before the prefix', () => {
    const text =
      'Files:\n<file path="a.ts">\none\n<b>\n</file>\n<snippet file="b.ts">\ntwo\n</snippet>\n<prefix>a</prefix><suffix></suffix>';
    expect(readInfillRequest(text, ['Be brief.']).context).toEqual([
      'Be brief.',
      'one\n<b>',
      'two',
      'Files:\n\n\n',
    ]);
  });
});

test('the context of an infill request includes files in a leading comment or after file tokens', () => {
  const infillText = '// a.ts\n// one\n//\n//   two\n// b.ts\n// three\nlet a';
  expect(readInfillRequest(infillText)).toEqual({
    context: ['a.ts\none\n\n  two\nb.ts\nthree'],
    prefix: 'let a',
    suffix: '',
  });
  expect(readInfillRequest('// Some words.\nlet a').context).toEqual([]);
  const text =
    '<|file_sep|>a.ts\none\n<|file_sep|>b.ts\n<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>';
  expect(readInfillRequest(text).context).toEqual(['a.ts\none\n', 'b.ts\n']);
});

const programText = `import { log } from './log';

export function area(width: number, height: number): number {
  const size = width * height;
  if (size < 0) {
    log('{ negative');

    return 0;
  }
  return size;
}

export const done = true;
`;

const pythonText = `def area(width, height):
    """Of a box."""
    size = width * height
    if size < 0:
        return 0
    else:
        size += 1

    return size

done = True
`;

const rustText = `fn longest<'a>(x: &'a str, y: &'a str) -> &'a str {
    if x.len() > y.len() { x } else { y }
}
fn main() {}
`;

const htmlText = `<main>
  <ul class="a > b">
    <li>One<br></li>
    <li><a href="#">Two</a></li>
  </ul>
  <p>End</p>
</main>
`;

const text = `# Boxes

A box has a width and a height, and both of them
are numbers. Their product is the area of it,
as everybody knows.

Another paragraph begins here.
`;

describe('a completed scope', () => {
  test.each([
    [
      'of a function',
      programText,
      'export function ar',
      "ea(width: number, height: number): number {\n  const size = width * height;\n  if (size < 0) {\n    log('{ negative');\n\n    return 0;\n  }\n  return size;\n}",
    ],
    [
      'of an inner block, from the middle of a line',
      programText,
      'function x(width) {\n  const size = w',
      "idth * height;\n  if (size < 0) {\n    log('{ negative');\n\n    return 0;\n  }\n  return size;",
    ],
    ['of a statement on one line', programText, 'import { log } from', " './log';"],
    [
      'of a Python function',
      pythonText,
      'def are',
      'a(width, height):\n    """Of a box."""\n    size = width * height\n    if size < 0:\n        return 0\n    else:\n        size += 1\n\n    return size',
    ],
    [
      'of a Python branch',
      pythonText,
      'def b(size):\n    if size',
      ' < 0:\n        return 0\n    else:\n        size += 1\n\n    return size',
    ],
    [
      'of a Rust function',
      rustText,
      'fn longest',
      "<'a>(x: &'a str, y: &'a str) -> &'a str {\n    if x.len() > y.len() { x } else { y }\n}",
    ],
    [
      'of an HTML element',
      htmlText,
      '<body>\n  <main>\n  <ul cl',
      'ass="a > b">\n    <li>One<br></li>\n    <li><a href="#">Two</a></li>\n  </ul>\n  <p>End</p>',
    ],
    [
      'of an HTML document',
      htmlText,
      '<ma',
      'in>\n  <ul class="a > b">\n    <li>One<br></li>\n    <li><a href="#">Two</a></li>\n  </ul>\n  <p>End</p>\n</main>',
    ],
    [
      'of a paragraph',
      text,
      'I say: A box has a w',
      'idth and a height, and both of them\nare numbers. Their product is the area of it,\nas everybody knows.',
    ],
  ])('includes all lines %s', (_scope, source, prefix, answer) => {
    expect(completeInfill({ context: [source], prefix, suffix: '' })).toBe(answer);
  });

  test('ends after at most 60 lines', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `  step(${index});`);
    const context = [`function long() {\n${lines.join('\n')}\n}`];
    const answer = completeInfill({ context, prefix: 'function lo', suffix: '' });
    expect(answer.split('\n')).toHaveLength(60);
  });

  test('does not limit a model that is configured to ignore scopes', () => {
    const infill = { context: [programText], prefix: 'import { log } from', suffix: '\n' };
    expect(completeInfill(infill, true)).toBe(programText.slice('import { log } from'.length));
  });
});

describe('an earlier occurrence of the end of the prefix', () => {
  test.each([
    [
      'an occurrence in the middle of a long line',
      ['a=1;b=2;total=a+b;c=3;'],
      'let total=a',
      '',
      '+b;c=3;',
    ],
    ['the longer of two occurrences', ['size = 1', 'const size = 2'], 'const size', '', ' = 2'],
    ['the first of several equal occurrences', ['size = 1', 'size = 2'], 'size', '', ' = 1'],
    [
      'the occurrence that is not at the end of a file',
      ['const size', 'size = 2'],
      'const size',
      '',
      ' = 2',
    ],
    ['an occurrence in the suffix', [], 'call(fi', '\nother(first, second);', 'rst, second);'],
    ['an occurrence in the prefix', [], 'add(one, two);\nadd(', '', 'one, two);'],
  ])(
    'completes the prefix with the text after %s',
    (_description, context, prefix, suffix, answer) => {
      expect(completeInfill({ context, prefix, suffix })).toBe(answer);
    },
  );

  test.each([
    ['it has only two characters', ['ab = 1'], 'ab'],
    ['it is at the end of a file', ['let size', 'x = 1'], 'let size'],
  ])('provides no completion if %s', (_description, context, prefix) => {
    expect(completeInfill({ context, prefix, suffix: '' })).toBe('');
  });

  test.each([
    [
      'if the document is indented deeper',
      'class B {\n    function f() {\n      return a',
      '(\n        1,\n      );',
    ],
    ['if the document is indented less', 'return a', '(\n  1,\n);'],
    [
      'if the document is indented by tabs',
      'class B {\n\tx() {\n\t\treturn a',
      '(\n\t\t\t1,\n\t\t);',
    ],
    [
      'after the indentation of a line',
      'class B {\n      f() {\n        ',
      'return a(\n          1,\n        );',
    ],
    [
      'at the start of a line',
      'class B {\n      f() {\n',
      '        return a(\n          1,\n        );',
    ],
  ])('provides text that is indented to match the document %s', (_description, prefix, answer) => {
    const source = 'class A {\n  f() {\n    return a(\n      1,\n    );\n  }\n}\n';
    expect(completeInfill({ context: [source], prefix, suffix: '' })).toBe(answer);
  });
});

describe('the suffix', () => {
  test.each([
    ['if it follows on the same line', '  if (si', ') {\n}', 'ze < 0'],
    ['if it differs from the copy', '  if (si', ' + 1;', 'ze < 0) {'],
    [
      'if it follows on the next lines',
      '  if (si',
      '\n\n    return 0;\n',
      "ze < 0) {\n    log('{ negative');",
    ],
    [
      'if it is the closing bracket',
      'export function ar',
      '\n}\n',
      "ea(width: number, height: number): number {\n  const size = width * height;\n  if (size < 0) {\n    log('{ negative');\n\n    return 0;\n  }\n  return size;",
    ],
  ])('is not repeated in the completion %s', (_description, prefix, suffix, answer) => {
    expect(completeInfill({ context: [programText], prefix, suffix })).toBe(answer);
  });
});

describe('the misbehavior of a code model', () => {
  const infill = { context: [], prefix: 'one\n  two\n  three\n  fo', suffix: ';\nend\n' };
  const answer = 'ur\n  five';
  test.each<[string, CodeModelMisbehavior, string]>([
    ['no text', { empty: 'nothing' }, ''],
    ['only white space', { empty: 'blank' }, '  \n\n    \n'],
    ['no indentation', { indentation: 'none' }, 'ur\nfive'],
    ['deeper indentation', { indentation: 'deeper' }, 'ur\n    five'],
    ['indentation by tabs', { indentation: 'tabs' }, 'ur\n\tfive'],
    ['a repeated suffix', { repeatsSuffix: true }, 'ur\n  five;\nend\n'],
    ['control characters', { characters: 'control' }, 'ur\u0000\u0007\u001B[31m\n  five'],
    ['bidirectional characters', { characters: 'bidirectional' }, 'ur\u202E\u2066\n  five'],
    ['an echo of the current line', { echo: 'line' }, '  four\n  five'],
    ['an echo of several lines', { echo: 'lines' }, '  two\n  three\n  four\n  five'],
    ['an echo of all lines', { echo: 'all' }, 'one\n  two\n  three\n  four\n  five'],
    ['a cursor token', { cursorMark: true }, '<|cursor|>ur\n  five'],
    ['an echo and a cursor token', { echo: 'line', cursorMark: true }, '  fo<|cursor|>ur\n  five'],
    ['a code fence', { fence: 'plain' }, '```\nur\n  five\n```'],
    ['a code fence with a language', { fence: 'language' }, '```typescript\nur\n  five\n```'],
    [
      'prose before the answer',
      { prose: 'before' },
      `Here is the code that completes the hole:\n\n${answer}`,
    ],
    [
      'prose after the answer',
      { prose: 'after' },
      `${answer}\n\nThis continues the code in the style of the file.`,
    ],
    [
      'a thinking block',
      { thinks: true },
      `<think>\nThe cursor stands in code; I continue it.\n</think>\n\n${answer}`,
    ],
    [
      'several kinds of misbehavior',
      { thinks: true, fence: 'plain', echo: 'line', indentation: 'none' },
      '<think>\nThe cursor stands in code; I continue it.\n</think>\n\n```\n  four\nfive\n```',
    ],
  ])('changes the answer to one with %s', (_name, misbehavior, answerText) => {
    expect(applyMisbehavior(answer, infill, misbehavior)).toBe(answerText);
  });

  test('does not change the answer if no option is set', () => {
    expect(applyMisbehavior(answer, infill, {})).toBe(answer);
  });

  test('with `repeatsItself` exceeds every length limit', () => {
    const answerText = applyMisbehavior(answer, infill, { repeatsItself: true });
    expect(answerText.startsWith(`${answer}\n  five\n  five\n`)).toBe(true);
    expect(answerText.length).toBeGreaterThan(20_000);
  });

  test('adds deeper indentation only to lines whose start is not in the prefix', () => {
    const freshInfill = { ...infill, prefix: 'one\n  ' };
    expect(applyMisbehavior('two\n  three', freshInfill, { indentation: 'deeper' })).toBe(
      '  two\n    three',
    );
  });

  test('has 11 options in the schema', () => {
    expect(Object.keys(codeModelMisbehaviorSchema.entries)).toHaveLength(11);
  });
});
