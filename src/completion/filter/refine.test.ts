import { expect, test } from 'vitest';
import { snapshotOf } from '../snapshot.fixture.ts';
import { refine, type Refined } from './refine.ts';

const refined = (
  markedText: string,
  text: string,
  languageId?: string,
  deletedText?: string,
): Refined =>
  refine(text, {
    snapshot: snapshotOf(markedText, languageId),
    isWhole: true,
    ...(deletedText === undefined ? {} : { deletedText }),
  });

const inFunction = 'function f() {\n  |\n}\n';

test.each([
  ['an answer without problems', inFunction, 'a();\n  b();', 'a();\n  b();'],
  ['white space at the end', inFunction, 'a();  \n  b();  \n', 'a();\n  b();'],
  ['a remaining code fence', inFunction, 'a();\n```\nThis is it.', 'a();'],
  ['lines of the suffix', 'a();\n|\nb();\nc();', 'x();\nb();\nc();', 'x();'],
  ['lines of the suffix after blank lines', 'a();\n|\n\nb();\nc();', 'x();\n\nb();', 'x();'],
  [
    'an inner tag like one of the suffix',
    '<div>\n  |\n</div>',
    '<div>\n    a\n  </div>',
    '<div>\n    a\n  </div>',
  ],
  ['the tag of the suffix', '<div>\n  |\n</div>', '<b>a</b>\n</div>', '<b>a</b>'],
  ['a bracket of the suffix', inFunction, 'a();\n}', 'a();'],
  ['brackets of the suffix', 'f(() => {\n  |\n});', 'a();\n});', 'a();'],
  ['a bracket that is not in the suffix', 'f() {\n  if (a) {\n    |\n}', 'b();\n  }', 'b();\n  }'],
  ['an answer between auto-closed brackets', 'if (a) {|}', '\n  b();\n}', '\n  b();\n}'],
  ['an unclosed block before an auto-closed bracket', 'if (a) {|}', '\n  b();\n', '\n  b();\n}'],
  [
    'an unclosed block before several auto-closed brackets',
    '  f(() => {|});',
    '\n    b();\n',
    '\n    b();\n  });',
  ],
  ['a bracket in a string', inFunction, "a('}');", "a('}');"],
  ['a repeated line', inFunction, 'a();\n  b();\n  b();\n  b();\n  b();', 'a();\n  b();'],
  ['a repeated first line', inFunction, 'a();\n  a();\n  a();', 'a();'],
  ['a repeated line at the cursor', 'if (b) a|', '();\nif (b) a();\nif (b) a();', '();'],
  [
    'lines that differ from the line at the cursor',
    'x = |',
    'a();\na();\na();\nb();',
    'a();\na();\na();\nb();',
  ],
  ['repeated lines', inFunction, `a();\n${'  b();\n  c();\n'.repeat(3)}`, 'a();\n  b();\n  c();'],
  ['a line with a repeating pattern', inFunction, `a();\n  x = ${'1, '.repeat(200)}`, 'a();'],
  ['a separator line', inFunction, `// ${'='.repeat(300)}`, `// ${'='.repeat(300)}`],
  ['text after a wide gap', inFunction, `a();${' '.repeat(99)}b();`, 'a();'],
  ['an emoji with a joiner', inFunction, "a('👩‍💻');", "a('👩‍💻');"],
])('shows only the valid part of an answer with %s', (_, markedText, text, expected) => {
  expect(refined(markedText, text)).toEqual({ text: expected });
});

test.each([
  ['an empty answer', inFunction, '', 'blank'],
  ['white space', inFunction, ' \n\t ', 'blank'],
  ['a bidirectional control', inFunction, 'a("\u202e");', 'control-characters'],
  ['a zero-width space', inFunction, 'a\u200b();', 'control-characters'],
  ['an escape', inFunction, 'a("\u001b[2J");', 'control-characters'],
  [
    'a bidirectional control in text that would be removed',
    inFunction,
    'a();\n```\n\u202e',
    'control-characters',
  ],
  ['an unusual space character', inFunction, 'a\u2003b();', 'control-characters'],
  ['only a wide gap', 'a =|', `${' '.repeat(99)}b();`, 'control-characters'],
  ['only a fence', inFunction, '```', 'prose'],
  ['the text before the cursor', 'const total =|', 'const total =', 'echo'],
  ['only the suffix', 'a();\n|\nreturn b;', 'return b;', 'repeats-suffix'],
  ['the rest of the line that follows', 'a();\nret|\nreturn b;', 'urn b;', 'repeats-suffix'],
  ['the line before', 'print(total);\n|', 'print(total);', 'repeats-previous-lines'],
  ['the lines before', 'a();\nb();\n|', 'a();\nb();', 'repeats-previous-lines'],
  ['only a bracket of the suffix', inFunction, '}', 'unbalanced'],
  ['only a repeating pattern', inFunction, 'ab'.repeat(200), 'repeats-itself'],
])('rejects an answer with %s', (_, markedText, text, filter) => {
  expect(refined(markedText, text)).toEqual({ filter });
});

test('reports what the reader removed when nothing remains', () => {
  const context = { snapshot: snapshotOf(inFunction), isWhole: true, removed: 'prose' } as const;
  expect(refine('', context)).toEqual({ filter: 'prose' });
  expect(refine('return;', context)).toEqual({ text: 'return;' });
  expect(refine('}', context)).toEqual({ filter: 'unbalanced' });
});

test.each([
  ['the deleted text', 'total += price;', 'total += price;', true],
  ['the deleted text with other spaces', 'total  += price;', 'total += price; ', true],
  ['text similar to the deleted text', 'total += prices;', 'total += price;', true],
  ['the deleted text and another line', 'total += price;\n  count += 1;', 'total += price;', true],
  ['different text', 'return total;', 'total += price;', false],
  ['a corrected typing mistake', 'ab', 'ab', false],
])('after a deletion, handles %s', (_, text, deletedText, isDropped) => {
  const expected = isDropped ? { filter: 'just-deleted' } : { text };
  expect(refined(inFunction, text, 'typescript', deletedText)).toEqual(expected);
});

test.each([
  [
    'typescript',
    'four spaces for two',
    'if (a) {|',
    '\n    b();\n    if (c) {\n        d();\n    }\n}',
    '\n  b();\n  if (c) {\n    d();\n  }\n}',
  ],
  [
    'typescript',
    'tabs for spaces',
    inFunction,
    'if (a) {\n\t\tb();\n\t}',
    'if (a) {\n    b();\n  }',
  ],
  [
    'go',
    'spaces for tabs',
    'func f() {\n\t|\n}',
    'if a {\n        b()\n    }',
    'if a {\n\t\tb()\n\t}',
  ],
  [
    'typescript',
    'the margin for the scope',
    'class A {\n  f() {\n    |\n  }\n}',
    'if (a) {\n  b();\n}\nc();',
    'if (a) {\n      b();\n    }\n    c();',
  ],
  [
    'python',
    'the margin for the scope',
    'class A:\n  def f(self):\n    |',
    'if a:\n  b()\nc()',
    'if a:\n      b()\n    c()',
  ],
  [
    'typescript',
    'a step too much',
    inFunction,
    'a();\n    if (b) {\n      c();\n    }',
    'a();\n  if (b) {\n    c();\n  }',
  ],
  [
    'typescript',
    'a step too much of a block',
    inFunction,
    'if (a) {\n      b();\n    }',
    'if (a) {\n    b();\n  }',
  ],
  [
    'typescript',
    'a step too much below the line',
    'if (a) {|',
    '\n    b();\n    c();\n  }',
    '\n  b();\n  c();\n}',
  ],
  [
    'python',
    'a step too much',
    'def f():\n  |',
    'a = 1\n    if b:\n      return a',
    'a = 1\n  if b:\n    return a',
  ],
  ['python', 'nothing of a string', 'def f():\n  x = (|', "'a'\n    'b'", "'a'\n    'b'"],
  ['python', 'nothing of a list', 'def f():\n  |', 'x = [\n    1,\n  ]', 'x = [\n    1,\n  ]'],
  ['typescript', 'nothing of a chain', inFunction, 'a\n    .b();', 'a\n    .b();'],
  [
    'typescript',
    'no indentation at all',
    inFunction,
    'a();\nif (b) {\nf(() => {\nc();\n});\n} else {\nd();\n}',
    'a();\n  if (b) {\n    f(() => {\n      c();\n    });\n  } else {\n    d();\n  }',
  ],
  [
    'go',
    'no indentation at all',
    'func f() {\n\t|\n}',
    'if a {\nb()\n}\nreturn c',
    'if a {\n\t\tb()\n\t}\n\treturn c',
  ],
  [
    'typescript',
    'no indentation below the line',
    'function f() {|',
    '\nif (a) {\nb();\n}\n}',
    '\n  if (a) {\n    b();\n  }\n}',
  ],
  ['typescript', 'nothing of what closes the scope', 'if (a) {\n  |', 'b();\n}', 'b();\n}'],
  [
    'cpp',
    'nothing of a flat namespace',
    '|',
    'namespace a {\nint b;\n}',
    'namespace a {\nint b;\n}',
  ],
  ['c', 'nothing of a directive', 'void f() {\n  |', 'a();\n#endif', 'a();\n#endif'],
  ['python', 'nothing', 'def f():\n  |', 'if a:\n    b()\n  c()', 'if a:\n    b()\n  c()'],
  ['python', 'alignment', 'def f():\n  |', 'x = g(a,\n        b)', 'x = g(a,\n        b)'],
  [
    'python',
    'nothing against the document',
    'def f():\n    |',
    'if a:\n        b()',
    'if a:\n        b()',
  ],
  ['makefile', 'nothing', 'a:\n\t|', 'b\n    c', 'b\n    c'],
  ['markdown', 'nothing', '- |', 'a\n    - b', 'a\n    - b'],
  ['yaml', 'nothing', 'a:\n  |', 'b:\n      - c', 'b:\n      - c'],
  ['typescript', 'a template', inFunction, 'a(`\n\t\tb\n`);', 'a(`\n\t\tb\n`);'],
])('repairs the indentation in %s: %s', (languageId, _, markedText, text, expected) => {
  expect(refined(markedText, text, languageId)).toEqual({ text: expected });
});
