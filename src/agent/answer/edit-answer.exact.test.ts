import { describe, expect, test } from 'vitest';
import { applyBlock } from './apply-block.ts';
import { readOfferedAnswer } from './offered-answer.fixture.ts';

interface Edit {
  readonly language: string;
  readonly original: string;
  readonly answer: string;
  readonly before?: string;
  readonly after?: string;
  readonly path?: string;
  readonly usesTabs?: boolean;
  readonly instruction?: string;
}

const toLines = (text = ''): readonly string[] => (text === '' ? [] : text.split('\n'));

/** Returns the replacement lines for an edit as text, or the reason of the refusal in brackets. */
function readAnswerLines({
  language,
  original,
  answer,
  before,
  after,
  path,
  usesTabs,
  instruction,
}: Edit) {
  const result = readOfferedAnswer(answer, {
    language,
    original: original.split('\n'),
    before: toLines(before),
    after: toLines(after),
    usesTabs: usesTabs ?? false,
    tabSize: 4,
    instruction: instruction ?? 'Rewrite the selection.',
    ...(path === undefined ? {} : { path }),
  });
  return result.kind === 'lines' ? result.lines.join('\n') : `(${result.reason})`;
}

const encloseInFence = (code: string, info = ''): string => `\`\`\`${info}\n${code}\n\`\`\``;

describe('readEditAnswer keeps', () => {
  const cases: Readonly<Record<string, readonly [expected: string, edit: Edit]>> = {
    'single blank lines between the new lines if the original also has one of these blank lines': [
      '  hosts: ["a.example"]\n\n  """)\n\n  reply(conn)',
      {
        language: 'elixir',
        before: 'connect(',
        original: '  hosts: ["a.example"]\n\n  """\n  reply(conn)',
        after: '  |> send()',
        answer: '  hosts: ["a.example"]\n\n  """)\n\n  reply(conn)',
      },
    ],
    'the indentation in a new blank line': [
      'def f():\n    a()\n    \n    b()',
      {
        language: 'python',
        original: 'def f():\n    a()',
        answer: 'def f():\n    a()\n    \n    b()',
      },
    ],
    'a quotation mark before each line if the original lines also have one': [
      '    > set MODE=test\n    > set PORT=80',
      {
        language: 'restructuredtext',
        before: 'On Windows::\n',
        original: "    >set MODE='test'\n    >set PORT=80",
        answer: '> set MODE=test\n> set PORT=80',
      },
    ],
  };
  test.each(Object.entries(cases))('%s', (_, [expected, edit]) => {
    expect(readAnswerLines(edit)).toBe(expected);
  });
});

describe('readEditAnswer removes text around the new lines', () => {
  const listText = '3. Import `net`.\n\n    ```go\n    import "net"\n    ```\n\n4. Run it.';
  const fencedListText = '3. Import `net`.\n\n```go\nimport "net"\n```\n\n4. Run it.';
  const cases: Readonly<Record<string, readonly [expected: string, edit: Edit]>> = {
    'a fence around Markdown that changes only the indentation of its code block': [
      fencedListText,
      {
        language: 'markdown',
        before: '2. Install it.\n',
        original: listText,
        answer: encloseInFence(fencedListText, 'markdown'),
      },
    ],
    'a fence around Markdown that changes only spaces at the end of a line': [
      '1. Call `a`.\n2. Call `b`.',
      {
        language: 'markdown',
        original: '1. Call `a`.\n2. Call `b`. ',
        answer: encloseInFence('1. Call `a`.\n2. Call `b`.'),
      },
    ],
    'a closing bracket before the selection': [
      '    const value = read(pair);\n    target = value;',
      {
        language: 'java',
        before: '      pair = null;\n    }',
        original:
          '    if (json != null) {\n      value = pair.first();\n      target = value;\n    }',
        after: '\n    return target;',
        answer: encloseInFence('    }\n    const value = read(pair);\n    target = value;', 'java'),
      },
    ],
    'a comment with a path that contains a dollar sign': [
      '  int b = 1;\n  int c = 2;',
      {
        language: 'java',
        path: 'src/$Bread$Types.java',
        original: '  int a = 1;\n  int c = 2;',
        answer: '// src/$Bread$Types.java\n  int b = 1;\n  int c = 2;',
      },
    ],
    'a path in the comment syntax of the language': [
      'call npm test || exit /b 1\ncall npm run build',
      {
        language: 'bat',
        path: 'tools/build.bat',
        original: 'call npm test\ncall npm run build',
        answer: 'REM build.bat\ncall npm test || exit /b 1\ncall npm run build',
      },
    ],
    'no-break spaces in the indentation': [
      "    ' ' => skip(),\n    '(' => open(),",
      {
        language: 'rust',
        instruction: 'Skip each space',
        original: "    ' ' => next(),\n    '(' => open(),",
        answer: "\u{A0}\u{A0}\u{A0}\u{A0}' ' => skip(),\n\u{A0}\u{A0}\u{A0}\u{A0}'(' => open(),",
      },
    ],
    'escapes of quotation marks in a line with escapes of its own': [
      String.raw`  const set = trim(text, " \n\r");`,
      {
        language: 'php',
        original: String.raw`  const set = trim(text, " \n\r\"");`,
        answer: String.raw`  const set = trim(text, \" \\n\\r\");`,
      },
    ],
  };
  test.each(Object.entries(cases))('%s', (_, [expected, edit]) => {
    expect(readAnswerLines(edit)).toBe(expected);
  });
});

describe('readEditAnswer, given an answer that repeats lines of the context,', () => {
  const before = 'class Oven {\n  bake() {\n    if (this.isCold) {\n      this.wait();\n    }';
  const after = '    this.open();\n  }\n}';
  test('adds to the new lines the indentation that the repeated lines lack', () => {
    const answer = 'if (this.isCold) {\n  this.wait();\n}\nclose();\nreturn x;\nthis.open();';
    const expected = '    close();\n    return x;';
    const edit = { language: 'typescript', before, original: '    this.close();', after, answer };
    expect(readAnswerLines(edit)).toBe(expected);
  });

  test('does not return a first new line with less indentation than the original line', () => {
    const answer = '  this.wait();\n    this.open();\n  }';
    const edit = { language: 'typescript', before, original: '    this.close();', after, answer };
    expect(readAnswerLines(edit)).not.toBe('  this.wait();');
  });

  test('removes the blank lines of the selection if the answer omits them', () => {
    const answer = '      this.wait();\n    }\n    close();\n    this.open();';
    const original = '\n    this.close();\n';
    const edit = { language: 'typescript', before, original, after, answer };
    expect(readAnswerLines(edit)).toBe('    close();');
  });
});

describe('readEditAnswer indents new lines like the document even if a repeated line already has the indentation of the document', () => {
  const functionContext = { language: 'typescript', before: 'function f() {', after: '}' };
  const cases: Readonly<Record<string, readonly [expected: string, edit: Edit]>> = {
    'and the new lines have tabs instead of spaces': [
      '    const a = 1;\n    return a;',
      {
        ...functionContext,
        original: '    const x = 1;\n    return x;',
        answer: 'function f() {\n\tconst a = 1;\n\treturn a;\n}',
      },
    ],
    'and the new lines have spaces instead of tabs': [
      '\tconst a = 1;\n\treturn a;',
      {
        ...functionContext,
        usesTabs: true,
        original: '\tconst x = 1;\n\treturn x;',
        answer: '    const a = 1;\n    return a;\n}',
      },
    ],
    'and the new lines have no indentation': [
      '    const a = 1;\n    return a;',
      {
        ...functionContext,
        original: '    const x = 1;\n    return x;',
        answer: 'const a = 1;\nreturn a;\n}',
      },
    ],
    'and the new lines and a deeper repeated line have tabs': [
      '        const a = 1;\n        return a;',
      {
        ...functionContext,
        before: 'class C {\n    f() {\n        run();',
        after: '    }\n}',
        original: '        const x = 1;\n        return x;',
        answer: '\tf() {\n\t\trun();\n\t\tconst a = 1;\n\t\treturn a;\n\t}',
      },
    ],
    'except for the lines of a template literal': [
      '    const s = `\nhello a\n`;',
      {
        ...functionContext,
        before: 'function f() {\n    run();',
        original: '    const s = `\nhello x\n`;',
        after: '    end();\n}',
        answer: 'run();\nconst s = `\nhello a\n`;\nend();',
      },
    ],
  };
  test.each(Object.entries(cases))('%s', (_, [expected, edit]) => {
    expect(readAnswerLines({ ...edit, answer: encloseInFence(edit.answer) })).toBe(expected);
  });
});

describe('readEditAnswer returns the lines of a code block without a closing fence', () => {
  test.each([
    ['python', 'x = 1\nz = x + 1', 'y = 1\nz = y + 1'],
    ['yaml', 'a: x', 'a: y'],
    ['typescript', 'const x = 1', 'const y = 1'],
    ['ruby', 'puts x', 'puts y'],
    ['shellscript', 'run "$x"', 'run "$y" --all'],
  ])('in %s even if no punctuation ends the last line', (language, original, expectedText) => {
    expect(readAnswerLines({ language, original, answer: `\`\`\`\n${expectedText}\n` })).toBe(
      expectedText,
    );
  });
});

test.each([
  ['explain what this file is', '// Shared helpers'],
  ['Kommentar ergänzen', '// Die Helfer'],
])(
  'readEditAnswer returns a new comment at the start of a file for the request "%s"',
  (instruction, comment) => {
    const edit = { language: 'typescript', original: 'const x = 1;', after: 'end();', instruction };
    const lines = `${comment}\nconst x = 1;`;
    expect(readAnswerLines({ ...edit, answer: encloseInFence(`${lines}\nend();`) })).toBe(lines);
  },
);

describe('blank lines around the new lines in a fence', () => {
  const readFencedAnswer = (original: string, code: string, instruction?: string): string =>
    readAnswerLines({
      language: 'python',
      before: 'import a',
      after: 'run()',
      original,
      answer: encloseInFence(code, 'python'),
      ...(instruction === undefined ? {} : { instruction }),
    });

  test('replace the blank lines of the selection if the fence and the selection both have blank lines', () => {
    expect(readFencedAnswer('a = 1\n\n\n', 'a = 2\n')).toBe('a = 2\n');
    expect(readFencedAnswer('   \na = 1', '\na = 2')).toBe('\na = 2');
  });

  test('are copied from the selection if the fence has no blank lines', () => {
    expect(readFencedAnswer('\na = 1\n\n', 'a = 2')).toBe('\na = 2\n\n');
  });

  test('are removed if the selection has no blank lines, unless the user requests blank lines', () => {
    expect(readFencedAnswer('a = 1', '\na = 2\n')).toBe('a = 2');
    expect(readFencedAnswer('a = 1', 'a = 2\n')).toBe('a = 2');
    expect(readFencedAnswer('a = 1', 'a = 2\n', 'Add a blank line after it')).toBe('a = 2\n');
  });

  test('are reduced to the blank lines of the selection if the fence has more on both sides', () => {
    expect(readFencedAnswer('\na = 1\n', '\n\na = 2\n\n')).toBe('\na = 2\n');
  });
});

describe('readEditAnswer refuses', () => {
  const cases: Readonly<Record<string, Edit>> = {
    'two options of which one differs from the selection only in white space': {
      language: 'javascript',
      original: '  run({  \n    a: 1 });',
      answer: `**Option 1**\n\n${encloseInFence('  run({\n    a: 1 });', 'js')}\n\n**Option 2**\n\n${encloseInFence('  run({\n    a: 1 });\n  stop();', 'js')}`,
    },
    'a short answer that repeats itself': {
      language: 'yaml',
      original: '  - "8.11"',
      answer: '  - "8.12"\n  - "8.12"',
    },
    'a paragraph in backticks that contains names in backticks': {
      language: 'markdown',
      original: 'This adds the page `oven`.',
      answer: '`This adds the new page `oven` to `menu`.`',
    },
    'a list item in backticks': {
      language: 'markdown',
      original: '- `4.5` releases',
      answer: '`- `4.5` and `4.6` releases`',
    },
    'three dots in place of the last entries of a list': {
      language: 'python',
      original: "options = {\n    'a': 1,\n    'b': 2,\n    'c': 3,\n}",
      answer: encloseInFence("options = {\n    'a': 2,\n...", 'python'),
    },
    'the name of the document in brackets before its text': {
      language: 'plaintext',
      path: 'LICENSE.txt',
      original: 'License\nAll rights reserved.',
      answer: '[LICENSE.txt]\nNew License\nAll rights reserved.',
    },
    'HTML escapes in code that is enclosed in HTML tags': {
      language: 'markdown',
      original: 'open("/a?b=1&c=2")',
      answer: '<pre><code class="language-js">open("/a?b=2&amp;c=2")\n</code></pre>',
    },
    'HTML escapes without which the answer changes nothing': {
      language: 'markdown',
      before: '## 5.3',
      original: '- Make `Set` public\n- Export Map<K>',
      after: '\n## 5.2',
      answer: '## 5.3\n- Make `Set` public\n- Export Map&lt;K&gt;\n\n## 5.2',
    },
    'a new first line before the first lines of the document': {
      language: 'yaml',
      before: '---',
      original: 'name: oven\nversion: 1.0',
      after: 'type: tool',
      answer: encloseInFence('# Copyright\n---\nname: oven\nversion: 1.1\ntype: tool', 'yaml'),
    },
    'an unpaired fence between two blocks of Markdown': {
      language: 'restructuredtext',
      original: 'Bakers\n``````\n\n- Ann',
      answer: `${encloseInFence('All bakers\n``````````\n\n- Ann', 'rst')}\n\nFinal:\n\n${encloseInFence('All bakers\n``````````\n\n- Ann', 'rst')}`,
    },
    'a closing fence after an indented code block that lost its indentation': {
      language: 'markdown',
      before: 'Example:\n',
      original: "    get '/' do\n      render :index\n    end",
      after: '\nThis renders the page.',
      answer: "get '/' do\n  render :index\nend\n```",
    },
    'an escaped line break after a first line with more indentation': {
      language: 'markdown',
      original: '  Example: `cut`\n\n  Rules:',
      answer: '      Example: `cut`\\n\\n  Further rules:\\n\\n    cut(1)',
    },
    'a last line that differs from the next line of the document only in indentation': {
      language: 'ruby',
      before: 'class Car',
      original: '    def start; engine.start; end',
      after: '  end',
      answer: 'def start\n  engine.start\nend',
    },
    'bars and line numbers before the rows of a table': {
      language: 'markdown',
      original: '| Name | Size |\n| --- | --- |\n| Stove | Big |',
      answer: ' 21 | | Name |  Size |\n 22 | | ---- | ----- |\n 23 | | Oven |   Big |',
    },
    'no-break spaces in the indentation, although the document contains an HTML space': {
      language: 'markdown',
      original: '   </b>\n<p>&nbsp;</p',
      answer: '\u{A0}\u{A0}\u{A0}</b>\n<p>&nbsp;</p>',
    },
    'a code block with a remark that the rest of the selection does not change': {
      language: 'python',
      original: 'def pay(amount):\n    check(amount)\n    return amount',
      answer: `Only this part changes:\n\n${encloseInFence('def pay(amount: int) -> int:\n    check(amount)', 'python')}\n\nEverything else in the selection stays the same.`,
    },
    'an unclosed code block that ends inside a line': {
      language: 'typescript',
      original: 'open();\nclose();',
      answer: 'Here is the code:\n\n```ts\nopen();\nwait();\nclo',
    },
    'an unclosed code block that ends in a string': {
      language: 'python',
      original: 'name = "a"\nrun(name)',
      answer: '```python\nname = "b"\nprint("st',
    },
    'an unclosed code block that lacks the last semicolon of the selection': {
      language: 'typescript',
      original: 'open();\nclose();',
      answer: '```ts\nopen();\nconst size = 10',
    },
    'repeated lines and new lines with two spaces in a document that indents with four': {
      language: 'python',
      before: 'def f():',
      original: '    x = 1\n    return x',
      after: '\nrun()',
      answer: encloseInFence('def f():\n  a = 1\n  return a', 'python'),
    },
    'an unclosed code block that ends in the indentation of a line': {
      language: 'vue',
      original: '    <ul>\n      <li>a</li>\n    </ul>',
      answer: 'Here it is:\n\n```vue\n    <ul v-if="a">\n      <li>a</li>\n    ',
    },
    'dots between two lines in a language without such a statement': {
      language: 'sql',
      original: 'WHERE a IS NULL\nGROUP BY 1',
      answer: 'WHERE a IS NULL\n...\nGROUP BY 1',
    },
    'dots with less indentation than the lines around them': {
      language: 'python',
      original: '    >>> area(1)\n    1',
      answer: '    >>> area(1)\n...\n    2',
    },
    'XML with the new lines in a CDATA section': {
      language: 'html',
      original: '<p>old</p>',
      answer: '<change><new><![CDATA[<p>new</p>]]></new></change>',
    },
    'XML tags around the old and the new lines': {
      language: 'xml',
      original: '<p>old</p>',
      answer: '<edit>\n<search>\n<p>old</p>\n</search>\n<replace>\n<p>new</p>\n</replace>\n</edit>',
    },
    'two options without fences': {
      language: 'scss',
      original: '  }\n}',
      answer: 'Option 1:\n  }\n  b {}\n}\n\nOption 2:\n  }\n}\nb {}',
    },
    'old and new lines in the tags of the request': {
      language: 'scss',
      original: '  }\n}',
      answer: '<lines>\n  }\n}\n</lines>\n\nbecomes\n\n<lines>\n  }\n  b {}\n}\n</lines>',
    },
    'spaces before the tabs of all lines': {
      language: 'go',
      usesTabs: true,
      original: '\tif a {\n\t\treturn b\n\t}',
      answer: encloseInFence('    \tif a {\n    \t\treturn c\n    \t}', 'go'),
    },
    'a list of lines in JSON for a document with braces': {
      language: 'lua',
      original: '{ "a", 1 },\n}',
      answer: encloseInFence('{\n  "lines": [\n    "{ \\"a\\", 2 },",\n    "}"\n  ]\n}', 'json'),
    },
    'a quotation as an insertion into code': {
      language: 'typescript',
      original: '',
      answer: '> export function bake(): void {\n>   open();\n> }',
    },
    'two code blocks of which the second contains the selection': {
      language: 'haskell',
      original: 'mean xs = total / n\n  where total = sum xs',
      answer: `First:\n\n${encloseInFence('mean [] = 0', 'haskell')}\n\nThen:\n\n${encloseInFence('mean xs = total / n\n  where total = sum xs', 'haskell')}`,
    },
    'the instruction in a comment': {
      language: 'python',
      instruction: 'Add type hints',
      original: 'def f(a):\n    # Note: a is positive.\n    return a',
      answer:
        '# Instruction: Add type hints\ndef f(a: int) -> int:\n    # Note: a is positive.\n    return a',
    },
    'a long fence of another language around Markdown with code blocks': {
      language: 'markdown',
      original: 'Send it:\n\n```http\nPOST /a\n```',
      answer:
        '````javascript\nSend it:\n\n```http\nPOST /a\n```\n\nDelete it:\n\n```http\nDELETE /a\n```\n````',
    },
    'conflict marks in a document with a diff': {
      language: 'diff',
      original: '-#define A 1\n+#define A 2',
      answer:
        '<<<<<<< SEARCH\n-#define A 1\n+#define A 2\n=======\n-#define A 1\n+#define A 3\n>>>>>>> REPLACE',
    },
    'escaped tags of PHP': {
      language: 'php',
      instruction: 'Escape the name',
      original: '    Hello <?= $name ?>!',
      answer: encloseInFence('    Hello &lt;?= escape($name) ?&gt;!', 'php'),
    },
    'lines that lost their tabs and could be aligned with spaces': {
      language: 'c',
      usesTabs: true,
      before: '\tcheck(a,\n\t      b);',
      original: '\tchar *html = render(doc);\n\tcheck(html,\n\t       "html");',
      answer: encloseInFence('html = render(doc);\ncheck(html,\n       "html");', 'c'),
    },
    'repeated lines after the selection that, like the new lines, lack a part of the indentation': {
      language: 'python',
      before: 'def load(path):\n    if path:\n        if check:\n            verify(path)\n',
      original: '            if is_file(path):\n                read(path)',
      after: '        else:\n            fail(path)\n\n        close(path)',
      answer:
        '        prepare(path)\n        if is_file(path):\n            read(path)\n    else:\n        fail(path)\n\n    close(path)',
    },
    'lines of which only the first lacks indentation': {
      language: 'yaml',
      before: '      run: |\n          npm ci',
      original: '          npm test\n          npm run build',
      after: '      - name: Next',
      answer: 'npm run lint\n      - name: Build\n        run: npm run build',
    },
  };
  test.each(Object.entries(cases))('%s', (_, edit) => {
    expect(readAnswerLines(edit)).toMatch(
      /^\((?:unclear|several-blocks|elision|outside|prose)\)$/u,
    );
  });
});

test('a unified diff changes only its marked lines, even if its context contains HTML tags', () => {
  const fileText = '.\n    a→b\n.\n<pre><code>a  b\n</code></pre>\n.\n';
  const diff =
    '--- a/spec.txt\n+++ b/spec.txt\n@@ -1,5 +1,5 @@\n .\n-    a→b\n+    c→d\n .\n <pre><code>a  b\n </code></pre>';
  expect(
    readAnswerLines({
      language: 'plaintext',
      before: '.',
      original: '    a→b',
      after: '.\n<pre><code>a  b\n</code></pre>\n.',
      answer: diff,
    }),
  ).toBe('    c→d');
  const block = { code: diff, info: 'diff', lineBefore: '' };
  expect(applyBlock(fileText, block, 'spec.txt')).toMatchObject({
    text: fileText.replace('a→b', 'c→d'),
  });
});
