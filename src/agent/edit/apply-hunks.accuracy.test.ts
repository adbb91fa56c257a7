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

// The remaining edits have more than one possible meaning and are refused.
test.each([
  ['none', 1],
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
])(
  'applyHunks applies edits of real files with the mistake "%s", or refuses them',
  (kind, minRatio) => {
    const { correctCount, wrongCount, refusedCount } = editFigures.get(kind) ?? {
      correctCount: 0,
      wrongCount: 0,
      refusedCount: 0,
    };
    expect(wrongCount).toBe(0);
    expect(correctCount / (correctCount + wrongCount + refusedCount)).toBeGreaterThanOrEqual(
      minRatio,
    );
  },
);

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
  ['b() {\n    c();\n}', '    b() {\n        c();\n        d();\n    }'],
  ['b() {\n    c();\n}', 'b() {\n    c();\n    d();\n}'],
  ['b() {\n        c();\n    }', '    b() {\n        c();\n        d();\n    }'],
  ['b() {\n        c();\n    }', 'b() {\n        c();\n        d();\n    }'],
  ['c();', '        c();\n        d();'],
  ['c();', 'c();\nd();'],
])(
  'applyHunks indents the inserted line like the file, regardless of the indentation in the hunk %j → %j',
  (search, replace) => {
    expect(applyHunks(classText, [{ search, replace }])).toMatchObject({
      text: classText.replace('c();', 'c();\n        d();'),
    });
  },
);

test('applyHunks does not change the indentation of inserted lines that close one block and open another', () => {
  const replace = 'c();\n    }\n    e() {\n        f();';
  expect(applyHunks(classText, [{ search: 'c();', replace }])).toMatchObject({
    text: classText.replace('c();', replace),
  });
});

const listText = 'const a = {\n    b: 1,\n    c: 2,\n  };\n';

test.each([
  // Brackets that the search contains too are no evidence for the indentation of the next line.
  ['  });\n', '});', '});\nadded();', '  });\n  added();\n'],
  ['  }\n}\n', '1\t  }\n2\t}', '1\t}', '}\n'],
  // A block needs deeper lines.
  ['    if (a) {\n      b();\n    }\n', 'if (a) {\n  b();\n}', 'if (a) {\n    }', undefined],
  ['  f<\n    a,\n  >\n', 'f<\n  a,', 'f<\n  if b:\n    a,', undefined],
  ['  // b: {\n  // c\n', '  // b: {', '// d: {', undefined],
  // Only the first line, or all lines, can lack their indentation.
  [listText, 'b: 1,\nc: 2,', 'b: 1,\n    if d:\n      c: 2,', undefined],
  // Tabs can have any width.
  [
    '    f(\n        a,\n        b,\n    )\n',
    '\t\t\t\ta,\n\t\t\t\tb,',
    '\t\t\t\t{\n\t\t\t\t\t\ta,\n\t\t\t\t}\n\t\t\t\tb,',
    undefined,
  ],
  ['a("\\n");\n', 'a(\\"\\\\n\\");', 'b("\\n");', 'b("\\n");\n'],
  ['start();\n', 'start();', 'start();\\nstop();', 'start();\nstop();\n'],
  [
    '  one  \n  token\n  two  \n',
    '  one  \n  toen\n  two  ',
    '  one  \n  toen\n  three  ',
    '  one  \n  token\n  three  \n',
  ],
])('applyHunks writes the intended indentation into %j, or refuses the edit: %j → %j', (...row) => {
  const [text, search, replace, expected] = row;
  const result = applyHunks(text, [{ search, replace }]);
  expect(result.type === 'applied' ? result.text : undefined).toBe(expected);
});

test.each([
  ['b() {\n    c();\n}', '    b() {\n    c();\n    }'],
  ['c();', 'c();\n\nd();\n'],
])('applyHunks refuses contradictory indentation in %j → %j', (search, replace) => {
  expect(applyHunks(classText, [{ search, replace }])).toMatchObject({ type: 'refused' });
});

test.each([
  ['py', '# save\n', '# save', '# save\\nstop()', '# save\nstop()\n'],
  ['ts', 'run()\n', 'run()', 'run()\\nlog("a\\nb")', 'run()\nlog("a\\nb")\n'],
  ['ts', 'run()\n', 'run()', 'run()\\nlog()\\nend()', 'run()\nlog()\nend()\n'],
])(
  'applyHunks reads an escaped line break at the end of a line of %s code as a line break: %j, %j → %j',
  (format, text, search, replace, expected) => {
    expect(applyHunks(text, [{ search, replace }], format)).toMatchObject({ text: expected });
  },
);

test.each([
  ['tex', 'Text\n\\section{A}\n', '\\section{A}', '\\newpage'],
  ['tex', 'Text\n', 'Text', '\\newpage'],
  ['md', '$$\nx\n$$\n', 'x', '\\neq y'],
  ['py', '# y = \\alpha\nrun()\n', '# y = \\alpha', '\\nu'],
  ['py', '# \\alpha\n# y\nrun()\n', '# y', '\\nu'],
  ['ini', '[a]\npath=C:\n', 'path=C:', '\\new'],
  ['ts', '// C:\\tools\nrun();\n', '// C:\\tools', '\\new\\tmp'],
  ['ts', '// b\nrun();\n', '// b', '\\new\\tmp'],
  ['sh', '#!/bin/sh\nprintf a\n', 'printf a', '\\nb'],
  ['php', '<?php\nuse App\n', 'use App', '\\node'],
  ['ts', 'const a = `\nfoo\n`;\n', 'foo', '\\nbar'],
  ['py', 'a = """\nfoo\n"""\n', 'foo', '\\nbar'],
  ['', 'foo\n', 'foo', '\\nbar'],
])(
  'applyHunks does not convert the backslash of an appended word to a line break in the format %j: %j, %j + %j',
  (format, text, search, addedText) => {
    const result = applyHunks(text, [{ search, replace: search + addedText }], format);
    expect(result).toMatchObject({ text: text.replace(search, () => search + addedText) });
  },
);
