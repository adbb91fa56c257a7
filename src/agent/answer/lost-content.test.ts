import { describe, expect, test } from 'vitest';
import { applyBlock } from './apply-block.ts';

const applyWholeFile = (fileText: string, code: string, info = 'ts') =>
  applyBlock(fileText, { code, info, lineBefore: '' });

const createMethod = (name: string, body = 'run();'): string => `  ${name}() {\n    ${body}\n  }\n`;
const createClass = (...members: readonly string[]): string => `class A {\n${members.join('')}}\n`;
const fiveMethods = createClass(...['a', 'b', 'c', 'd', 'e'].map((name) => createMethod(name)));
const statementsText = Array.from({ length: 40 }, (_, index) => `setUp(${index});\n`).join('');
const manifestText = `{
  "name": "tides",
  "version": "1.0.0",
  "scripts": {
    "build": "tsc",
    "test": "vitest"
  },
  "dependencies": {
    "lit": "^3.0.0"
  }
}
`;
const pageHtml = `<!DOCTYPE html>
<html>
<head>
  <title>Tides</title>
  <link rel="stylesheet" href="a.css">
</head>
<body>
  <h1>Tides</h1>
  <p>Flood</p>
  <p>Ebb</p>
</body>
</html>
`;
const createSuite = (...names: readonly string[]): string =>
  `describe('tides', () => {\n${names
    .map((name) => `  test('${name}', () => {\n    expect(${name}()).toBe(1);\n  });\n`)
    .join('')}});\n`;

describe('applyBlock rejects code that silently omits', () => {
  test.each<readonly [string, string, string]>([
    [
      'a method',
      createClass(createMethod('a'), createMethod('b')),
      createClass(createMethod('b', 'z();')),
    ],
    [
      'a method on one line',
      createClass('  a() {}\n', '  b() {}\n'),
      createClass('  b() { z(); }\n'),
    ],
    ['four methods', fiveMethods, createClass(createMethod('c', 'z();'))],
    [
      'methods beside a new one',
      createClass(createMethod('a'), createMethod('b')),
      createClass(createMethod('c', 'z();')),
    ],
    [
      'keys before others',
      manifestText,
      manifestText.replace(/ {2}"name".*\n.*\n/u, '').replace('tsc', 'tsc -b'),
    ],
    ['all other keys', manifestText, '{\n  "scripts": {\n    "build": "tsc -b"\n  }\n}\n'],
    [
      'nested keys',
      manifestText,
      manifestText.replace(/ {4}"build".*\n/u, '').replace('vitest"', 'vitest run"'),
    ],
    ['a dependency', manifestText, manifestText.replace('"lit": "^3.0.0"', '"marked": "^9.0.0"')],
    [
      'the head of a page',
      pageHtml,
      pageHtml.replace(/<head>[^]*<\/head>\n/u, '').replace('Ebb', 'Low'),
    ],
    [
      'the head of a long page',
      pageHtml.replace('  <p>Ebb</p>\n', '  <p>Ebb</p>\n'.repeat(80)),
      pageHtml
        .replace(/<head>[^]*<\/head>\n/u, '')
        .replace('  <p>Ebb</p>\n', '  <p>Ebb</p>\n'.repeat(80)),
    ],
    [
      'the lines between an import and an export',
      `import a from 'a';\n${statementsText}\nfunction App() {\n  return a;\n}\n\nexport default App;\n`,
      "import a from 'a';\nimport b from 'b';\n\nexport default App;\n",
    ],
    ['statements', `start();\n${statementsText}stop();\n`, 'start();\nlog();\nstop();\n'],
    ['tests', createSuite('a', 'b', 'c'), createSuite('a', 'd')],
    [
      'properties of an object',
      'const a = {\n  b: 1,\n  c: 2,\n};\n',
      'const a = {\n  c: 3,\n};\n',
    ],
    [
      'a rule',
      '.a {\n  top: 0;\n}\n.b {\n  top: 1;\n}\n.c {\n  top: 2;\n}\n',
      '.a {\n  top: 0;\n}\n.c {\n  top: 3;\n}\n',
    ],
    [
      'a function that a new line calls',
      'class A {\n  int a() {\n    flood(1);\n  }\n  int b() {\n    ebb(2);\n  }\n}\n',
      'class A {\n  int b() {\n    a();\n    ebb(2);\n  }\n}\n',
    ],
    ['elements of a list', 'a:\n  - b\n  - c\n  - d\ne: f\n', 'a:\n  - d\n  - x\ne: f\n'],
    [
      'the first key of a long file',
      `{\n  "name": "a",\n${Array.from({ length: 40 }, (_, index) => `  "k${index}": 1,\n`).join('')}  "z": 1\n}\n`,
      `{\n${Array.from({ length: 40 }, (_, index) => `  "k${index}": 1,\n`).join('')}  "z": 2\n}\n`,
    ],
  ])('%s', (_, file, code) => {
    const result = applyWholeFile(file, code);
    expect(result).toMatchObject({ kind: 'refused' });
    expect(['loses-content', 'no-place']).toContain('reason' in result && result.reason);
  });
});

describe('applyBlock applies a whole file', () => {
  const functionTexts = Array.from(
    { length: 20 },
    (_, index) => `export function f${index}(): number {\n  const a = ${index};\n  return a;\n}\n`,
  );
  test.each<readonly [string, string, string]>([
    [
      'with an additional method',
      fiveMethods,
      fiveMethods.replace(/\}\n$/u, `${createMethod('f')}}\n`),
    ],
    [
      'with changed values',
      manifestText,
      manifestText.replace('1.0.0', '1.1.0').replace('"tsc"', '"tsc -b"'),
    ],
    ['with a renamed method', fiveMethods, fiveMethods.replace('c() {', 'renamed() {')],
    [
      'with a renamed declaration',
      functionTexts.slice(0, 3).join(''),
      functionTexts.slice(0, 3).join('').replace('f1()', 'renamed()'),
    ],
    [
      'with a renamed variable',
      'let a = compute(x);\nrun();\nstop();\n',
      'let b = compute(x);\nrun();\nstop();\n',
    ],
    [
      'without a function of a long file',
      functionTexts.join(''),
      functionTexts.toSpliced(3, 1).join('').replace('= 5;', '= 6;'),
    ],
    [
      'with a shorter function',
      `${functionTexts[0]}function g() {\n${statementsText.slice(0, 72)}}\n\n${functionTexts[1]}`,
      `${functionTexts[0]}function g() {\n  setUp();\n}\n\n${functionTexts[1]}`,
    ],
    [
      'with moved functions',
      functionTexts.slice(0, 4).join(''),
      [0, 2, 1, 3]
        .map((index) => functionTexts[index])
        .join('')
        .replace('= 2', '= 9'),
    ],
    [
      'without unused imports',
      `import a from 'a';\nimport b from 'b';\nimport c from 'c';\n\n${functionTexts.slice(0, 2).join('')}`,
      `import a from 'a';\nimport c from 'c';\n\n${functionTexts.slice(0, 2).join('')}`,
    ],
    ['with other elements', pageHtml, pageHtml.replace('<p>Flood</p>', '<div>Flood</div>')],
    [
      'with a rewritten sentence',
      '# Tides\n\nThe flood comes.\n\nThe ebb goes.\n',
      '# Tides\n\nThe flood comes at noon.\n\nThe ebb goes.\n',
    ],
  ])('%s', (_, file, code) => {
    expect(applyWholeFile(file, code)).toMatchObject({ kind: 'applied', text: code });
  });
});

test('applyBlock applies a whole file that omits a small part, and reports the number of omitted lines', () => {
  const functions = Array.from(
    { length: 20 },
    (_, index) => `export function f${index}(): number {\n  return ${index};\n}\n`,
  );
  const code = functions.toSpliced(9, 2).join('');
  const block = { code, info: 'ts', lineBefore: '' };
  expect(applyBlock(functions.join(''), block)).toMatchObject({ text: code, omittedLineCount: 6 });
  const blockWithRename = { ...block, code: functions.join('').replace('f9(', 'renamed(') };
  expect(applyBlock(functions.join(''), blockWithRename)).toMatchObject({ omittedLineCount: 0 });
});

test('applyBlock names the first part of the file that a block omits', () => {
  const [methods, changedMethod] = [
    ['a', 'b', 'c'].map((name) => createMethod(name)),
    createMethod('c', 'z();'),
  ];
  const result = applyWholeFile(
    createClass(...methods),
    createClass(methods[0] ?? '', changedMethod),
  );
  expect(result).toMatchObject({
    reason: 'loses-content',
    candidates: [{ line: 5, text: '  b() {' }],
  });
});
