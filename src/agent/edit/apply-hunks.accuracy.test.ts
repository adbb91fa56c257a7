import { expect, test } from 'vitest';
import { createEditCases, readSources } from '../../../test/support/edit-cases/edit-cases.ts';
import {
  measureBlocks,
  measureEdits,
  sumFigures,
} from '../../../test/support/edit-cases/measure.ts';
import { applyHunks } from './apply-hunks.ts';

const editCases = createEditCases(readSources(), { seed: 7, count: 4_000 });
const editFigures = measureEdits(editCases);

test('applyHunks applies each edit of a real file that contains no mistake', () => {
  expectAccuracy('none', 1);
});

// The remaining edits have more than one possible meaning and are refused.
test.each([
  ['search dedented', 0.99],
  ['both dedented', 0.94],
  ['first line dedented', 0.96],
  ['first line of the search dedented', 0.97],
  ['other unit', 0.9],
  ['search with other unit', 0.97],
  ['trailing white space', 0.98],
  ['line numbers', 0.99],
  ['line numbers in the search', 1],
  ['line numbers with a bar', 1],
  ['line numbers with a colon', 1],
  ['fence', 0.9],
  ['fence in the search', 0.9],
  ['escaped', 0.98],
  ['escaped search', 0.98],
  ['escaped quotes', 0.92],
  ['misspelled', 0.7],
  ['search misspelled', 0.7],
  ['blank line added', 0.98],
  ['shared ellipsis', 0.85],
])('applyHunks applies edits of real files with the mistake "%s", or refuses them', expectAccuracy);

function expectAccuracy(kind: string, minRatio: number): void {
  const { correctCount, wrongCount, refusedCount } = editFigures.get(kind) ?? {
    correctCount: 0,
    wrongCount: 0,
    refusedCount: 0,
  };
  expect(wrongCount).toBe(0);
  expect(correctCount / (correctCount + wrongCount + refusedCount)).toBeGreaterThanOrEqual(
    minRatio,
  );
}

test('the error for a rejected edit of a real file contains the first line that the edit should have matched, with its number', () => {
  const { refusedCount, refusedWithLinesCount } = sumFigures(editFigures.values());
  expect(refusedCount).toBeGreaterThan(50);
  expect(refusedWithLinesCount / refusedCount).toBeGreaterThanOrEqual(0.96);
});

test('the error for a rejected code block names a line that the block should have matched in a real file', () => {
  const { refusedCount, refusedWithLinesCount, wrongCount } = measureBlocks(editCases);
  expect(refusedCount).toBeGreaterThan(50);
  expect(refusedWithLinesCount / refusedCount).toBeGreaterThanOrEqual(0.96);
  expect(wrongCount).toBe(0);
});

const classText = 'class A {\n    b() {\n        c();\n    }\n}\n';

test.each([
  [
    'only the search lacks it',
    'b() {\n    c();\n}',
    '    b() {\n        c();\n        d();\n    }',
  ],
  ['search and replacement lack it', 'b() {\n    c();\n}', 'b() {\n    c();\n    d();\n}'],
  [
    'only the first line of the search lacks it',
    'b() {\n        c();\n    }',
    '    b() {\n        c();\n        d();\n    }',
  ],
  [
    'the first lines of search and replacement lack it',
    'b() {\n        c();\n    }',
    'b() {\n        c();\n        d();\n    }',
  ],
  ['a search of one line lacks it', 'c();', '        c();\n        d();'],
  ['a search of one line and its replacement lack it', 'c();', 'c();\nd();'],
])('applyHunks inserts a line with the indentation of the file if %s', (_, search, replace) => {
  expect(applyHunks(classText, [{ search, replace }])).toMatchObject({
    text: classText.replace('c();', 'c();\n        d();'),
  });
});

test('applyHunks does not change the indentation of inserted lines that close one block and open another', () => {
  const replace = 'c();\n    }\n    e() {\n        f();';
  expect(applyHunks(classText, [{ search: 'c();', replace }])).toMatchObject({
    text: classText.replace('c();', replace),
  });
});

const listText = 'const a = {\n    b: 1,\n    c: 2,\n  };\n';

test.each([
  // Brackets that the search contains too are no evidence for the indentation of the next line.
  ['a line added after a bracket', '  });\n', '});', '});\nadded();', '  });\n  added();\n'],
  ['the removal of an indented bracket', '  }\n}\n', '1\t  }\n2\t}', '1\t}', '}\n'],
  ['escaped quotation marks', 'a("\\n");\n', 'a(\\"\\\\n\\");', 'b("\\n");', 'b("\\n");\n'],
  ['an escaped line break', 'start();\n', 'start();', 'start();\\nstop();', 'start();\nstop();\n'],
  [
    'a typing error in the search',
    '  one  \n  token\n  two  \n',
    '  one  \n  toen\n  two  ',
    '  one  \n  toen\n  three  ',
    '  one  \n  token\n  three  \n',
  ],
])(
  'applyHunks writes the intended indentation for an edit with %s',
  (_, text, search, replace, expected) => {
    expect(applyHunks(text, [{ search, replace }])).toMatchObject({
      type: 'applied',
      text: expected,
    });
  },
);

test.each([
  // A block needs deeper lines.
  [
    'a block without deeper lines',
    '    if (a) {\n      b();\n    }\n',
    'if (a) {\n  b();\n}',
    'if (a) {\n    }',
  ],
  ['a new block inside brackets', '  f<\n    a,\n  >\n', 'f<\n  a,', 'f<\n  if b:\n    a,'],
  ['a comment that lost its indentation', '  // b: {\n  // c\n', '  // b: {', '// d: {'],
  // Only the first line, or all lines, can lack their indentation.
  [
    'missing indentation in some of its lines',
    listText,
    'b: 1,\nc: 2,',
    'b: 1,\n    if d:\n      c: 2,',
  ],
  // Tabs can have any width.
  [
    'tabs instead of spaces',
    '    f(\n        a,\n        b,\n    )\n',
    '\t\t\t\ta,\n\t\t\t\tb,',
    '\t\t\t\t{\n\t\t\t\t\t\ta,\n\t\t\t\t}\n\t\t\t\tb,',
  ],
])(
  'applyHunks refuses an edit whose intended indentation is unclear: an edit with %s',
  (_, text, search, replace) => {
    expect(applyHunks(text, [{ search, replace }]).type).toBe('refused');
  },
);

test.each([
  ['b() {\n    c();\n}', '    b() {\n    c();\n    }'],
  ['c();', 'c();\n\nd();\n'],
])(
  'applyHunks refuses to replace %j with %j, because the indentation is contradictory',
  (search, replace) => {
    expect(applyHunks(classText, [{ search, replace }])).toMatchObject({ type: 'refused' });
  },
);

test.each([
  ['after a Python comment', 'py', '# save\n', '# save', '# save\\nstop()', '# save\nstop()\n'],
  [
    'before a TypeScript string with another escape',
    'ts',
    'run()\n',
    'run()',
    'run()\\nlog("a\\nb")',
    'run()\nlog("a\\nb")\n',
  ],
  [
    'between TypeScript statements',
    'ts',
    'run()\n',
    'run()',
    'run()\\nlog()\\nend()',
    'run()\nlog()\nend()\n',
  ],
])(
  'applyHunks converts an escaped line break %s to a line break',
  (_, format, text, search, replace, expected) => {
    expect(applyHunks(text, [{ search, replace }], format)).toMatchObject({ text: expected });
  },
);

test.each([
  ['\\newpage', '\\section{A}', 'tex', 'Text\n\\section{A}\n'],
  ['\\newpage', 'Text', 'tex', 'Text\n'],
  ['\\neq y', 'x', 'md', '$$\nx\n$$\n'],
  ['\\nu', '# y = \\alpha', 'py', '# y = \\alpha\nrun()\n'],
  ['\\nu', '# y', 'py', '# \\alpha\n# y\nrun()\n'],
  ['\\new', 'path=C:', 'ini', '[a]\npath=C:\n'],
  ['\\new\\tmp', '// C:\\tools', 'ts', '// C:\\tools\nrun();\n'],
  ['\\new\\tmp', '// b', 'ts', '// b\nrun();\n'],
  ['\\nb', 'printf a', 'sh', '#!/bin/sh\nprintf a\n'],
  ['\\node', 'use App', 'php', '<?php\nuse App\n'],
  ['\\nbar', 'foo', 'ts', 'const a = `\nfoo\n`;\n'],
  ['\\nbar', 'foo', 'py', 'a = """\nfoo\n"""\n'],
  ['\\nbar', 'foo', '', 'foo\n'],
])(
  'applyHunks keeps the backslash of %j if a hunk appends this text to %j in a file of the format %j',
  (addedText, search, format, text) => {
    const result = applyHunks(text, [{ search, replace: search + addedText }], format);
    expect(result).toMatchObject({ text: text.replace(search, () => search + addedText) });
  },
);
