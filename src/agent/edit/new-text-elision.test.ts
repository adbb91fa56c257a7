import { expect, test } from 'vitest';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureGrowth } from '../../../test/support/growth.ts';
import { root } from '../../../test/support/paths.ts';
import {
  commentForms,
  placeholders,
  placeholderTexts,
  placeholderTextsInNewText,
  proseCommentForms,
} from './elision.fixture.ts';
import { assertNoElision, findElisionInNewText, getTextFormat } from './new-text-elision.ts';

test.each([
  ['a.ts', '// ... rest of the implementation'],
  ['a.ts', '// ...'],
  ['a.ts', '/* … */'],
  ['a.tsx', '{/* ... existing components ... */}'],
  ['a.go', '// existing imports'],
  ['a.rs', '// --snip--'],
  ['a.py', '# ... existing code ...'],
  ['a.py', '# (rest of the code remains unchanged)'],
  ['a.sql', '-- ... other columns ...'],
  ['a.lua', '-- rest of the module'],
  ['a.css', '/* other rules unchanged */'],
  ['a.html', '<!-- rest of the page -->'],
  ['Dockerfile', '# ... same as before ...'],
  ['a.md', '<!-- ... existing content ... -->'],
  ['a.md', '[... rest of the document unchanged ...]'],
  ['README', '... existing content ...'],
  ['a.rst', '.. rest of the document'],
  ['a.tex', '% ... remaining sections ...'],
  ['a.tex', '% ...'],
  ['a.tex', '%% [...]'],
  ['a.tex', '% unchanged text above'],
  ['a.md', '<!-- [...] -->'],
  ['a.md', '<!-- unchanged text above -->'],
  ['a.mdx', '{/* ... */}'],
])('findElisionInNewText detects in a new file %s the placeholder %s', (path, line) => {
  const text = `first();\r\n\r\n${line}\r\n\r\nlast();\r\n`;
  expect(findElisionInNewText(text, getTextFormat(path))).toEqual({ line: 3, text: line });
});

test.each([
  ['with blank lines around it', '\n'],
  ['without blank lines around it', ''],
])(
  'findElisionInNewText detects every typical placeholder between two lines of code, %s',
  (_, blankLine) => {
    const detectsElision = (line: string): boolean => {
      const format = /^(?:\.{3}.*)?#|^[rR]?"""/u.test(line)
        ? 'py'
        : line.startsWith('..')
          ? 'rst'
          : 'ts';
      const text = `a()\n${blankLine}${line}\n${blankLine}b()\n`;
      return findElisionInNewText(text, format)?.text === line.trim();
    };
    expect(placeholders.filter((line) => !detectsElision(line))).toEqual([]);
  },
);

test.each(Object.entries(commentForms))(
  'findElisionInNewText detects every kind of placeholder in a comment of the form %j',
  (comment, pathsText) => {
    const missedPlaceholders = findMissedPlaceholders(comment, pathsText, [
      'a(1);\n…\nb(2);\n',
      'a(1);\n\n…\n\nb(2);\n',
      'a(1);\n…\n',
      'a {\n  …\n}\n',
    ]);
    expect(missedPlaceholders).toEqual([]);
  },
);

test.each(Object.entries(proseCommentForms))(
  'findElisionInNewText detects every kind of placeholder in a prose file with a comment of the form %j',
  (comment, pathsText) => {
    const texts = ['One.\n…\nTwo.\n', 'One.\n\n…\n\nTwo.\n', 'One.\n…\n'];
    expect(findMissedPlaceholders(comment, pathsText, texts)).toEqual([]);
  },
);

const findMissedPlaceholders = (
  comment: string,
  pathsText: string,
  texts: readonly string[],
): readonly string[] =>
  [...placeholderTexts, ...placeholderTextsInNewText].flatMap((placeholderText) =>
    pathsText.split(' ').flatMap((path) =>
      texts
        .map((text) => text.replace('…', comment).replace('…', placeholderText))
        .filter((text) => findElisionInNewText(text, getTextFormat(path)) === undefined)
        .map((text) => `${path} ${text}`),
    ),
  );

test.each([
  'a();\n// Truncated\n',
  'a();\n// Truncated\n\nb();\n',
  'a();\n// Lines 6-40\n\nb();\n',
  'a(() => {\n  // Lines 6-40\n});\n',
  'a();\n// lines 6-40\nb();\n',
  'a();\n// Lines 10-40\nb();\n',
  'a(\n  // Lines 6–9\n  second,\n);\n',
  'a();\n// truncated\nb();\n',
  'a();\n// Truncated\nb();\n',
])('findElisionInNewText detects a comment about omitted lines: %j', (text) => {
  expect(findElisionInNewText(text, 'ts')).toBeDefined();
});

test.each([
  ['after a sentence', 'a.ts', '// Validates the input.\n// ...\n\nrun();', 2],
  ['at the end of a comment', 'a.rb', '# Starts the engine.\n# [...]', 2],
  ['in a branch', 'a.c', 'if (a) {\n  // no change\n}\n', 2],
  ['as a body', 'a.java', 'class A {\n  void run() { ... }\n}\n', 2],
  ['after code', 'a.ts', 'run(); // ... rest of the function\nstop();\n', 1],
  ['in a template', 'a.ts', 'const page = `\n<!-- ... existing markup ... -->\n`;\n', 2],
  ['in a fence without an end', 'a.md', '# Use\n\n```ts\n// ...\n', 4],
])('in a new file, findElisionInNewText detects a placeholder %s', (_, path, text, line) => {
  expect(findElisionInNewText(text, getTextFormat(path))?.line).toBe(line);
});

test.each([
  [
    'a fenced example in Markdown',
    'a.md',
    '# Use\n\n```ts\nstart();\n// ... existing code ...\n```\n',
  ],
  ['an indented example in Markdown', 'a.md', 'Use:\n\n    start();\n    // ...\n\nEnd.\n'],
  [
    'an example in LaTeX',
    'a.tex',
    '\\begin{lstlisting}[language=Matlab]\nx = 1;\n% ...\n\\end{lstlisting}\n\nEnd.\n',
  ],
  ['text that ends with an ellipsis', 'a.txt', 'More to follow...\n…\nThe end.\n'],
  ['an example in a doc comment', 'a.ts', '/**\n * start();\n * ...\n * end();\n */\nrun();\n'],
  [
    'an example in a docstring',
    'a.py',
    'def f():\n    """Runs.\n\n    f()\n    # ...\n    """\n    return 1\n',
  ],
  [
    'an example in documentation of Perl',
    'a.pm',
    '=head1 USE\n\n  sub parse {...}\n\n=cut\n\nsub parse { return 1 }\n',
  ],
  [
    'an example in a longer comment',
    'a.h',
    '// Use like:\n//   #if A\n//   ...\n//   #endif\nint a;\n',
  ],
  [
    'a sentence in a longer comment',
    'a.rs',
    '/// Strips the prefix, or returns the path\n/// unchanged.\nfn f() {}\n',
  ],
  ['a comment about the next line', 'a.ml', 'match a with\n(* Same as above. *)\n| B -> 1\n'],
  [
    'a comment about a case that changes nothing',
    'a.ts',
    'switch (a) {\n  case 1:\n    // no change\n    break;\n}\n',
  ],
  ['a comment in a stub', 'a.pyi', 'class A:\n    # b: int\n    ...\n'],
  ['a heading of a comment', 'a.py', '# Original implementation:\n#\n#     f()\nx = 1\n'],
  ['nested brackets in a comment', 'a.java', 'int n = 1;\n// [[[ ... ]]]\nrun(n);\n'],
  ['spread syntax', 'a.ts', 'const a = {\n  ...rest,\n  ...(value as Omit<\n    B\n  >),\n};\n'],
  [
    'a comment that shows the text of a token',
    'a.c',
    'switch (a) {\n  case 1:\n    return DOTS;   /* ... */\n}\n',
  ],
])('findElisionInNewText finds no placeholder in %s', (_, path, text) => {
  expect(findElisionInNewText(text, getTextFormat(path))).toBeUndefined();
});

test.each([
  ['a.ts', 'a();\n...\nb();\n'],
  ['a.ts', 'function a() {\n  ...\n}\n'],
  ['a.js', 'a();\n…\nb();\n'],
  ['a.go', 'func a() {\n\t...\n}\n'],
  ['a.json', '{\n  "a": 1,\n  ...\n}\n'],
  ['a.py', 'import a\n...\ndef b():\n    pass\n'],
  ['a.py', 'def b():\n    c()\n    ...\n    d()\n'],
  ['a.yaml', 'a: 1\n...\nb: 2\n'],
  ['a.yaml', 'a:\n  b: 1\n  ...\nc: 2\n'],
])(
  'findElisionInNewText detects three dots as a placeholder in a new file %s: %j',
  (path, text) => {
    expect(findElisionInNewText(text, getTextFormat(path))?.text).toMatch(/^(?:\.{3}|…)$/u);
  },
);

test.each([
  ['a.pyi', '...\n'],
  [
    'a.pyi',
    'class A:\n    def b(self) -> int:\n        ...\n    def c(self) -> int:\n        ...\n',
  ],
  ['a.py', 'class E(Exception):\n    """Text."""\n    ...\n\nx = 1\n'],
  ['a.py', 'T = Tuple[\n    int,\n    ...\n]\n'],
  ['a.yaml', 'a: 1\n...\n---\nb: 2\n...\n'],
  ['a.yml', 'text: |\n  first\n  ...\n  last\n'],
  ['a.pl', 'sub parse {\n    ...\n}\n'],
  ['a.lua', 'print(\n  ...\n)\n'],
  ['a.R', 'f <- function(\n  ...\n) NULL\n'],
  ['a.c', 'int log(\n  const char *format,\n  ...\n);\n'],
  ['a.ts', 'const text = `\n...\n`;\n/*\n a();\n...\n*/\n'],
  ['a.txt', 'one\n...\ntwo\n'],
])(
  'findElisionInNewText ignores three dots that can be valid text in a new file %s: %j',
  (path, text) => {
    expect(findElisionInNewText(text, getTextFormat(path))).toBeUndefined();
  },
);

test.each([
  ['src/A.TS', 'ts'],
  ['C:\\work\\README', 'text'],
  ['Changes', 'text'],
  ['Makefile', ''],
  ['.gitignore', 'gitignore'],
])('getTextFormat returns for the path %j the format %j', (path, format) => {
  expect(getTextFormat(path)).toBe(format);
});

test('assertNoElision throws an error that contains the line of the placeholder and the next step', () => {
  expect(() => assertNoElision('a();\n// ...\n', 'ts', 'a.ts was not created.')).toThrow(
    'a.ts was not created. Line 2 is a placeholder for omitted lines: "// ...". Write every line in full.',
  );
  expect(() => assertNoElision('a();\n', 'ts', '')).not.toThrow();
});

test.each([
  ['node_modules/{mocha,ws,fast-check,fastify,undici,valibot,marked}/**/*.{ts,js,md}', root],
  ['{src,webview}/**/*.ts', root],
  ['{*,email/*,http/*,json/*,unittest/*}.py', '/usr/lib/python3.11'],
])('findElisionInNewText finds no placeholder in the real files %s', (pattern, folder) => {
  const paths = globSync(pattern, { cwd: folder, exclude: ['**/*.test.ts', '**/*.fixture.ts'] });
  expect(paths.length).toBeGreaterThan(200);
  const refusedPaths = paths.filter((path) => {
    const text = readFileSync(join(folder, path), 'utf8');
    return findElisionInNewText(text, getTextFormat(path)) !== undefined;
  });
  expect(refusedPaths).toEqual([]);
});

test.each([
  ['comments in a template', 'ts', 'const a = `\n', '// ...\n'],
  ['dots in a text of YAML', 'yaml', 'a: |\n', '  ...\n'],
  ['dots in a list', 'py', 'a = [\n', '  ...\n\n'],
  ['escaped quotation marks', 'ts', '// ...\n"', String.raw`\"\'`],
  ['blank lines', 'ts', 'a', '\n\n'],
  ['blank lines with white space', 'py', 'a', ' \r'],
])(
  'findElisionInNewText takes time in proportion to the number of %s',
  (_, format, prefix, repeatedText) => {
    const run = (size: number): unknown =>
      findElisionInNewText(prefix + repeatedText.repeat(size), format);
    expect(measureGrowth(run, { smallSize: 1_000, smallCount: 8 }).timeRatio).toBeLessThan(3);
  },
);

test.each([
  ['many spaces in the comment before it', '// a', ' ', 'b\n// ... rest of the code\nrun();\n'],
  ['many asterisks in the comment after it', '// ... rest of the code\n// a', '*', 'b\nrun();\n'],
])(
  'findElisionInNewText finds a placeholder in linear time despite %s',
  (_, prefix, repeatedText, suffix) => {
    const run = (size: number): unknown =>
      findElisionInNewText(prefix + repeatedText.repeat(size) + suffix, 'ts');
    expect(measureGrowth(run, { smallSize: 2_000, smallCount: 8 }).timeRatio).toBeLessThan(3);
  },
);

test('findElisionInNewText reads a long line of YAML in linear time', () => {
  const run = (size: number): unknown =>
    findElisionInNewText(`${':\t>#'.repeat(size)}\u2028x\n# ... rest of the code\na: 1\n`, 'yaml');
  expect(measureGrowth(run, { smallSize: 2_000, smallCount: 8 }).timeRatio).toBeLessThan(3);
});
