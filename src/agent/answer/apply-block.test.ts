import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { measureGrowth } from '../../../test/support/growth.ts';
import { applyBlock } from './apply-block.ts';
import { createFileTextFromBlock } from './new-file-text.ts';

const applyCodeBlock = (text: string, code: string, info = 'ts') =>
  applyBlock(text, { code, info, lineBefore: '' });
const createFileText = (code: string, info = 'ts') =>
  createFileTextFromBlock({ code, info, lineBefore: '' });

const temporaryFolder = mkdtempSync(join(tmpdir(), 'apply-block-'));
afterAll(() => rmSync(temporaryFolder, { recursive: true }));

/** Creates a diff with Git, so that the input does not depend on the code under test. */
function createGitDiff(before: string, after: string, contextLineCount = 3): string {
  writeFileSync(join(temporaryFolder, 'before'), before);
  writeFileSync(join(temporaryFolder, 'after'), after);
  const { stdout } = spawnSync(
    'git',
    ['diff', '--no-index', '--no-color', `-U${contextLineCount}`, 'before', 'after'],
    { cwd: temporaryFolder, encoding: 'utf8' },
  );
  return stdout.replaceAll('a/before', 'a/file').replaceAll('b/after', 'b/file');
}

function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const realSources = ['apply-block.ts', 'edit-answer.ts', 'answer-hunks.ts'].map((name) =>
  readFileSync(join(import.meta.dirname, name), 'utf8'),
);
realSources.push(
  readFileSync(join(import.meta.dirname, '../../../node_modules/valibot/package.json'), 'utf8'),
  readFileSync(join(import.meta.dirname, '../../../node_modules/lit/README.md'), 'utf8'),
);

/** Removes, repeats, adds and changes random lines. */
function changeLines(text: string, random: (limit: number) => number): string {
  const lines = text.split('\n');
  for (let count = 1 + random(4); count > 0; count -= 1) {
    const index = random(lines.length - 1);
    const addedLines =
      [[], ['const added = 1;'], ['', lines[index] || 'added'], ['}', '}']][random(4)] ?? [];
    lines.splice(index, random(3), ...addedLines);
  }
  return lines.join('\n');
}

describe('a diff that Git created', () => {
  const variants: readonly (readonly [string, (text: string) => string])[] = [
    ['line feeds', (text) => text],
    ['CRLF', (text) => text.replaceAll('\n', '\r\n')],
    ['no final newline', (text) => text.trimEnd()],
    ['a byte order mark', (text) => `\uFEFF${text}`],
  ];
  test.each(variants)('is applied to a file with %s', (_, convert) => {
    const random = createRandom(7);
    for (let round = 0; round < 24; round += 1) {
      const source = realSources[round % realSources.length] ?? '';
      const [before, after] = [convert(source), convert(changeLines(source, random))];
      if (before === after) continue;
      const diff = createGitDiff(before, after, random(4));
      expect(applyCodeBlock(before, diff, 'diff')).toMatchObject({ format: 'hunks', text: after });
      // A page shows the diff with line feeds.
      expect(applyCodeBlock(before, diff.replaceAll('\r', ''), '')).toMatchObject({ text: after });
    }
  });

  test('adds or removes the final newline of the file if the diff does', () => {
    for (const [before, after] of [
      ['a\nb', 'a\nb\n'],
      ['a\nb\n', 'a\nb'],
      ['a\nb', 'a\nc'],
    ] as const)
      expect(applyCodeBlock(before, createGitDiff(before, after), 'diff')).toMatchObject({
        text: after,
      });
  });

  test('creates a new file', () => {
    const diff = createGitDiff('', 'a\n\nb\n').replace('--- a/file', '--- /dev/null');
    expect(createFileText(diff, 'diff')).toEqual({ kind: 'created', text: 'a\n\nb\n' });
  });

  test('is applied at the line number in the hunk header if the removed text occurs several times', () => {
    const before = 'x\n'.repeat(9);
    const after = `${'x\n'.repeat(6)}y\n${'x\n'.repeat(2)}`;
    expect(applyCodeBlock(before, createGitDiff(before, after, 1), 'diff')).toMatchObject({
      text: after,
    });
  });

  test('is applied at the new position of lines that other edits moved', () => {
    const before = 'one\ntwo\nthree\nfour\n';
    const diff = createGitDiff(before, before.replace('three', 'THREE'), 1);
    expect(applyCodeBlock(`zero\n${before}`, diff, 'diff')).toMatchObject({
      text: 'zero\none\ntwo\nTHREE\nfour\n',
    });
  });

  test('is rejected if a hunk does not match the file, with the number of the hunk in the error', () => {
    const diff = createGitDiff('alpha\nbeta\n', 'alpha\ngamma\n');
    expect(applyCodeBlock('one\ntwo\nthree\n', diff, 'diff')).toMatchObject({
      reason: 'no-match',
      hunkNumber: 1,
    });
    expect(createFileText(diff, 'diff')).toMatchObject({ reason: 'no-file' });
  });

  test('is rejected if it changes several files or deletes a file', () => {
    const diff = createGitDiff('a\n', 'b\n');
    expect(applyCodeBlock('a\n', diff + diff, 'diff')).toMatchObject({ reason: 'several-files' });
    const deletionDiff = diff.replace('+++ b/file', '+++ /dev/null');
    expect(applyCodeBlock('a\n', deletionDiff, 'diff')).toMatchObject({ reason: 'deletes-file' });
  });
});

describe('a diff without headers', () => {
  test.each([
    ['with a leading space in unchanged lines', ' a();\n-b();\n+B();\n c();\n'],
    ['that contains the whole file', ' first();\n a();\n-b();\n+B();\n c();\n last();\n'],
    ['without a leading space in unchanged lines', 'first();\na();\n-b();\n+B();\nc();\nlast();\n'],
    ['with a blank line', ' a();\n-b();\n+B();\n c();\n\n'],
    ['of the changed lines alone', '-b();\n+B();\n'],
  ])('%s is applied', (_, code) => {
    expect(applyCodeBlock('first();\na();\nb();\nc();\nlast();\n', code)).toMatchObject({
      format: 'hunks',
      text: 'first();\na();\nB();\nc();\nlast();\n',
    });
  });

  test('is applied if it only adds or only removes lines', () => {
    expect(applyCodeBlock('a\nb\nc\n', ' a\n+X\n b\n')).toMatchObject({ text: 'a\nX\nb\nc\n' });
    expect(applyCodeBlock('a\nb\nc\n', ' a\n-b\n c\n')).toMatchObject({ text: 'a\nc\n' });
  });

  test('is rejected if the file does not contain its lines', () => {
    expect(applyCodeBlock('a\nb\nc\n', ' a\n-x\n+B\n c\n')).toMatchObject({ reason: 'no-match' });
    expect(applyCodeBlock('a\nb\nc\n', ' c\n-b\n+B\n a\n')).toMatchObject({ reason: 'no-match' });
  });

  test.each([
    ['a\n- b\n- c\nd\n', 'a\n- b\n- x\n- c\nd\n'],
    ['Tides\nflood\nebb\nend\n', 'Tides\n- flood\n- ebb\nend\n'],
    ['x = a\n+ b\n- c\ny\n', 'x = a\n+ b\n+ d\n- c\ny\n'],
  ])('is not detected in code that begins with signs of a diff: %j', (before, after) => {
    expect(applyCodeBlock(before, after)).toMatchObject({ format: 'file', text: after });
  });
});

describe('a diff whose unchanged lines lack the leading space, or have two', () => {
  const fileText =
    'class A:\n    def b(self):\n        c()\n        d()\n\n    def e(self):\n        f()\n';
  const textWithAddition =
    'class A:\n    def b(self):\n        c()\n        x()\n        d()\n\n    def e(self):\n        f()\n';
  const textWithChange = fileText.replace('c()', 'x()');

  test.each([
    ['unchanged lines lack the space', '        c()\n+        x()\n        d()', textWithAddition],
    [
      'unchanged lines after a hunk header lack the space',
      '@@ -3,2 +3,3 @@\n        c()\n+        x()\n        d()',
      textWithAddition,
    ],
    [
      'unchanged lines around a changed line lack the space',
      '    def b(self):\n-        c()\n+        x()\n        d()',
      textWithChange,
    ],
    [
      'unchanged lines lack the space, and signs replace a space of changed lines',
      'class A:\n    def b(self):\n-       c()\n+       x()\n        d()',
      textWithChange,
    ],
    [
      'unchanged lines lack the space, and the sign replaces a space of the added line',
      '        c()\n+       x()\n        d()',
      textWithAddition,
    ],
    [
      'unchanged lines have two spaces',
      '          c()\n+        x()\n          d()',
      textWithAddition,
    ],
    [
      'unchanged lines have two spaces, and the added line has one',
      '          c()\n+         x()\n          d()',
      textWithAddition,
    ],
    [
      'unchanged lines have two spaces, and changed lines have one',
      '      def b(self):\n-         c()\n+         x()\n          d()',
      textWithChange,
    ],
    [
      'unchanged lines around a changed line have two spaces',
      '      def b(self):\n-        c()\n+        x()\n          d()',
      textWithChange,
    ],
    [
      'unchanged lines have one space',
      '         c()\n+        x()\n         d()',
      textWithAddition,
    ],
  ])('is applied with the indentation of the file if %s', (_, code, expected) => {
    expect(applyCodeBlock(fileText, code, 'diff')).toMatchObject({ text: expected });
  });

  test.each([
    ['unchanged lines with different indentation', 'a:\n  b\n   c\nd\n', '  b\n+  x\n   c'],
    [
      'changed lines with too little indentation',
      fileText,
      '    def b(self):\n-      c()\n+      x()\n        d()',
    ],
    ['list items that look like removed lines', '- a\n a\n- b\nc\n', '- a\n- b\n+- x\nc'],
  ])('is refused for %s, because the intended indentation is unclear', (_, text, code) => {
    expect(applyCodeBlock(text, code, 'diff')).toMatchObject({ kind: 'refused' });
  });

  test('is applied even if unchanged list items look like removed lines', () => {
    const result = applyCodeBlock('list:\n- a\n- b\n', 'list:\n- a\n+- x\n- b\n', 'diff');
    expect(result).toMatchObject({ text: 'list:\n- a\n- x\n- b\n' });
  });
});

test.each([
  ['applied if its unchanged lines have', '  a\n -b\n++c\n  d\n', ' a\n-b\n+c\n d\n'],
  ['refused if its unchanged lines lack', ' a\n-b\n++c\n d\n', undefined],
])('a diff that adds a line to a diff file is %s their leading space', (_, code, expected) => {
  const result = applyBlock(
    ' a\n-b\n d\n@@ -9 +9 @@\n-e\n',
    { code, info: 'diff', lineBefore: '' },
    'a.patch',
  );
  if (expected === undefined) expect(result.kind).toBe('refused');
  else expect(result).toMatchObject({ text: `${expected}@@ -9 +9 @@\n-e\n` });
});

describe('several SEARCH/REPLACE blocks', () => {
  const createBlock = (search: string, replace: string): string =>
    `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;

  test('are all applied if each of them matches', () => {
    const code = createBlock('let a;', 'let b;') + createBlock('let c;', 'let d;');
    expect(applyCodeBlock('let a;\r\nlet c;\r\n', code)).toMatchObject({
      text: 'let b;\r\nlet d;\r\n',
    });
  });

  test('are applied even if they contain the underline of a Markdown heading, which looks like the separator', () => {
    const text = 'Tides\n=====\n\nFlood\n';
    const code = createBlock('Tides\n=====\n\nFlood', 'Tides\n=====\n\nEbb');
    expect(applyCodeBlock(text, code, 'md')).toMatchObject({ text: 'Tides\n=====\n\nEbb\n' });
    const blockWithoutSeparator = '<<<<<<< SEARCH\nTides\n=====\n\nFlood\n>>>>>>> REPLACE\n';
    expect(applyCodeBlock(text, blockWithoutSeparator, 'md')).toMatchObject({
      reason: 'malformed',
    });
  });

  test('are rejected if one of the blocks matches several times or not at all', () => {
    expect(applyCodeBlock('a;\nb;\na;\n', createBlock('a;', 'c;'))).toMatchObject({
      reason: 'ambiguous',
    });
    const code = createBlock('let a;', 'let b;') + createBlock('missing();', 'found();');
    expect(applyCodeBlock('let a;\n', code)).toMatchObject({ reason: 'no-match', hunkNumber: 2 });
    expect(applyCodeBlock('a\n', '<<<<<<< SEARCH\na\n')).toMatchObject({ reason: 'malformed' });
  });

  test('are rejected if their markers are only words, which would otherwise become lines of the file', () => {
    const createSection = (name: string): string =>
      `\\section{${name}}\nWe ran it twice.\n\n\\section{End}\n`;
    const code = `SEARCH:\n${createSection('Setup')}REPLACE:\n${createSection('Method')}END\n`;
    const block = { code, info: 'tex', lineBefore: '' };
    expect(applyBlock(createSection('Setup'), block, 'a.tex')).toMatchObject({
      reason: 'malformed',
    });
  });
});

const importingSource = `import { a } from 'a';
import { b } from 'b';

export function first(): void {
  a();
}

export function second(): void {
  b();
}
`;

/** Functions that create a SEARCH/REPLACE block or a diff that deletes the given lines, by name of the format. */
const deletionFormats = {
  'SEARCH/REPLACE block': (lines: readonly string[]) =>
    ['<<<<<<< SEARCH', ...lines, '=======', '>>>>>>> REPLACE'].join('\n'),
  'SEARCH/REPLACE block without indentation': (lines: readonly string[]) => {
    const indentWidths = lines.filter((line) => line !== '').map((line) => line.search(/\S/u));
    const dedentedLines = lines.map((line) => line.slice(Math.min(...indentWidths)));
    return ['<<<<<<< SEARCH', ...dedentedLines, '=======', '>>>>>>> REPLACE'].join('\n');
  },
  'diff without context': (lines: readonly string[]) =>
    ['--- a/a.ts', '+++ b/a.ts', '@@', ...lines.map((line) => `-${line}`)].join('\n'),
};

test.each(Object.entries(deletionFormats))(
  'applyBlock deletes lines together with their line breaks, given a %s',
  (format, createBlock) => {
    const count = 5;
    const failures: string[] = [];
    for (let blankMask = 0; blankMask < 2 ** count; blankMask += 1) {
      const lines = Array.from({ length: count }, (_, index) =>
        (blankMask >> index) % 2 === 1 ? '' : `${'  '.repeat(index % 3)}line${index};`,
      );
      for (const [lineBreak, finalLineBreak] of [
        ['\n', '\n'],
        ['\n', ''],
        ['\r\n', '\r\n'],
        ['\r\n', ''],
      ] as const)
        for (let start = 0; start < count; start += 1)
          for (let lastIndex = start; lastIndex < count; lastIndex += 1) {
            const deletedLines = lines.slice(start, lastIndex + 1);
            const remainingLines = lines.toSpliced(start, deletedLines.length);
            const hasNoText = (blockLines: readonly string[]): boolean =>
              blockLines.join('') === '';
            // A search needs text. Without it, a text with a final line break and one without it are the same.
            if (
              hasNoText(deletedLines) ||
              hasNoText(remainingLines) ||
              (finalLineBreak === '' && lines.at(-1) === '')
            )
              continue;
            // Inexact searches do not include blank lines at their borders.
            if (
              format.includes('without') &&
              (deletedLines[0] === '' || deletedLines.at(-1) === '')
            )
              continue;
            const text = lines.join(lineBreak) + finalLineBreak;
            const result = applyBlock(text, {
              code: createBlock(deletedLines),
              info: '',
              lineBefore: '',
            });
            const expected = remainingLines.join(lineBreak) + finalLineBreak;
            if (result.kind === 'applied' && result.text === expected) continue;
            failures.push(`${JSON.stringify([text, deletedLines])} ${JSON.stringify(result)}`);
          }
    }
    expect(failures).toEqual([]);
  },
);

test.each([
  ['part of a line', '  run(a, b);\nstop();\n', ', b', '  run(a);\nstop();\n'],
  ['the end of a line and the next line', 'a(); b();\nc();\nd();\n', ' b();\nc();', 'a();\nd();\n'],
  ['a line with white space at its end', 'a();\nb();  \nc();\n', 'b();', 'a();\nc();\n'],
  ['a line and a blank line that the file lacks', 'a();\nb();\nc();\n', 'b();\n', 'a();\nc();\n'],
  ['a line before a blank line', 'a();\n  b();\n\nc();\n', 'b();', 'a();\n\nc();\n'],
])('applyBlock deletes %s with a SEARCH/REPLACE block', (_, text, search, expected) => {
  const code = deletionFormats['SEARCH/REPLACE block']([search]);
  expect(applyCodeBlock(text, code)).toMatchObject({ kind: 'applied', text: expected });
});

describe('the whole new text of a file in a code block', () => {
  test('replaces the file', () => {
    const code = importingSource.replace('  b();', '  b();\n  a();');
    expect(applyCodeBlock(importingSource, code)).toMatchObject({ format: 'file', text: code });
  });

  test('replaces the file even if the first line of the text differs from that of the file', () => {
    const code = importingSource.replace('{ a }', '{ a, c }');
    expect(applyCodeBlock(importingSource, code)).toMatchObject({ format: 'file', text: code });
  });

  test('fills an empty file', () => {
    expect(applyCodeBlock('', 'let a;\n')).toMatchObject({ format: 'file', text: 'let a;\n' });
  });

  test('keeps CRLF, a byte order mark and a missing final newline', () => {
    const before = `\uFEFF${importingSource.replaceAll('\n', '\r\n').trimEnd()}`;
    expect(applyCodeBlock(before, importingSource.replace('a();', 'aa();'))).toMatchObject({
      text: before.replace('a();', 'aa();'),
    });
  });

  test('is not detected in code that lacks the first lines of the file', () => {
    const code = importingSource
      .slice(importingSource.indexOf('export'))
      .replace('first(): void', 'first(): number');
    const result = applyCodeBlock(importingSource, code);
    expect(result.kind === 'refused' || result.text.startsWith("import { a } from 'a';")).toBe(
      true,
    );
  });

  test.each([
    ['end', 0, 13],
    ['beginning', 13, 26],
  ])('is not detected in code that omits the %s of the file', (_, start, end) => {
    const constants = Array.from({ length: 10 }, (__, index) => `const c${index} = 0;`);
    const otherLines = [
      '',
      'function other() {',
      '  const result = more();',
      '  return result;',
      '}',
    ];
    const lines =
      start === 0
        ? [...constants, 'function one() {', '  return 1;', '}', ...otherLines]
        : [...otherLines, '', ...constants, 'function one() {', '  return 1;', '}', 'one();'].slice(
            1,
          );
    const blockLines = start === 0 ? lines.slice(start, end) : lines.slice(lines.length - 14);
    const code = blockLines.join('\n').replace('return 1', 'log();\n  return 2');
    const result = applyCodeBlock(`${lines.join('\n')}\n`, `${code}\n`);
    expect(result.kind === 'refused' || result.text.includes('function other() {')).toBe(true);
  });

  test('replaces real source files with changed versions of these files', () => {
    const random = createRandom(3);
    for (let round = 0; round < 40; round += 1) {
      const source = realSources[round % realSources.length] ?? '';
      const [firstLine = '', ...rest] = source.trimEnd().split('\n');
      const lastLine = rest.pop() ?? '';
      const changedLines = changeLines(`${rest.join('\n')}\n`, random).replace(/\n$/u, '');
      const after = `${firstLine}\n${changedLines}\n${lastLine}${source.endsWith('\n') ? '\n' : ''}`;
      if (after === source) continue;
      expect(applyCodeBlock(source, after)).toMatchObject({ text: after });
    }
  });
});

describe('a snippet of a file in a code block', () => {
  test("replaces the file's lines from the match of its first line to the match of its last line", () => {
    const text = `${importingSource}\nexport const end = 1;\n`;
    const code =
      "import { b } from 'b';\nimport { c } from 'c';\n\nexport function first(): void {\n";
    expect(applyCodeBlock(text, code)).toMatchObject({
      format: 'snippet',
      text: text.replace(
        "import { b } from 'b';\n",
        "import { b } from 'b';\nimport { c } from 'c';\n",
      ),
    });
  });

  test('is applied with the indentation of the file', () => {
    const text =
      'class A {\n  b() {\n    first();\n    last();\n  }\n\n  c() {\n    more();\n  }\n  d() {}\n}\n';
    expect(applyCodeBlock(text, 'first();\nsecond();\nlast();\n')).toMatchObject({
      text: text.replace('first();', 'first();\n    second();'),
    });
  });

  test.each([
    ['quotation marks', 'say(“one”);', 'say("one");'],
    ['dashes', '// one – two', '// one - two'],
    ['a no-break space', 'say("1\u00A0m");', 'say("1 m");'],
    ['a composed character', 'say("caf\u00E9");', 'say("cafe\u0301");'],
    ['a hidden character', 'say("\u200Bone");', 'say("one");'],
  ])(
    'is applied, and keeps the unchanged lines, if its first and last line contain a look-alike of %s',
    (_, line, lookAlike) => {
      const text = `start();\n  ${line}\n  b();\n  ${line} // end\nend();\n`;
      const code = `  ${lookAlike}\n  b();\n  c();\n  ${lookAlike} // end\n`;
      expect(applyCodeBlock(text, code)).toMatchObject({
        format: 'snippet',
        text: text.replace('  b();\n', '  b();\n  c();\n'),
      });
    },
  );

  test.each([
    ['its first line is not in the file', 'export function third(): void {\n  b();\n'],
    ['its last line occurs twice', 'export function first(): void {\n  c();\n}\n'],
    ['its lines are in reverse order', "  b();\n  x();\nimport { a } from 'a';\n"],
    ['it has one line', '  b();\n'],
  ])('is refused if %s', (_, code) => {
    expect(applyCodeBlock(importingSource, code)).toMatchObject({
      kind: 'refused',
      reason: 'no-place',
    });
  });

  test('never changes lines of a real source file that the snippet does not match', () => {
    const random = createRandom(11);
    let appliedCount = 0;
    for (let round = 0; round < 120; round += 1) {
      const source = realSources[round % realSources.length] ?? '';
      const lines = source.split('\n').slice(0, 400);
      const start = random(lines.length - 12);
      const end = start + 3 + random(6);
      const [firstLine = '', lastLine = ''] = [lines[start], lines[end]];
      const snippetLines = [
        firstLine,
        ...lines.slice(start + 1, end),
        'const added = 1;',
        lastLine,
      ];
      const expected = [...lines.slice(0, start), ...snippetLines, ...lines.slice(end + 1)].join(
        '\n',
      );
      const result = applyCodeBlock(lines.join('\n'), `${snippetLines.join('\n')}\n`);
      if (result.kind === 'refused') continue;
      appliedCount += 1;
      expect(result.text).toBe(expected);
    }
    expect(appliedCount).toBeGreaterThan(20);
  });
});

describe('code that omits lines', () => {
  test.each(['// ... existing code ...', '  // rest of the code unchanged', '/* unchanged */'])(
    'is refused in every form of a code block if the placeholder is "%s"',
    (elision) => {
      const wholeFile = importingSource.replace('  a();', elision);
      expect(applyCodeBlock(importingSource, wholeFile)).toMatchObject({ reason: 'elision' });
      const snippet = `import { b } from 'b';\n${elision}\nexport function second(): void {\n`;
      expect(applyCodeBlock(importingSource, snippet)).toMatchObject({ reason: 'elision' });
      const diff = createGitDiff(importingSource, wholeFile);
      expect(applyCodeBlock(importingSource, diff, 'diff')).toMatchObject({ reason: 'elision' });
      expect(createFileText(wholeFile)).toMatchObject({ reason: 'elision' });
    },
  );
});

test('applyBlock refuses a placeholder for omitted code in the comment syntax for the file extension', () => {
  const text = 'Sub Run()\n  First()\n  Second()\n  Third()\nEnd Sub\n';
  const wholeFile = text.replace('  Second()\n', "  ' snip\n");
  const snippet = "  First()\n  ' snip\n  Third()\n";
  const block = "<<<<<<< SEARCH\n  Third()\n=======\n  ' snip\n  Fourth()\n>>>>>>> REPLACE";
  const diff = createGitDiff(text, wholeFile);
  for (const code of [wholeFile, snippet, block, diff])
    expect(applyBlock(text, { code, info: '', lineBefore: '' }, 'a.vb')).toMatchObject({
      reason: 'elision',
    });
});

test('applyBlock rejects empty code, and code that the file already contains', () => {
  expect(applyCodeBlock(importingSource, '\n \n')).toMatchObject({ reason: 'empty' });
  expect(createFileText('')).toMatchObject({ reason: 'empty' });
  expect(applyCodeBlock(importingSource, importingSource)).toMatchObject({ reason: 'no-change' });
});

test('applyBlock treats a block as a whole file, not as a diff, if the file itself contains a diff', () => {
  const text =
    execFileSync('git', ['--version'], { encoding: 'utf8' }) + createGitDiff('a\n', 'b\n');
  const after = text.replace('+b', '+c');
  expect(applyCodeBlock(text, after)).toMatchObject({ format: 'file', text: after });
});

test.each([
  ['removes', 'added lines of code', 'ts', '+a();\n+\n+  b();', 'a();\n\n  b();\n'],
  ['keeps', 'a Markdown list', 'md', '+ one\n+ two', '+ one\n+ two\n'],
  ['keeps', 'a list without a language', '', '+ one\n+ two', '+ one\n+ two\n'],
  ['keeps', 'a single line', 'ts', '+a();', '+a();\n'],
  ['keeps', 'code in which only one line has one', 'ts', '+a();\nb();', '+a();\nb();\n'],
])('createFileTextFromBlock %s the plus signs of %s', (_effect, _block, info, code, text) => {
  expect(createFileText(code, info)).toEqual({ kind: 'created', text });
});

describe('applyBlock with code in another format', () => {
  const text =
    "import { a } from './a.js';\n\nexport function run(list: string[]): number {\n    const first = list[0];\n    if (first === undefined) {\n        return 0;\n    }\n    return a(first);\n}\n\nexport const size = run(['x', 'y']);\n";
  const applyCode = (code: string): unknown => {
    const result = applyBlock(text, { code, info: 'ts', lineBefore: '' }, 'src/run.ts');
    return result.kind === 'applied' ? result.text : result.reason;
  };
  const changedText = text.replace('return 0', 'return -1');

  test.each([
    ['without semicolons', changedText.replaceAll(';', '')],
    ['with double quotation marks', changedText.replaceAll("'", '"')],
    ['with other indentation', changedText.replaceAll('    ', '  ')],
    [
      'without semicolons and with other quotation marks',
      changedText.replaceAll(';', '').replaceAll("'", '"'),
    ],
  ])('applies a whole file %s', (_, code) => {
    expect(applyCode(code)).toBe(code);
  });

  test('refuses code that is only a part of the file and has no semicolons', () => {
    const [, part = ''] = changedText.replaceAll(';', '').split('\n\n');
    expect(applyCode(part)).not.toBe(part);
    expect(applyCode(part.split('\n').slice(1, 4).join('\n'))).toBe('no-place');
  });
});

test.each([
  ['before the file', 'Oto poprawiony kod:\n\n', ''],
  ['after the file', '', '\n\nMình chỉ sửa phần được yêu cầu.'],
])(
  'applyBlock refuses, in linear time, a block with a non-English remark %s',
  (_, before, after) => {
    const text = 'import a\n\nfun run() {\n  a()\n}\n';
    const apply = (code: string): unknown =>
      applyBlock(text, { code, info: '', lineBefore: '' }, 'a.kt').kind;
    expect(apply(text.replace('a()', 'a(1)'))).toBe('applied');
    expect(apply(`${before}${text.replace('a()', 'a(1)')}${after}`)).toBe('refused');
    const run = (size: number): void => {
      apply(`${'a '.repeat(size / 2)}\n${text}${'b '.repeat(size / 2)}`);
    };
    expect(measureGrowth(run, { smallSize: 20_000, smallCount: 8 }).timeRatio).toBeLessThan(4);
  },
);

describe('hidden characters', () => {
  const text = '\uFEFFconst gap = "\u200B";\nfoo();\nbar();\nbaz();\n';
  const changedText = '\uFEFFconst gap = "\u200B";\nfoo();\nbar(2);\nbaz();\n';

  test.each([
    ['a whole file', 'const gap = "\u200B";\nfoo();\nbar(2);\u202E\u200B\nbaz();'],
    [
      'a diff',
      '@@ -1,4 +1,4 @@\n const gap = "\u200B";\n foo();\n-bar();\n+bar(2);\u202E\n baz();',
    ],
    ['a SEARCH/REPLACE block', '<<<<<<< SEARCH\nbar();\n=======\nbar(2);\u202E\n>>>>>>> REPLACE'],
    ['an edit in JSON', String.raw`{"old_text": "bar();", "new_text": "bar(2);\u202E\u200b"}`],
  ])('are kept if the file contains them, and are not added by %s', (_, code) => {
    expect(applyCodeBlock(text, code)).toMatchObject({ kind: 'applied', text: changedText });
  });

  test('are kept in a changed line that had them', () => {
    const code = 'const gap = "\u200B"; // wide\nfoo();\nbar();\nbaz();';
    expect(applyCodeBlock(text, code)).toMatchObject({ text: `\uFEFF${code}\n` });
    const changedCode = code.replace('foo();', 'foo("\u200B");');
    expect(applyCodeBlock(text, changedCode)).toMatchObject({
      text: `\uFEFF${code.replace('foo();', 'foo("");')}\n`,
    });
  });

  test('are removed from the text of a new file', () => {
    expect(createFileText('x("\u202E\u200B");')).toEqual({ kind: 'created', text: 'x("");\n' });
  });
});

test('applyBlock treats a carriage return without a line feed as a line break', () => {
  expect(createFileText('a(); // x\rb();')).toEqual({ kind: 'created', text: 'a(); // x\nb();\n' });
  const appliedBlock = applyCodeBlock('a();\nc();\nd();\n', 'a(); // x\rb();\nc();\nd();');
  expect(appliedBlock).toMatchObject({ text: 'a(); // x\nb();\nc();\nd();\n' });
});

test('applyBlock takes linear time to search a file of many equal lines for a block of such lines', () => {
  const run = (size: number): void => {
    const code = `${'a\n'.repeat(size / 2)}b\n`;
    applyBlock('a\n'.repeat(size), { code, info: '', lineBefore: '' }, 'a.ts');
  };
  expect(measureGrowth(run, { smallSize: 4_000, smallCount: 8 }).timeRatio).toBeLessThan(4);
});

test('applyBlock keeps the indentation of added lines in a diff whose unchanged lines lack their leading space', () => {
  const text = 'run(() => {\n  a();\n  if (b) {\n    c();\n  }\n});\n';
  const code = '  a();\n-  if (b) {\n+  if (b && d) {\n    c();\n+    e();\n  }\n';
  const appliedText = 'run(() => {\n  a();\n  if (b && d) {\n    c();\n    e();\n  }\n});\n';
  const result = applyBlock(text, { code, info: 'diff', lineBefore: '' }, 'a.ts');
  expect(result).toMatchObject({ text: appliedText });
});

test('applyBlock applies a diff of a diff file, and refuses such a diff with missing or extra diff signs', () => {
  const text = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n';
  const apply = (code: string): ReturnType<typeof applyBlock> =>
    applyBlock(text, { code, info: 'diff', lineBefore: '' }, 'x.patch');
  const appliedText = text.replace('+three', '+four');
  expect(apply('@@ -4,3 +4,3 @@\n  one\n --two\n-+three\n++four\n')).toMatchObject({
    reason: 'malformed',
  });
  expect(apply('@@ -4,3 +4,3 @@\n  one\n -two\n-+three\n++four\n')).toMatchObject({
    text: appliedText,
  });
  expect(apply(' one\n-two\n-+three\n++four\n')).toMatchObject({ reason: 'malformed' });
});
