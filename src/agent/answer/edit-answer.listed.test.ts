import { expect, test } from 'vitest';
import { readOfferedAnswer } from './offered-answer.fixture.ts';
import { readCommitMessage } from './commit-message.ts';

interface AnswerContext {
  readonly before?: string;
  readonly after?: string;
  readonly instruction?: string;
}

/**
 * Language id, original lines, answer, and expected replacement lines. The expected lines are undefined if the answer
 * contains no replacement lines.
 */
type AnswerCase = readonly [
  language: string,
  original: string,
  answer: string,
  expectedText: string | undefined,
  context?: AnswerContext,
];

const answerCases: readonly AnswerCase[] = [
  [
    'typescript',
    "const tag = '<think>';\nconst end = 1;",
    "<think>The user wants 2.</think>\nconst tag = '<think>';\nconst end = 2;",
    "const tag = '<think>';\nconst end = 2;",
  ],
  [
    'xml',
    '<prompt>\n  <think>a</think>\n</prompt>',
    '<think>I should change a to b.</think>\n<prompt>\n  <think>b</think>\n</prompt>',
    '<prompt>\n  <think>b</think>\n</prompt>',
  ],
  [
    'xml',
    '<think>a</think>\n<say>b</say>',
    '<think>c</think>\n<say>b</say>',
    '<think>c</think>\n<say>b</say>',
  ],
  [
    'xml',
    '<say>b</say>',
    '<think>c</think>\n<say>b</say>',
    '<think>c</think>\n<say>b</say>',
    { instruction: 'Add a think element before it' },
  ],
  [
    'xml',
    '<doc>\n  <item/>\n</doc>',
    '<analysis>\n  <item/>\n</analysis>\n<doc/>',
    '<analysis>\n  <item/>\n</analysis>\n<doc/>',
  ],
  [
    'markdown',
    'Models reason.\n\nThen they answer.',
    'Models reason:\n\n<think>\nLet me see.\n</think>\n\nThen they answer.',
    'Models reason:\n\n<think>\nLet me see.\n</think>\n\nThen they answer.',
    { instruction: 'Show an example' },
  ],
  [
    'markdown',
    '- apples\n- pears\n- plums',
    '1. apples\n2. pears\n3. plums',
    '1. apples\n2. pears\n3. plums',
  ],
  [
    'plaintext',
    'apples\npears\nplums',
    '1. apples\n2. pears\n3. plums',
    '1. apples\n2. pears\n3. plums',
    { instruction: 'number the lines' },
  ],
  [
    'plaintext',
    'apples\npears\nplums',
    '1 apples\n2 pears\n3 plums',
    '1 apples\n2 pears\n3 plums',
    { instruction: 'number the lines' },
  ],
  [
    'plaintext',
    'apples\npears\nplums',
    '1: apples\n2: pears\n3: plums',
    '1: apples\n2: pears\n3: plums',
    { instruction: 'number the lines' },
  ],
  [
    'yaml',
    'ports:\n  a: x\n  b: y',
    '1: x\n2: y',
    '1: x\n2: y',
    { instruction: 'use numbers as keys' },
  ],
  [
    'basic',
    'PRINT "A"\nGOTO 10',
    '10 PRINT "A"\n20 GOTO 10',
    '10 PRINT "A"\n20 GOTO 10',
    { instruction: 'add line numbers' },
  ],
  [
    'typescript',
    'const a = 1;\nconst b = 2;\nconst c = 3;',
    '12 | const a = 1;\n13 | const b = 3;\n14 | const c = 3;',
    'const a = 1;\nconst b = 3;\nconst c = 3;',
  ],
  [
    'typescript',
    'const a = 1;\nconst b = 2;\nconst c = 3;',
    '12\tconst a = 1;\n13\tconst b = 3;\n14\tconst c = 3;',
    'const a = 1;\nconst b = 3;\nconst c = 3;',
  ],
  [
    'csv',
    'name,size\nmoon,3\nsun,4',
    '1,name,size\n2,moon,3\n3,sun,4',
    '1,name,size\n2,moon,3\n3,sun,4',
    { instruction: 'add an id column' },
  ],
  [
    'tsv',
    'name\tsize\nmoon\t3',
    '1\tname\tsize\n2\tmoon\t3',
    '1\tname\tsize\n2\tmoon\t3',
    { instruction: 'add an id column' },
  ],
  [
    'html',
    '<p>Hi</p>',
    "Here's the updated code:\n\n```html\n<p>Hello</p>\n```\n\nI changed the greeting.",
    '<p>Hello</p>',
  ],
  ['html', '<p>Old</p>', 'Okay, the user wants New.\n</think>\n<p>New</p>', '<p>New</p>'],
  [
    'html',
    '<pre>\n```js\na()\n```\n</pre>',
    '<pre>\n```js\nb()\n```\n</pre>',
    '<pre>\n```js\nb()\n```\n</pre>',
  ],
  [
    'latex',
    '\\section{A}\nText one.',
    "Sure! Here is the revised LaTeX:\n\n\\section{A}\nText two.\n\nLet me know if you'd like more changes.",
    '\\section{A}\nText two.',
  ],
  [
    'markdown',
    'The moon is far.',
    'The moon is 384,400 km away.\n\nI made the distance exact.',
    'The moon is 384,400 km away.',
  ],
  [
    'markdown',
    'The moon is far.',
    "Here's the updated paragraph:\n\nThe moon is 384,400 km away.",
    'The moon is 384,400 km away.',
  ],
  ['markdown', "Here's how to start:", "Here's how you start:", "Here's how you start:"],
  [
    'markdown',
    '# Setup\n\nRun it.',
    '# Setup\n\nRun it:\n\n```sh\nnpm start\n```\n\nLet me know if it fails.',
    '# Setup\n\nRun it:\n\n```sh\nnpm start\n```\n\nLet me know if it fails.',
  ],
  [
    'python',
    'def f(x):\n    """Doc."""\n    return x',
    'def f(x):\n    """Doc.\n\n    ```\n    f(1)\n    ```\n    """\n    return x',
    'def f(x):\n    """Doc.\n\n    ```\n    f(1)\n    ```\n    """\n    return x',
  ],
  [
    'python',
    'def f(x):\n    return x',
    '```python\ndef f(x):\n    """Doc.\n\n    ```\n    f(1)\n    ```\n    """\n    return x\n```',
    'def f(x):\n    """Doc.\n\n    ```\n    f(1)\n    ```\n    """\n    return x',
  ],
  [
    'typescript',
    'const s = `a`;\nrun(s);',
    '```ts\nconst s = `\n```\na\n```\n`;\nrun(s);\n```',
    'const s = `\n```\na\n```\n`;\nrun(s);',
  ],
  [
    'typescript',
    'export const add = (a, b) => a + b;',
    '// Here is the sum of two numbers.\nexport const add = (a, b) => a + b;',
    '// Here is the sum of two numbers.\nexport const add = (a, b) => a + b;',
  ],
  [
    'python',
    '# This function adds.\ndef f(): pass',
    '# I changed this to add.\ndef f(): pass',
    '# I changed this to add.\ndef f(): pass',
  ],
  [
    'css',
    '.a { color: red; }',
    'Voici le code mis à jour :\n\n.a { color: blue; }',
    '.a { color: blue; }',
  ],
  [
    'css',
    '.a { color: red; }',
    'Hier ist der aktualisierte Code:\n```css\n.a { color: blue; }\n```\nDie Farbe ist jetzt blau.',
    '.a { color: blue; }',
  ],
  [
    'sql',
    'SELECT a FROM t;',
    '以下是更新后的代码：\n\n```sql\nSELECT b FROM t;\n```',
    'SELECT b FROM t;',
  ],
  [
    'sql',
    'SELECT a FROM t;',
    '更新後のコードは次のとおりです。\n\nSELECT b FROM t;',
    'SELECT b FROM t;',
  ],
  ['json', '{ "a": 1 }', 'Here is the JSON:\n{ "a": 2 }', '{ "a": 2 }'],
  [
    'restructuredtext',
    'Title\n=====\n\nText.',
    'Title\n=====\n\nBetter text.\n\nI improved the wording.',
    'Title\n=====\n\nBetter text.',
  ],
  [
    'go',
    'func f() int {\n\treturn 1\n}',
    'Sure:\n\n```go\nfunc f() int {\n\treturn 2\n}\n```\n\n**Changes:**\n- returns 2',
    'func f() int {\n\treturn 2\n}',
  ],
  [
    'typescript',
    'if (a) {\n  b();\n}',
    'Certainly! Below is the new version.\n\nif (a && c) {\n  b();\n}\n\nThis checks `c` as well.',
    'if (a && c) {\n  b();\n}',
  ],
  ['typescript', 'const x = 1;', '```typescript const x = 2; ```', 'const x = 2;'],
  [
    'typescript',
    'const x = 1;',
    'Original:\n```ts\nconst x = 1;\n```\nUpdated:\n```ts\nconst x = 2;\n```',
    'const x = 2;',
  ],
  [
    'typescript',
    'const x = 1;',
    'Option 1:\n```ts\nconst x = 2;\n```\nOption 2:\n```ts\nlet x = 2;\n```',
    undefined,
  ],
  [
    'typescript',
    'const x = 1;\nconst y = 2;',
    '-const x = 1;\n+const x = 2;\n const y = 2;',
    'const x = 2;\nconst y = 2;',
  ],
  [
    'typescript',
    'const x = 1;\nconst y = 2;',
    '```diff\n-const x = 1;\n+const x = 2;\n```',
    'const x = 2;\nconst y = 2;',
  ],
  [
    'typescript',
    'const x = 1;\nconst y = 2;',
    '@@ -1,2 +1,2 @@\n-const x = 1;\n+const x = 2;\n const y = 2;',
    'const x = 2;\nconst y = 2;',
  ],
  [
    'typescript',
    'b();',
    'import x;\n\na();\nc();\nd();\n',
    'c();',
    { before: 'import x;\n\na();', after: 'd();' },
  ],
  [
    'python',
    '    """Return the height.\n\n    In meters.\n    """',
    '    """Return the height of the tide.\n\n    In meters.\n    """',
    '    """Return the height of the tide.\n\n    In meters.\n    """',
  ],
  [
    'python',
    'In meters.',
    'Here in meters, as requested by the API.',
    'Here in meters, as requested by the API.',
  ],
  [
    'html',
    '<ul>\n  <li>a</li>\n</ul>',
    '<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n\nI added a second item.',
    '<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>',
  ],
  [
    'html',
    '<p>Text.</p>',
    '<p>Text.</p>\n<p>I added this paragraph.</p>',
    '<p>Text.</p>\n<p>I added this paragraph.</p>',
  ],
  [
    'markdown',
    'Run it.',
    '```markdown\nRun it:\n\n```sh\nnpm start\n```\n\nThen open it.\n```',
    'Run it:\n\n```sh\nnpm start\n```\n\nThen open it.',
  ],
  [
    'markdown',
    'Run it.',
    '````markdown\nRun it:\n\n```sh\nnpm start\n```\n````',
    'Run it:\n\n```sh\nnpm start\n```',
  ],
  [
    'markdown',
    '- one\n- two',
    "Here's the list:\n\n- one\n- two\n- three",
    '- one\n- two\n- three',
  ],
  [
    'plaintext',
    'Dear Ann,\nI will come.',
    'Dear Ann,\n\nI am happy to come.\n\nLet me know if you need anything.\n\nBob',
    'Dear Ann,\n\nI am happy to come.\n\nLet me know if you need anything.\n\nBob',
  ],
  [
    'typescript',
    'const x = 1;',
    'const x = 2;\n\nThis updates the value as requested. Let me know!',
    'const x = 2;',
  ],
  [
    'java',
    'int a = 1;',
    'Voici le code corrigé :\n\nint a = 2;\n\nJ’ai changé la valeur.',
    'int a = 2;',
  ],
  [
    'java',
    'int a = 1;',
    'Aquí tienes el código:\n```java\nint a = 2;\n```\nHe cambiado el valor.',
    'int a = 2;',
  ],
  ['typescript', 'return a + b;', 'return a - b;', 'return a - b;'],
  ['typescript', '  return a + b;', 'return a - b;', '  return a - b;'],
  ['typescript', 'const x = 1;', '`const x = 2;`', 'const x = 2;'],
  ['typescript', 'const x = 1;', 'const x = 2;\n```', 'const x = 2;'],
  ['typescript', 'const x = 1;', '~~~ts\nconst x = 2;\n~~~', 'const x = 2;'],
  ['typescript', 'const x = 1;', '<lines>\nconst x = 2;\n</lines>', 'const x = 2;'],
  ['typescript', 'const x = 1;', '<code>const x = 2;</code>', 'const x = 2;'],
  ['typescript', 'b();', 'a();\nc();\nd();', 'c();', { before: 'a();', after: 'd();' }],
  ['typescript', 'const secret = 1;', "I'm sorry, but I can't help with that.", undefined],
  ['typescript', 'const secret = 1;', 'No changes are needed: the code is correct.', undefined],
  ['python', 'x = 1', 'x = 2  # changed', 'x = 2  # changed'],
  ['python', 'def a():\n    pass', 'python\ndef a():\n    return 1', 'def a():\n    return 1'],
  ['shellscript', 'npm ci', '$ npm ci\n$ npm test', undefined],
  ['shellscript', 'echo a', '#!/bin/sh\necho b', '#!/bin/sh\necho b'],
  ['json', '"a": 1,', '```json\n"a": 2,\n```', '"a": 2,'],
  ['json', '{\n  "a": 1\n}', '{"code": "{\\n  \\"a\\": 2\\n}"}', '{\n  "a": 2\n}'],
  ['markdown', '```js\na();\n```', '```js\nb();\n```', '```js\nb();\n```'],
  ['markdown', 'a();', 'b();', 'b();', { before: '```js', after: '```' }],
  ['markdown', 'a();', '```js\nb();\n```', 'b();', { before: '```js', after: '```' }],
  ['markdown', '## Setup', '## Set up', '## Set up'],
  ['markdown', 'Sure, it works.', 'Sure, it works well.', 'Sure, it works well.'],
  ['latex', 'Text.', '```latex\nText with $x$.\n```', 'Text with $x$.'],
  ['latex', '\\item a', '\\item b\n\\item c', '\\item b\n\\item c'],
  ['yaml', 'a: 1', '# Updated config\na: 2', '# Updated config\na: 2'],
  ['sql', 'SELECT 1;', '-- Here is the query\nSELECT 2;', '-- Here is the query\nSELECT 2;'],
  ['go', '\treturn 1', 'return 2', '\treturn 2'],
  ['c', 'int a;', 'int a = 0; // Updated', 'int a = 0; // Updated'],
  ['rust', 'let a = 1;', '```rust\nlet a = 2;\n```\n```rust\nlet b = 3;\n```', undefined],
  ['typescript', 'f();', 'f();\n// ... rest of the code', undefined],
  ['typescript', 'const s = "a";', 'const s = \\"b\\";', 'const s = "b";'],
  ['typescript', 'line1();\nline2();', 'line1();\\nline3();', 'line1();\nline3();'],
  ['typescript', 'const x = 1;', '', undefined],
  ['typescript', 'const x = 1;', '### Updated code\n\nconst x = 2;', 'const x = 2;'],
  ['typescript', 'const x = 1;', '[THINK]two?[/THINK]const x = 2;', 'const x = 2;'],
  ['typescript', 'const x = 1;', '<think>two', undefined],
  ['java', 'int a = 1;', 'Вот обновлённый код:\n\nint a = 2;', 'int a = 2;'],
  ['java', 'int a = 1;', '다음은 수정된 코드입니다.\n\nint a = 2;', 'int a = 2;'],
];

const toLines = (text: string | undefined): readonly string[] => text?.split('\n') ?? [];

function readAnswerLines([language, original, answer, , context]: AnswerCase): string | undefined {
  const { before, after, ...options } = context ?? {};
  const result = readOfferedAnswer(answer, {
    language,
    original: original.split('\n'),
    before: toLines(before),
    after: toLines(after),
    usesTabs: original.startsWith('\t'),
    tabSize: 4,
    ...options,
  });
  return result.kind === 'lines' ? result.lines.join('\n') : undefined;
}

test('readEditAnswer returns the expected lines for more than 80 % of the collected model answers, and wrong lines for none', () => {
  const results = answerCases.map((item) => ({ item, lines: readAnswerLines(item) }));
  const wrongResults = results.filter(
    ({ item, lines }) => lines !== undefined && lines !== item[3],
  );
  expect(wrongResults).toEqual([]);
  const correctResults = results.filter(({ item, lines }) => lines === item[3]);
  expect(correctResults.length / answerCases.length).toBeGreaterThan(0.8);
});

test.each([
  'fix: keep old behavior\n\nIf you want to keep the old behavior, set `legacy`.',
  'docs: explain caching\n\nExplanation of the cache moved to its own page.',
  'refactor: use a map\n\nI used a map because lookups dominate.',
  'feat: add rules\n\n- one\n- two\n\nThe changes are covered by tests.',
  'feat: add rules\n\nThis change adds rules.\n\nSigned-off-by: A <a@b.c>',
  'Note that I/O errors are retried',
  'fix: note that I/O errors are retried\n\nNote that I/O errors are retried.',
  'Here-doc parsing: handle tabs',
  'Sure-fire way to reset',
  'I18n: add German',
  'docs: describe <think> tags\n\nThe parser removes <think>…</think>.',
  'Update README\n\n```sh\nnpm ci\n```\n\nruns first.',
  'feat!: drop v1\n\nBREAKING CHANGE: v1 is gone.\n\nHope this simplifies the API.',
  'fix(ui): "Save" button',
  '"Save" button: fix focus',
])('readCommitMessage returns the commit message %j unchanged', (message) => {
  expect(readCommitMessage(message)).toEqual({ kind: 'message', text: message });
});

test.each([
  ['fix: tides\n\nI kept the subject under 50 characters.', 'fix: tides'],
  ['fix: tides\n\n---\nLet me know if you want it shorter!', 'fix: tides'],
  ['fix: tides\n\nIf you want a longer message, I can write one.', 'fix: tides'],
  ['**Commit message:**\n\nfix: tides', 'fix: tides'],
  ['Hier ist die Commit-Nachricht:\n\nfix: tides', 'fix: tides'],
  ['Voici le message de commit :\n\n```\nfix: tides\n```', 'fix: tides'],
  ['以下是提交信息：\n\nfix: tides', 'fix: tides'],
  ['コミットメッセージは次のとおりです：\n\nfix: tides', 'fix: tides'],
  ['fix: tides\n\nLass mich wissen, falls du Änderungen möchtest.', 'fix: tides'],
  ['fix: tides\n\n希望这对你有帮助！', 'fix: tides'],
  ['Based on the diff, this commit changes tides:\n\nfix: tides', 'fix: tides'],
  ['<think>hmm\nfix: x</think>fix: tides', 'fix: tides'],
])('readCommitMessage removes the remarks from the answer %j', (answer, text) => {
  expect(readCommitMessage(answer)).toEqual({ kind: 'message', text });
});
