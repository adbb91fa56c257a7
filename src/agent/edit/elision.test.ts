import { expect, test } from 'vitest';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureGrowth } from '../../../test/support/growth.ts';
import { root } from '../../../test/support/paths.ts';
import { findElision } from './elision.ts';
import { getTextFormat } from './new-text-elision.ts';
import {
  commentForms,
  nonPlaceholders,
  nonPlaceholdersInAnyEdit,
  placeholders,
  placeholdersForSeveralLines,
  placeholdersOfRemovedLines,
  placeholderTexts,
  proseCommentForms,
} from './elision.fixture.ts';

test.each([
  '// ... existing code ...',
  '  // ...existing code...',
  '// ... rest of the code ...',
  '// rest of the function remains the same',
  '// Rest of the file unchanged',
  '// existing code here',
  '// ... (unchanged)',
  '// ...',
  '# ...',
  '# ... rest of the class',
  '# (rest of the code remains unchanged)',
  '/* ... existing styles ... */',
  '/* … */',
  '{/* ... existing components ... */}',
  '<!-- ... existing content ... -->',
  '<!-- rest of the file -->',
  '-- ... other columns ...',
  '; ... same as before ...',
  '    # keep existing code',
  '[... existing code ...]',
  '... existing code ...',
  '""" ... existing code ... """',
])('findElision detects the placeholder %s', (line) => {
  expect(findElision('a\nb', `a\n${line}\nb`)).toBe(line);
});

test.each([
  '...',
  '  ...',
  '# Waits for more...',
  '// The rest is generated',
  '// Loading…',
  '// TODO: remove the existing code path once nobody calls it',
  'const all = [...existing, ...rest];',
  '  ...rest,',
  'function f(...args) {',
  "console.log('... existing code ...');",
  '* one, two, three ...',
  '## Existing users',
  '// unchanged since 2019, see the archive',
  '',
])('findElision finds no placeholder in the line %j', (line) => {
  expect(findElision('a\nb', `a\n${line}\nb`)).toBeUndefined();
});

/** Edit that inserts the line `LINE`. */
const insertionTexts = ['a\nb', 'a\nLINE\nb'] as const;
/** Edit that replaces several lines with the line `LINE` and one other line. */
const removalTexts = ['a\nb\nc\nd\ne', 'a\nLINE\nf\ne'] as const;
/** Edit that replaces several lines with only the line `LINE`. */
const severalLinesTexts = ['a\nb\nc\nd\ne', 'a\nLINE\ne'] as const;

const findElisionInLine = (
  [search, replace]: readonly [string, string],
  line: string,
): string | undefined =>
  findElision(
    search,
    replace.replace('LINE', () => line),
  );

test.each([
  ['inserts the placeholder', insertionTexts],
  ['replaces several lines with the placeholder and another line', removalTexts],
  ['replaces several lines with only the placeholder', severalLinesTexts],
] as const)('findElision detects every typical placeholder in an edit that %s', (_, edit) => {
  const allPlaceholders = [...placeholders, '# Rest of `MyClass` unchanged'];
  expect(allPlaceholders.filter((line) => findElisionInLine(edit, line) !== line)).toEqual([]);
});

test('findElision detects a placeholder after code on a changed line', () => {
  const line = '  // The rest of the class stays the same.';
  const search = '  a() {}\n  b() {}\n  c() {}\n  d() {}\n}';
  expect(findElision(search, `  a() { return 1; }\n${line}\n}`)).toBe(line);
});

test('findElision detects listed lines that could be comments only in an edit that removes lines', () => {
  const missedPlaceholders = placeholdersOfRemovedLines.filter(
    (line) => findElision('a\nb\nc\nd', `a\n${line}`) !== line,
  );
  expect(missedPlaceholders).toEqual([]);
  const refusedPlaceholders = placeholdersOfRemovedLines.filter(
    (line) => findElision('a\nb', `a\n${line}\nb`) !== undefined,
  );
  expect(refusedPlaceholders).toEqual([]);
});

test('findElision detects listed lines that are probably comments if the line alone replaces several lines', () => {
  const missedPlaceholders = placeholdersForSeveralLines.filter(
    (line) => findElision('a\nb\nc\nd\ne', `a\n${line}\ne`) !== line,
  );
  expect(missedPlaceholders).toEqual([]);
});

test.each([
  ['inserts such a line', 'a\nb\nc', 'a\nLINE\nb\nc'],
  ['replaces one line with such a line', 'a\nb\nc', 'a\nLINE\nc'],
  ['replaces several lines with such a line and another line', 'a\nb\nc\nd\ne', 'a\nLINE\nf\ne'],
])(
  'findElision ignores lines that are probably comments in an edit that %s',
  (_, search, replace) => {
    const refusedPlaceholders = placeholdersForSeveralLines.filter(
      (line) => findElision(search, replace.replace('LINE', line)) !== undefined,
    );
    expect(refusedPlaceholders).toEqual([]);
  },
);

test('findElision takes linear time for lines that are slow to match with regular expressions', () => {
  // Backtracking would exceed the time limit of the test.
  const repeatedTexts = [
    '<!>',
    '(',
    '<a>',
    '...',
    '…',
    '/*',
    '{{',
    '[(',
    '=*',
    '1.',
    '\\',
    '-- ',
    '. ',
  ];
  for (const repeatedText of repeatedTexts) {
    for (const suffix of ['', 'x', '>']) {
      const line = repeatedText.repeat(Math.floor(139 / repeatedText.length)) + suffix;
      expect(() => findElision('a', line)).not.toThrow();
    }
  }
});

test('findElision returns nothing for lines that resemble placeholders', () => {
  const refusedPlaceholders = nonPlaceholders.filter(
    (line) => findElision('a\nb', `a\n${line}\nb`) !== undefined,
  );
  expect(refusedPlaceholders).toEqual([]);
});

test.each([
  ['// ...\na', '  // ...\nb'],
  ['// ...\na\n// ...', '// ...\n// ...\nb'],
  ['1\ta\n2\t// ...\n3\tb', 'a\n// ...\nc'],
  ['[1] a\n[2] // ...', 'b\n// ...'],
  ['a\\n  // ...\\nb', 'a\n  // ...\nc'],
])(
  'findElision ignores a placeholder that occurs in the replacement no more often than in the search: %j → %j',
  (search, replace) => {
    expect(findElision(search, replace)).toBeUndefined();
  },
);

test.each([
  ['// ...\na\nb\nc\nd', '// ...\na\n// ...\nd', '// ...'],
  ['// ...\na\nb', '// ...\n// ...\nb', '// ...'],
  ['f() { // ...\n  a\n  b\n}', 'f() { // ...\n  // ...\n}', '  // ...'],
  ['a // rest of code\nb\nc', 'a // rest of code\n// rest of code', '// rest of code'],
  ['1\ta\n2\t// ...\n3\tb', '// ...\na\n// ...', '// ...'],
])(
  'findElision detects a placeholder that occurs more often in the replacement than in the search: %j → %j',
  (search, replace, placeholder) => {
    expect(findElision(search, replace)).toBe(placeholder);
  },
);

const createText = (size: number, toLine: (index: number) => string): string =>
  Array.from({ length: size }, (_, index) => toLine(index)).join('\n');

test.each([
  ['new lines', (index: number) => `const b${index} = ${index};`],
  ['comments', (index: number) => `const b${index} = 0;\n// hidden`],
  ['three dots', (index: number) => `f${index}:\n  ...\n`],
])('findElision takes time in proportion to the size of an edit with %s', (_, toLine) => {
  const run = (size: number): void => {
    const search = createText(size * 2, (index) => `const a${index} = ${index};`);
    expect(findElision(search, createText(size, toLine))).toBeUndefined();
  };
  expect(measureGrowth(run, { smallSize: 1_000, smallCount: 8 }).timeRatio).toBeLessThan(3);
});

test.each([
  ['inserts such a line', insertionTexts],
  ['replaces several lines with such a line and another line', removalTexts],
] as const)(
  'findElision ignores lines that are never placeholders in an edit that %s',
  (_, edit) => {
    expect(
      nonPlaceholdersInAnyEdit.filter((line) => findElisionInLine(edit, line) !== undefined),
    ).toEqual([]);
  },
);

test('findElision detects a placeholder comment that is the whole body of a branch', () => {
  const line = '} else { // unchanged';
  expect(findElision('a\nb', `a\n${line}\n}\nb`)).toBe(line);
  expect(findElision('a\nb', `a\n${line}\n  c();\n}\nb`)).toBeUndefined();
});

test('findElision detects a docstring of dots as a placeholder only if the docstring replaces removed lines', () => {
  expect(findElisionInLine(insertionTexts, '"""..."""')).toBeUndefined();
  expect(findElisionInLine(removalTexts, '"""..."""')).toBe('"""..."""');
});

test.each(Object.entries({ ...commentForms, ...proseCommentForms }))(
  'findElision detects every kind of placeholder in an edit with a comment of the form %j',
  (comment, pathsText) => {
    for (const [search, replace] of [insertionTexts, removalTexts, severalLinesTexts]) {
      const missedPlaceholders = placeholderTexts.flatMap((placeholderText) => {
        const text = replace.replace('LINE', () => comment.replace('…', placeholderText));
        return pathsText
          .split(' ')
          .filter((path) => findElision(search, text, getTextFormat(path)) === undefined)
          .map((path) => `${path} ${text}`);
      });
      expect(missedPlaceholders).toEqual([]);
    }
  },
);

test.each([
  '…',
  '(unchanged)',
  '[... rest of the file ...]',
  '... rest of code',
  '... (lines 20-40 unchanged) ...',
  '<... existing code ...>',
  '(rest of the code remains the same)',
  'lines 20-40 unchanged',
  'keep the rest',
  'function f() { ... }',
  'const f = () => { ... };',
  'class A { /* ... existing methods ... */ }',
  '<ul><!-- ... existing items ... --></ul>',
  'return { // ... existing fields',
  'def f(self): ...  # rest of the code',
  'pass  # ... existing code ...',
])('findElision detects a placeholder in the line %s', (line) => {
  expect(findElision('a\nb', `a\n${line}\nb`)).toBe(line);
});

test.each([
  ['def f(self):\n    return 1', 'def f(self):\n    ...'],
  ['class E(Exception):\n    pass', 'class E(Exception):\n    """Text."""\n    ...\n\nx = 1'],
  ['x: Tuple[int]', 'x: Tuple[\n    int,\n    ...\n]'],
  ['pass', '...'],
  ['Traceback:\n  x', 'Traceback (most recent call last):\n    ...\nValueError: 1'],
])('findElision ignores three dots that are code: %j → %j', (search, replace) => {
  expect(findElision(search, replace)).toBeUndefined();
});

test('findElision detects three dots as a placeholder if they replace removed lines', () => {
  expect(findElision('f() {\n  a();\n  b();\n}', 'g() {\n  ...\n}')).toBe('  ...');
  expect(findElision('f() {\n  a();\n  b();\n}', 'g() {\n  ...\n  b();\n}')).toBe('  ...');
});

interface SearchAndReplace {
  readonly search: string;
  readonly replace: string;
}

/**
 * Creates three edits for each comment in real files. The first inserts the comment. The others replace three lines
 * with the comment and another line, or two lines with only the comment.
 */
function createCommentEdits(
  pattern: string,
  folder: string,
): Record<'insert' | 'beside' | 'gap', SearchAndReplace>[] {
  return globSync(pattern, { cwd: folder }).flatMap((path) => {
    const lines = readFileSync(join(folder, path), 'utf8').split('\n').slice(0, 1_500);
    return lines.flatMap((line, index) => {
      if (line.length > 140 || !/^\s*(?:\/\/|#|\/\*|\*)/u.test(line)) return [];
      const linesBefore = lines.slice(Math.max(0, index - 2), index);
      const linesAfter = lines.slice(index + 1, index + 3);
      const createEdit = (
        removedLines: readonly string[],
        addedLines: readonly string[],
      ): SearchAndReplace => ({
        search: [...linesBefore, ...removedLines, ...linesAfter].join('\n'),
        replace: [...linesBefore, ...addedLines, ...linesAfter].join('\n'),
      });
      return {
        insert: createEdit([], [line]),
        beside: createEdit(['removed();', 'removedToo();', 'last();'], [line, 'added();']),
        gap: createEdit(['removed();', 'removedToo();'], [line]),
      };
    });
  });
}

test.each([
  ['node_modules/{mocha,ws,fast-check,fastify,undici,valibot}/**/*.js', root],
  ['*.py', '/usr/lib/python3.11'],
])(
  'findElision finds almost no placeholders in comments of the real files %s',
  (pattern, folder) => {
    const editVariants = createCommentEdits(pattern, folder);
    const isRefused = ({ search, replace }: SearchAndReplace): boolean =>
      findElision(search, replace) !== undefined;
    expect(editVariants.filter(({ insert }) => isRefused(insert)).length).toBeLessThanOrEqual(
      3 + editVariants.length / 5_000,
    );
    expect(editVariants.filter(({ beside }) => isRefused(beside)).length).toBeLessThanOrEqual(
      3 + editVariants.length / 500,
    );
    expect(editVariants.filter((edit) => isRefused(edit.gap)).length).toBeLessThanOrEqual(
      editVariants.length / 200,
    );
  },
);

/** Creates edits with each line of real files that contains an ellipsis or typical words of placeholders. */
function createPlaceholderEdits(
  pattern: string,
  folder: string,
): { search: string; replace: string }[] {
  return globSync(pattern, { cwd: folder })
    .flatMap((path) => readFileSync(join(folder, path), 'utf8').split('\n').slice(0, 5_000))
    .map((line, index, lines) => ({
      line,
      context: lines.slice(Math.max(0, index - 4), index + 5),
    }))
    .filter(({ line }) =>
      /\.{3}|…|\b(?:rest|remaining|previous|same)\b|unchanged|existing|omit|trunc|skip/iu.test(
        line,
      ),
    )
    .map(({ line, context }) => ({
      search: context.filter((contextLine) => contextLine.trim() !== line.trim()).join('\n'),
      replace: context.join('\n'),
    }));
}

test.each([
  ['node_modules/{viem,mocha,ws,fast-check,fastify,undici,valibot}/**/*.{ts,js,md}', root],
  ['*.py', '/usr/lib/python3.11'],
])('findElision finds almost no placeholders in lines of the real files %s', (pattern, folder) => {
  const edits = createPlaceholderEdits(pattern, folder);
  const foundPlaceholders = new Set(
    edits.map(({ search, replace }) => findElision(search, replace)?.trim()),
  );
  // Examples in documentation contain real placeholders.
  expect(foundPlaceholders.size).toBeLessThanOrEqual(3 + edits.length / 1_000);
});
