import { expect, test } from 'vitest';
import { createEditCases, readSources } from '../../../test/support/edit-cases/edit-cases.ts';
import { measureEdits, sumFigures } from '../../../test/support/edit-cases/measure.ts';
import { applyHunks } from './apply-hunks.ts';

const editFigures = measureEdits(createEditCases(readSources(), { seed: 7, count: 4_000 }));

// The remaining edits have more than one possible meaning.
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
  ['shared ellipsis', 0.85],
])('applyHunks applies edits of real files that contain the mistake "%s"', (kind, minRatio) => {
  const { correctCount, wrongCount, refusedCount } = editFigures.get(kind) ?? {
    correctCount: 0,
    wrongCount: 0,
    refusedCount: 0,
  };
  expect(correctCount / (correctCount + wrongCount + refusedCount)).toBeGreaterThanOrEqual(
    minRatio,
  );
});

test('the error for a rejected edit of a real file contains the lines that the edit should have matched, with line numbers', () => {
  const { refusedCount, refusedWithLinesCount } = sumFigures(editFigures.values());
  expect(refusedCount).toBeGreaterThan(50);
  expect(refusedWithLinesCount / refusedCount).toBeGreaterThanOrEqual(0.96);
});

const classText = 'class A {\n    b() {\n        c();\n    }\n}\n';

test.each([
  ['b() {\n    c();\n}', '    b() {\n        c();\n        d();\n    }'],
  ['b() {\n    c();\n}', 'b() {\n    c();\n    d();\n}'],
  ['b() {\n        c();\n    }', '    b() {\n        c();\n        d();\n    }'],
  ['b() {\n        c();\n    }', 'b() {\n        c();\n        d();\n    }'],
  ['c();', '        c();\n        d();'],
  ['c();', 'c();\nd();'],
])('applyHunks uses the indentation in the hunk %j → %j', (search, replace) => {
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

test.each([
  ['b() {\n    c();\n}', '    b() {\n    c();\n    }'],
  ['c();', 'c();\n\nd();\n'],
])('applyHunks refuses contradictory indentation in %j → %j', (search, replace) => {
  expect(applyHunks(classText, [{ search, replace }])).toMatchObject({ type: 'refused' });
});
