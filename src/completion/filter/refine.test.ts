import { expect, test } from 'vitest';
import { createSnapshotOf } from '../snapshot.fixture.ts';
import { refineText, refineAnswer, type RefineResult } from './refine.ts';

const refineMarkedText = (
  markedText: string,
  text: string,
  languageId?: string,
  deletedText?: string,
): RefineResult =>
  refineText(text, {
    snapshot: createSnapshotOf(markedText, languageId),
    isWhole: true,
    ...(deletedText === undefined ? {} : { deletedText }),
  });

const functionWithCursor = 'function f() {\n  |\n}\n';

test.each([
  ['no problems', functionWithCursor, 'a();\n  b();', 'a();\n  b();'],
  ['white space at the end', functionWithCursor, 'a();  \n  b();  \n', 'a();\n  b();'],
  ['a remaining code fence', functionWithCursor, 'a();\n```\nThis is it.', 'a();'],
  ['lines that follow the cursor', 'a();\n|\nb();\nc();', 'x();\nb();\nc();', 'x();'],
  [
    'lines that follow the cursor after blank lines',
    'a();\n|\n\nb();\nc();',
    'x();\n\nb();',
    'x();',
  ],
  [
    'an inner closing tag that equals the next line',
    '<div>\n  |\n</div>',
    '<div>\n    a\n  </div>',
    '<div>\n    a\n  </div>',
  ],
  ['the closing tag that follows the cursor', '<div>\n  |\n</div>', '<b>a</b>\n</div>', '<b>a</b>'],
  ['a bracket that follows the cursor', functionWithCursor, 'a();\n}', 'a();'],
  ['brackets that follow the cursor', 'f(() => {\n  |\n});', 'a();\n});', 'a();'],
  ['a missing bracket', 'f() {\n  if (a) {\n    |\n}', 'b();\n  }', 'b();\n  }'],
  ['a block between auto-closed brackets', 'if (a) {|}', '\n  b();\n}', '\n  b();\n}'],
  ['an unclosed block before an auto-closed bracket', 'if (a) {|}', '\n  b();\n', '\n  b();\n}'],
  [
    'an unclosed block before several auto-closed brackets',
    '  f(() => {|});',
    '\n    b();\n',
    '\n    b();\n  });',
  ],
  ['a bracket in a string', functionWithCursor, "a('}');", "a('}');"],
  ['a repeated line', functionWithCursor, 'a();\n  b();\n  b();\n  b();\n  b();', 'a();\n  b();'],
  ['a repeated first line', functionWithCursor, 'a();\n  a();\n  a();', 'a();'],
  ['a repeated line at the cursor', 'if (b) a|', '();\nif (b) a();\nif (b) a();', '();'],
  [
    'lines that differ from the line at the cursor',
    'x = |',
    'a();\na();\na();\nb();',
    'a();\na();\na();\nb();',
  ],
  [
    'repeated lines',
    functionWithCursor,
    `a();\n${'  b();\n  c();\n'.repeat(3)}`,
    'a();\n  b();\n  c();',
  ],
  [
    'a line with a repeating pattern',
    functionWithCursor,
    `a();\n  x = ${'1, '.repeat(200)}`,
    'a();',
  ],
  ['a separator line', functionWithCursor, `// ${'='.repeat(300)}`, `// ${'='.repeat(300)}`],
  ['text after a wide gap', functionWithCursor, `a();${' '.repeat(99)}b();`, 'a();'],
  ['an emoji with a joiner', functionWithCursor, "a('👩‍💻');", "a('👩‍💻');"],
])('refineText returns the valid part of an answer with %s', (_, markedText, text, expected) => {
  expect(refineMarkedText(markedText, text)).toEqual({ text: expected });
});

test.each([
  ['no text', functionWithCursor, '', 'blank'],
  ['only white space', functionWithCursor, ' \n\t ', 'blank'],
  ['a bidirectional control', functionWithCursor, 'a("\u202e");', 'control-characters'],
  ['a zero-width space', functionWithCursor, 'a\u200b();', 'control-characters'],
  ['an escape', functionWithCursor, 'a("\u001b[2J");', 'control-characters'],
  [
    'a bidirectional control in text that would be removed',
    functionWithCursor,
    'a();\n```\n\u202e',
    'control-characters',
  ],
  ['an unusual space character', functionWithCursor, 'a\u2003b();', 'control-characters'],
  ['only a wide gap', 'a =|', `${' '.repeat(99)}b();`, 'control-characters'],
  ['only a fence', functionWithCursor, '```', 'prose'],
  ['only the text before the cursor', 'const total =|', 'const total =', 'echo'],
  ['only the line that follows the cursor', 'a();\n|\nreturn b;', 'return b;', 'repeats-suffix'],
  ['only the rest of the next line', 'a();\nret|\nreturn b;', 'urn b;', 'repeats-suffix'],
  ['only the previous line', 'print(total);\n|', 'print(total);', 'repeats-previous-lines'],
  ['only the previous lines', 'a();\nb();\n|', 'a();\nb();', 'repeats-previous-lines'],
  ['only a bracket that follows the cursor', functionWithCursor, '}', 'unbalanced'],
  ['only a repeating pattern', functionWithCursor, 'ab'.repeat(200), 'repeats-itself'],
])('refineText rejects an answer with %s', (_, markedText, text, filterName) => {
  expect(refineMarkedText(markedText, text)).toEqual({ filter: filterName });
});

test('refineText names the filter that removed the whole answer', () => {
  const context = {
    snapshot: createSnapshotOf(functionWithCursor),
    isWhole: true,
    removedBy: 'prose',
  } as const;
  expect(refineText('', context)).toEqual({ filter: 'prose' });
  expect(refineText('return;', context)).toEqual({ text: 'return;' });
  expect(refineText('}', context)).toEqual({ filter: 'unbalanced' });
});

test.each([
  ['equals the text that the user deleted', 'total += price;', 'total += price;'],
  [
    'differs from the text that the user deleted only in spaces',
    'total  += price;',
    'total += price; ',
  ],
  ['is similar to the text that the user deleted', 'total += prices;', 'total += price;'],
  [
    'begins with the text that the user deleted',
    'total += price;\n  count += 1;',
    'total += price;',
  ],
])('refineText drops an answer that %s', (_, text, deletedText) => {
  expect(refineMarkedText(functionWithCursor, text, 'typescript', deletedText)).toEqual({
    filter: 'just-deleted',
  });
});

test.each([
  ['differs from the text that the user deleted', 'return total;', 'total += price;'],
  ['repeats only two characters that the user deleted', 'ab', 'ab'],
])('refineText keeps an answer that %s', (_, text, deletedText) => {
  expect(refineMarkedText(functionWithCursor, text, 'typescript', deletedText)).toEqual({ text });
});

test.each([
  [
    'typescript',
    'replaces four spaces with two spaces',
    'if (a) {|',
    '\n    b();\n    if (c) {\n        d();\n    }\n}',
    '\n  b();\n  if (c) {\n    d();\n  }\n}',
  ],
  [
    'typescript',
    'replaces tabs with spaces',
    functionWithCursor,
    'if (a) {\n\t\tb();\n\t}',
    'if (a) {\n    b();\n  }',
  ],
  [
    'go',
    'replaces spaces with tabs',
    'func f() {\n\t|\n}',
    'if a {\n        b()\n    }',
    'if a {\n\t\tb()\n\t}',
  ],
  [
    'typescript',
    'adds the missing base indentation',
    'class A {\n  f() {\n    |\n  }\n}',
    'if (a) {\n  b();\n}\nc();',
    'if (a) {\n      b();\n    }\n    c();',
  ],
  [
    'python',
    'adds the missing base indentation',
    'class A:\n  def f(self):\n    |',
    'if a:\n  b()\nc()',
    'if a:\n      b()\n    c()',
  ],
  [
    'typescript',
    'removes one level of indentation',
    functionWithCursor,
    'a();\n    if (b) {\n      c();\n    }',
    'a();\n  if (b) {\n    c();\n  }',
  ],
  [
    'typescript',
    'removes one level of indentation inside a block',
    functionWithCursor,
    'if (a) {\n      b();\n    }',
    'if (a) {\n    b();\n  }',
  ],
  [
    'typescript',
    'removes one level of indentation below the line',
    'if (a) {|',
    '\n    b();\n    c();\n  }',
    '\n  b();\n  c();\n}',
  ],
  [
    'python',
    'removes one level of indentation',
    'def f():\n  |',
    'a = 1\n    if b:\n      return a',
    'a = 1\n  if b:\n    return a',
  ],
  [
    'python',
    'keeps the continuation of a string',
    'def f():\n  x = (|',
    "'a'\n    'b'",
    "'a'\n    'b'",
  ],
  ['python', 'keeps a list', 'def f():\n  |', 'x = [\n    1,\n  ]', 'x = [\n    1,\n  ]'],
  ['typescript', 'keeps a call chain', functionWithCursor, 'a\n    .b();', 'a\n    .b();'],
  [
    'typescript',
    'indents unindented code',
    functionWithCursor,
    'a();\nif (b) {\nf(() => {\nc();\n});\n} else {\nd();\n}',
    'a();\n  if (b) {\n    f(() => {\n      c();\n    });\n  } else {\n    d();\n  }',
  ],
  [
    'go',
    'indents unindented code',
    'func f() {\n\t|\n}',
    'if a {\nb()\n}\nreturn c',
    'if a {\n\t\tb()\n\t}\n\treturn c',
  ],
  [
    'typescript',
    'indents unindented code below the line',
    'function f() {|',
    '\nif (a) {\nb();\n}\n}',
    '\n  if (a) {\n    b();\n  }\n}',
  ],
  ['typescript', 'keeps the closing bracket of the block', 'if (a) {\n  |', 'b();\n}', 'b();\n}'],
  [
    'cpp',
    'keeps an unindented namespace',
    '|',
    'namespace a {\nint b;\n}',
    'namespace a {\nint b;\n}',
  ],
  ['c', 'keeps a preprocessor directive', 'void f() {\n  |', 'a();\n#endif', 'a();\n#endif'],
  [
    'python',
    'keeps the indentation',
    'def f():\n  |',
    'if a:\n    b()\n  c()',
    'if a:\n    b()\n  c()',
  ],
  ['python', 'keeps alignment', 'def f():\n  |', 'x = g(a,\n        b)', 'x = g(a,\n        b)'],
  [
    'python',
    'keeps the indentation unit of the document',
    'def f():\n    |',
    'if a:\n        b()',
    'if a:\n        b()',
  ],
  ['makefile', 'keeps the indentation', 'a:\n\t|', 'b\n    c', 'b\n    c'],
  ['markdown', 'keeps the indentation', '- |', 'a\n    - b', 'a\n    - b'],
  ['yaml', 'keeps the indentation', 'a:\n  |', 'b:\n      - c', 'b:\n      - c'],
  [
    'typescript',
    'keeps a template string',
    functionWithCursor,
    'a(`\n\t\tb\n`);',
    'a(`\n\t\tb\n`);',
  ],
])(
  'refineText corrects only wrong indentation in %s code: %s',
  (languageId, _, markedText, text, expected) => {
    expect(refineMarkedText(markedText, text, languageId)).toEqual({ text: expected });
  },
);

test.each([
  ['returns one statement as a single suggestion', 'a();', undefined, []],
  ['returns two statements as a single suggestion', 'a();\n  b();', undefined, []],
  [
    'ends the first suggestion after a block before a statement',
    'if (a) {\n    b();\n  }\n  c();',
    undefined,
    ['if (a) {\n    b();\n  }'],
  ],
  [
    'returns a block between statements as part of a single suggestion',
    'a();\n  if (b) {\n    c();\n  }\n  d();',
    undefined,
    [],
  ],
  ['ends the first suggestion after the requested line', 'a();\n  b();', 4, ['a();']],
  [
    'ends suggestions after the requested line and after the block that the line opens',
    'if (a) {\n    b();\n  }\n  c();',
    8,
    ['if (a) {', 'if (a) {\n    b();\n  }'],
  ],
])('refineAnswer %s', (_, text, firstSuggestionLength, expectedSuggestions) => {
  const context = { snapshot: createSnapshotOf(functionWithCursor), isWhole: true };
  const refinedAnswer = refineAnswer({ text, firstSuggestionLength }, context);
  if (!('text' in refinedAnswer)) throw new Error('A filter removed the text.');
  expect(refinedAnswer.text).toBe(text);
  expect(refinedAnswer.suggestionEnds.map((end) => text.slice(0, end))).toEqual(
    expectedSuggestions,
  );
});

test('refineText splits a markup element from the text that follows it', () => {
  const text = '<ul>\n  <li>a</li>\n</ul>\n<p>b</p>';
  const snapshot = createSnapshotOf('<body>\n|\n</body>', 'html');
  expect(
    refineAnswer({ text, firstSuggestionLength: undefined }, { snapshot, isWhole: true }),
  ).toEqual({
    text,
    suggestionEnds: [text.indexOf('\n<p>')],
  });
});

test('refineText rejects the whole answer if a filter removes the requested line', () => {
  const snapshot = createSnapshotOf('const value = other;\n|');
  const text = 'const value = other;\nrest();';
  expect(refineAnswer({ text, firstSuggestionLength: 20 }, { snapshot, isWhole: true })).toEqual({
    filter: 'repeats-previous-lines',
  });
});
