import { fc } from '../../../test/support/property.ts';
import { expect, test } from 'vitest';
import { type AnswerReader, type CompletionScope, chooseCompletionScope } from './scope.ts';
import { createSnapshotOf } from '../snapshot.fixture.ts';
import { answerLimits, createAnswerReader } from './read-answer.ts';

function readAnswer(text: string, answer: string, languageId = 'typescript'): AnswerReader {
  const snapshot = createSnapshotOf(text, languageId);
  const reader = createAnswerReader(snapshot, chooseCompletionScope(snapshot));
  reader.push(answer);
  return reader;
}

function readText(text: string, answer: string, languageId = 'typescript'): string {
  const reader = readAnswer(text, answer, languageId);
  reader.end();
  expect(reader.wholeLinesLength).toBe(reader.text.length);
  return reader.text;
}

const functionWithCursor = 'function f(a: number) {\n  |\n}\n';

test.each([
  ['plain code', 'return a;', 'return a;'],
  ['indentation', '  return a;', 'return a;'],
  ['a leading line break', '\n  return a;', 'return a;'],
  ['Windows line ends', 'a();\r\n  b();\r\n', 'a();\n  b();'],
  ['a code fence', '```\nreturn a;\n```', 'return a;'],
  ['a code fence with a language', '```typescript\nreturn a;\n```\nThis returns a.', 'return a;'],
  ['a code fence of tildes', '~~~ts\nreturn a;\n~~~', 'return a;'],
  ['an unclosed code fence', '```ts\nreturn a;', 'return a;'],
  ['only a closing code fence', 'return a;\n```\nThis is it.', 'return a;'],
  ['prose', 'Here is the code:\n\n```ts\nreturn a;\n```', 'return a;'],
  ['prose without a code fence', "Sure! Here's the completion:\n\nreturn a;", 'return a;'],
  [
    'prose on several lines',
    'To complete this function, we return a.\nIt is simple.\n\nreturn a;',
    'return a;',
  ],
  ['only prose', 'I cannot complete this code without more context.', ''],
  [
    'an empty code fence and prose',
    '```ts\n\n```\n\nThis continues the code in the style of the file.',
    '',
  ],
  [
    'an empty code fence before another',
    '```\n```\nHere it is:\n```ts\nreturn a;\n```',
    'return a;',
  ],
  ['prose after the code', 'return a;\n\nThis returns the number that was given.', 'return a;'],
  ['an explanation after the code', 'return a;\n\nExplanation: it is short.', 'return a;'],
  ['reasoning', '<think>\nThe user wants {a}.\n</think>\n\nreturn a;', 'return a;'],
  ['an analysis', '<analysis>\nThe user wants {a}.\n</analysis>\n\nreturn a;', 'return a;'],
  ['unclosed reasoning', '<think>\nhm, return b;', ''],
  ['a leading cursor mark', '<cursor>return a;', 'return a;'],
  ['FIM tokens', '<|fim_middle|>return a;<|endoftext|>x', 'return a;'],
  ['a suffix tag', 'return a;\n<suffix>}', 'return a;'],
  ['a closing suffix tag', 'return a;</suffix>', 'return a;'],
  ['the line before the cursor', 'function f(a: number) {\n  return a;', 'return a;'],
  [
    'the line before the cursor in a code fence',
    '```ts\nfunction f(a: number) {\n  return a;\n}\n```',
    'return a;',
  ],
  ['the closing line of the suffix', 'return a;\n}', 'return a;'],
  ['code after the function', 'return a;\n}\n\nfunction g() {}', 'return a;'],
  [
    'a nested block',
    'if (a) {\n    b();\n  }\n  return a;\n}',
    'if (a) {\n    b();\n  }\n  return a;',
  ],
  ['brackets in strings', "x('}');\n  y('{');\n}", "x('}');\n  y('{');"],
  ['brackets in comments', '// }\n  y();\n}', '// }\n  y();'],
  ['brackets in templates', 'x(`}\n}`);\n  y();\n}', 'x(`}\n}`);\n  y();'],
  ['a blank line after a statement', 'a();\n\n  b();', 'a();'],
  [
    'a blank line in a nested block',
    'if (a) {\n    b();\n\n    c();\n  }',
    'if (a) {\n    b();\n\n    c();\n  }',
  ],
  ['a repeated line', 'a();\n  a();\n  a();\n  a();\n  a();', 'a();\n  a();\n  a();'],
  ['trailing white space', 'a();  \n  b();   \n', 'a();\n  b();'],
  ['a lone surrogate', 'a("\ud83d', 'a("'],
  ['a surrogate pair', 'a("\ud83d\ude00")', 'a("\ud83d\ude00")'],
])('the answer reader extracts the completion from an answer with %s', (_, answer, expected) => {
  expect(readText(functionWithCursor, answer)).toBe(expected);
});

test.each([
  ['typescript', 'const total = |', 'sum(a);\nprint(total);', 'sum(a);'],
  ['typescript', 'const total = |', ' sum(a);', 'sum(a);'],
  ['typescript', 'const total = |', 'const total = sum(a);', 'sum(a);'],
  ['typescript', 'const total = |', 'Here is the code of the hole:\n\nsum(a);', 'sum(a);'],
  ['typescript', 'const total = su|', 'Here is the code of the hole:\n\nm(a);', 'm(a);'],
  ['typescript', 'const total = compu|', 'computeSum();', 'teSum();'],
  ['typescript', '  this.items.fi|', 'this.items.filter(Boolean)', 'lter(Boolean)'],
  ['typescript', 'foo(|)', 'a, b', 'a, b'],
  ['python', 'def f():\n    "|"', '""Returns one.""', '""Returns one.""'],
  ['typescript', 'if (a) {|', '\n  b();\n}\nc();', '\n  b();\n}'],
  [
    'typescript',
    'if (a) {|',
    '\n  b();\n} else {\n  c();\n}\nd();',
    '\n  b();\n} else {\n  c();\n}',
  ],
  ['typescript', 'if (a) {|', '  b();\n}', '\n  b();\n}'],
  ['typescript', 'if (a) {|', 'b();\n}', '\n  b();\n}'],
  ['typescript', 'if (a) {|', ' b(); }', ' b(); }'],
  ['typescript', 'if (a) {|\n}', '\n  b();\n}\nc();', '\n  b();'],
  ['typescript', 'if (a) {|}', '\n  b();\n}\nc();', '\n  b();\n}'],
  ['typescript', 'function f() {\n  if (a) {\n    |\n}\n', 'b();\n  }\n  c();\n}', 'b();\n  }'],
  [
    'typescript',
    '|',
    'function f() {\n  a();\n\n  b();\n}\nfunction g() {}',
    'function f() {\n  a();\n\n  b();\n}',
  ],
  ['typescript', 'a();\n|\nreturn done;', 'b();\nreturn done;\nc();', 'b();'],
  [
    'typescriptreact',
    'return (\n  <div>\n    |\n  </div>\n);',
    '<p>a</p>\n    <p>b</p>\n  </div>\n);',
    '<p>a</p>\n    <p>b</p>',
  ],
  [
    'typescriptreact',
    'return (\n  <div>\n    |\n);',
    '{a && <b>{a}</b>}\n  </div>\n);',
    '{a && <b>{a}</b>}\n  </div>',
  ],
  [
    'python',
    'def f(a):\n    |',
    'if a:\n        return 1\n    return 2\n\n\ndef g():\n    pass',
    'if a:\n        return 1\n    return 2',
  ],
  ['python', 'def f(a):|', '\n    return a\n\nprint(f(1))', '\n    return a'],
  ['python', 'def f(a):|', 'return a', '\n  return a'],
  [
    'python',
    'def f(a):|',
    '\n    if a:\n        b()\n    else:\n        c()\nd()',
    '\n    if a:\n        b()\n    else:\n        c()',
  ],
  [
    'python',
    'class A:\n    def f(self):\n        |\n\n    def g(self):',
    'x = {\n            "a": 1,\n        }\n        return x\n\n    def h(self):',
    'x = {\n            "a": 1,\n        }\n        return x',
  ],
  ['python', '|', 'def f():\n    a()\n\n    b()\n\ndef g():', 'def f():\n    a()\n\n    b()'],
  [
    'python',
    'def f():\n    """|',
    'This returns the sum of all.\n    """',
    'This returns the sum of all.',
  ],
  [
    'go',
    'func f() error {\n\t|\n}',
    'if err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n\nfunc g() {',
    'if err != nil {\n\t\treturn err\n\t}\n\treturn nil',
  ],
  [
    'rust',
    "fn f<'a>(x: &'a str) {\n    |\n}",
    "let y = '{';\n    g(x)\n}\n\nfn h() {}",
    "let y = '{';\n    g(x)",
  ],
  [
    'html',
    '<ul>\n  |\n</ul>',
    "<li>it's</li>\n  <li><br>b</li>\n</ul>\n<p>",
    "<li>it's</li>\n  <li><br>b</li>",
  ],
  ['html', '<ul>|', '\n  <li>a</li>\n</ul>\n<p>b</p>', '\n  <li>a</li>\n</ul>'],
  ['html', '<script>\n  |\n</script>', 'f({\n  });\n\n  g();', 'f({\n  });'],
  ['css', '.a {\n  |\n}', 'color: red;\n  margin: 0;\n}\n.b {}', 'color: red;\n  margin: 0;'],
  ['css', '.a {|', '\n  color: red;\n}\n\n.b {}', '\n  color: red;\n}'],
  [
    'markdown',
    '# Title\n\n|',
    'Here is the text: it is long.\nIt goes on.\n\nAnother.',
    'Here is the text: it is long.\nIt goes on.',
  ],
  ['markdown', '- |', '- first', 'first'],
  ['markdown', 'x\n\n|', '```ts\na();\n\nb();\n```\n\nmore', '```ts\na();\n\nb();\n```'],
  ['markdown', 'x\n\n|', '```markdown\nThe text.\n```', 'The text.'],
  [
    'json',
    '{\n  "a": 1,\n  |\n}',
    '"b": [\n    1\n  ],\n  "c": 2\n}\n',
    '"b": [\n    1\n  ],\n  "c": 2',
  ],
  ['json', '{\n  "a": |\n}', '"b",', '"b",'],
  [
    'yaml',
    'jobs:\n  test:\n    |\n  build:',
    'runs-on: x\n    steps:\n      - run: a\n  build:',
    'runs-on: x\n    steps:\n      - run: a',
  ],
  [
    'shellscript',
    'if [ -f a ]; then|',
    '\n  cat a\nelse\n  echo b\nfi\necho c',
    '\n  cat a\nelse\n  echo b\nfi',
  ],
  ['shellscript', 'for a in b; do\n  |\ndone', 'echo "$a"\ndone\n', 'echo "$a"'],
  ['makefile', 'build: a|', ' b c', ' b c'],
  ['makefile', 'build:|', '\n\tgo build\n\ntest:\n\tgo test', '\n\tgo build'],
  ['ruby', 'def f|', '\n  a\nend\n\ndef g', '\n  a\nend'],
  ['some-language', 'f {\n  |\n}', 'a\n}\n', 'a'],
])(
  'the answer reader in a %s document with the text %j extracts the completion from the answer %j',
  (languageId, text, answer, expected) => {
    expect(readText(text, answer, languageId)).toBe(expected);
  },
);

test.each([
  ['a complete line', 'const x = |', 'a;\n'],
  ['a closed code fence', functionWithCursor, '```\na();\n```'],
  ['a closing bracket', functionWithCursor, 'a();\n}'],
  ['a blank line', functionWithCursor, 'a();\n\n'],
  ['the next line of the document', 'a();\n|\nreturn done;', 'b();\nreturn done;\n'],
  ['an end token', functionWithCursor, 'a();<|endoftext|>'],
  [
    'too many lines',
    functionWithCursor,
    Array.from({ length: 30 }, (_, index) => `  a(${index});\n`).join(''),
  ],
  ['too many characters', functionWithCursor, '  aa\n    bb\n'.repeat(1_000)],
  ['an overlong line', functionWithCursor, 'x'.repeat(5_000)],
  ['too much prose', functionWithCursor, 'This is a sentence about the code.\n'.repeat(1_000)],
  ['too much reasoning', functionWithCursor, `<think>${'hm '.repeat(20_000)}`],
  ['too many blank lines', functionWithCursor, '\n'.repeat(30_000)],
])('the answer reader ends the completion after %s', (_, text, answer) => {
  expect(readAnswer(text, answer).isComplete).toBe(true);
});

const chunksArbitrary = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...[
        '```',
        '`',
        'ts\n',
        '\n',
        '\r\n',
        '\r',
        '  ',
        '\t',
        '}',
        '{',
        '(',
        ')',
        ';',
        '"',
        "'",
        '//',
        '/*',
        '*/',
      ],
      ...[
        '<think>',
        '</think>',
        '</suffix>',
        '<|fim_middle|>',
        '<',
        'Here is the code:\n',
        'This is prose.\n\n',
      ],
      ...[
        'function f(a: number) {\n',
        'return a',
        'else',
        'end',
        '</div>',
        '<div>',
        '#',
        '\ud83d',
        '\ude00',
        'a();\n  ',
      ],
    ),
    fc.string({ maxLength: 8 }),
  ),
  { maxLength: 30 },
);
const documentArbitrary = fc.constantFrom(
  ...([
    ['typescript', functionWithCursor],
    ['typescript', 'if (a) {|}'],
    ['typescriptreact', '<div>\n  |\n</div>'],
    ['python', 'def f(a):|'],
    ['python', 'def f(a):\n    |\n    return a'],
    ['html', '<ul>\n  |\n</ul>'],
    ['markdown', '# A\n\n|'],
    ['shellscript', 'if a; then\n  |\nfi'],
    ['makefile', 'a:\n\t|'],
    ['yaml', 'a:\n  |'],
    ['other', '|'],
  ] as const),
);

test('the answer reader only appends to the completion, and returns the same completion for all chunk sizes', () => {
  const scopeArbitrary = fc.constantFrom<CompletionScope>('line', 'block');
  const splitIndexesArbitrary = fc.array(fc.nat(200), { maxLength: 20 });
  fc.assert(
    fc.property(
      documentArbitrary,
      scopeArbitrary,
      chunksArbitrary,
      splitIndexesArbitrary,
      ([languageId, text], scope, chunks, splitIndexes) => {
        const answer = chunks.join('');
        const snapshot = createSnapshotOf(text, languageId);
        const referenceReader = createAnswerReader(snapshot, scope);
        referenceReader.push(answer);
        referenceReader.end();
        const reader = createAnswerReader(snapshot, scope);
        let shownText = '';
        let previousLength = 0;
        const chunkEnds = [...new Set(splitIndexes)].sort((a, b) => a - b);
        for (const [index, chunkEnd] of [...chunkEnds, answer.length].entries()) {
          const wasComplete = reader.isComplete;
          reader.push(
            answer.slice(chunkEnds[index - 1] ?? 0, Math.max(chunkEnd, chunkEnds[index - 1] ?? 0)),
          );
          expect(reader.text.startsWith(shownText)).toBe(true);
          expect(reader.wholeLinesLength).toBeGreaterThanOrEqual(previousLength);
          expect(reader.wholeLinesLength).toBeLessThanOrEqual(reader.text.length);
          expect(/[\uD800-\uDBFF]$|\r/.test(reader.text)).toBe(false);
          if (wasComplete) expect(reader.text).toBe(shownText);
          shownText = reader.text;
          previousLength = reader.wholeLinesLength;
        }
        reader.end();
        expect(reader.text.startsWith(shownText)).toBe(true);
        expect(reader.text).toBe(referenceReader.text);
        expect(reader.isComplete).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('the answer reader stops reading an answer at the length limits', () => {
  const reader = readAnswer(functionWithCursor, '\n \n'.repeat(400_000));
  expect(reader.isComplete).toBe(true);
  expect(readAnswer(functionWithCursor, 'a b '.repeat(250_000)).text.length).toBeLessThanOrEqual(
    answerLimits.characters,
  );
});

const hostileTexts = [
  ...[
    ' ',
    '\t',
    '\n',
    '\n ',
    '\r',
    '`',
    '```\n',
    '``` ',
    '<',
    '<think>',
    '</',
    '<a ',
    '[',
    '{',
    '}',
    '(',
    '"',
    "'",
  ],
  ...[
    '//',
    '/*',
    '#',
    'a',
    'Aa ',
    'Here is ',
    'It is so. ',
    'It is so.\n',
    'a:\n',
    '\ud83d',
    '\\',
    '=',
    'function f() {\n  ',
  ],
];
const languages = ['typescriptreact', 'python', 'html', 'markdown', 'makefile', 'ruby'];

test.each(hostileTexts)(
  'the answer reader stops reading repetitions of %j at the limit',
  (repeatedText) => {
    for (const languageId of languages) {
      const reader = createAnswerReader(createSnapshotOf(functionWithCursor, languageId), 'block');
      let receivedLength = 0;
      while (!reader.isComplete && receivedLength <= 2 * answerLimits.raw) {
        reader.push(repeatedText);
        receivedLength += repeatedText.length;
      }
      expect(receivedLength).toBeLessThanOrEqual(answerLimits.raw + repeatedText.length);
    }
  },
);

test.each(hostileTexts)(
  'the answer reader reads repetitions of %j in linear time',
  (repeatedText) => {
    for (const languageId of ['typescriptreact', 'markdown']) {
      measureFastestRun(repeatedText, languageId, 20_000);
      const shortRunTime = measureFastestRun(repeatedText, languageId, 5_000);
      // An input of four times the length takes four times as long in linear time, and 16 times as long in quadratic
      // time. The limit of 10 times allows for noise.
      expect(measureFastestRun(repeatedText, languageId, 20_000)).toBeLessThan(
        10 * Math.max(shortRunTime, 4_000),
      );
    }
  },
);

/** Returns the shortest CPU time of several measurements, in microseconds. */
function measureFastestRun(repeatedText: string, languageId: string, length: number): number {
  const answer = repeatedText.repeat(length / repeatedText.length);
  const snapshot = createSnapshotOf(functionWithCursor, languageId);
  const runTimes = Array.from({ length: 4 }, () => {
    const reader = createAnswerReader(snapshot, 'block');
    const startUsage = process.threadCpuUsage();
    reader.push(answer);
    reader.end();
    const { user, system } = process.threadCpuUsage(startUsage);
    return user + system;
  });
  return Math.min(...runTimes);
}

test.each([
  ['only prose', functionWithCursor, 'I cannot complete this code without more context.', 'prose'],
  [
    'only prose around a code fence',
    functionWithCursor,
    'Here it is:\n\n```\n```\n\nThis is the code.',
    'prose',
  ],
  ['only the text before the cursor', 'const total = |', 'const total =', 'echo'],
  ['only the lines before the cursor', functionWithCursor, 'function f(a: number) {\n  ', 'echo'],
  [
    'an echo and prose',
    functionWithCursor,
    'function f(a: number) {\n  \n\nThis is the code.',
    'echo',
  ],
  ['only the bracket after the cursor', functionWithCursor, '}\n', 'repeats-suffix'],
])(
  'the answer reader reports the filter that removed the whole answer: %s',
  (_, text, answer, filterName) => {
    const reader = readAnswer(text, answer);
    reader.end();
    expect(reader.text === '' ? reader.removedBy : undefined).toBe(filterName);
  },
);

test.each([
  ['no text', functionWithCursor, ''],
  ['only white space', functionWithCursor, ' \n\n'],
  ['an empty code fence', functionWithCursor, '```\n\n```'],
  ['only reasoning', functionWithCursor, '<think>\nreturn a;\n</think>\n'],
  ['prose and code', functionWithCursor, 'Here it is:\n\nreturn a;'],
  ['code and a bracket', functionWithCursor, 'return a;\n}\n'],
])('the answer reader reports no filter for an answer with %s', (_, text, answer) => {
  const reader = readAnswer(text, answer);
  reader.end();
  expect(reader.text === '' ? reader.removedBy : undefined).toBeUndefined();
});

test.each([
  [
    'const b = |',
    'high();\n  low();\n  mean();\n\nother();',
    'high();',
    'high();\n  low();\n  mean();',
  ],
  ['if (b) |', '{\n    low();\n  }\n}\nother();', '{', '{\n    low();\n  }'],
  ['a();|', '\n  b();\n  c();\n}', '\n  b();', '\n  b();\n  c();'],
])(
  'an answer reader reads ahead from the requested line %j to the end of the block',
  (line, answer, firstSuggestion, text) => {
    const snapshot = createSnapshotOf(`function f() {\n  ${line}\n}\n`);
    const reader = createAnswerReader(snapshot, 'line', { maxLinesAhead: 6 });
    reader.push(answer);
    reader.end();
    expect(reader.text.slice(0, reader.firstSuggestionLength)).toBe(firstSuggestion);
    expect(reader.text).toBe(text);
  },
);

test('an answer reader stops after it has read the maximum number of lines ahead', () => {
  const reader = createAnswerReader(createSnapshotOf('f() {\n  a = |\n}\n'), 'line', {
    maxLinesAhead: 2,
  });
  reader.push('1;\n  b = 2;\n  c = 3;\n  d = 4;\n');
  expect(reader.isComplete).toBe(true);
  expect(reader.text).toBe('1;\n  b = 2;\n  c = 3;');
});
