import { describe, expect, test } from 'vitest';
import { applyHunks } from './apply-hunks.ts';

const fileText = 'class A {\n    b() {\n        c();\n        d();\n    }\n}\n';

test('applyHunks restores the indentation of the first line if only the first line lost it', () => {
  const [search, replace] = ['        c();\n        d();', 'c();\n        e();\n        d();'];
  expect(applyHunks(fileText, [{ search, replace }])).toMatchObject({
    text: fileText.replace('c();\n', 'c();\n        e();\n'),
    matches: ['tolerant'],
  });
});

test('applyHunks restores the lost indentation of a replacement from the lines that it shares with the search', () => {
  const [search, replace] = ['        c();\n        d();', 'c();\ne();\nd();'];
  expect(applyHunks(fileText, [{ search, replace }])).toMatchObject({
    text: fileText.replace('c();\n', 'c();\n        e();\n'),
  });
});

test('applyHunks adds the indentation of the file to all lines of a replacement if the search lacks this indentation', () => {
  const hunk = { search: 'c();\nd();\n', replace: 'c();\nif (e) {\n    f();\n}\nd();\n' };
  expect(applyHunks(fileText, [hunk])).toMatchObject({
    text: fileText.replace('c();\n', 'c();\n        if (e) {\n            f();\n        }\n'),
    matches: ['tolerant'],
  });
});

test('applyHunks keeps a first line at column 0 if the line is a directive, a makefile rule or a declaration', () => {
  const makefileText = 'all:\n\tcc a.c\n\tcc b.c\n';
  for (const replace of ['ifdef DEBUG\n\tcc a.c', 'clean:']) {
    expect(applyHunks(makefileText, [{ search: '\tcc a.c', replace }])).toMatchObject({
      text: makefileText.replace('\tcc a.c', replace),
    });
  }
  const pythonText = 'class A:\n    a = 1\n    b = 2\n';
  const replace = 'def f():\n    return 1';
  expect(applyHunks(pythonText, [{ search: '    b = 2', replace }])).toMatchObject({
    text: pythonText.replace('    b = 2', replace),
  });
});

test.each([
  ['        c();\n        d();', 'e();'],
  ['    b() {\n        c();', 'f() {\n    c();'],
  ['c();\n        d();\n    }', '    }\n    }'],
])('applyHunks refuses a replacement that lost its indentation: %j → %j', (search, replace) => {
  expect(applyHunks(fileText, [{ search, replace }])).toMatchObject({ code: 'indentation' });
});

test.each([
  ['        c();\n        d();', 'c();\nd();'],
  ['        c();\n        d();', '    c();\n    e();\n    d();'],
])('applyHunks keeps a replacement with different indentation: %j → %j', (search, replace) => {
  expect(applyHunks(fileText, [{ search, replace }])).toMatchObject({
    text: fileText.replace(search, replace),
  });
});

test('applyHunks applies a new indentation of a line if another line has the same indentation in search and replacement', () => {
  const search = '    b() {\n        c();\n        d();\n    }\n}';
  const replace = '    b() {\n        c();\n    }\n}\nd();';
  expect(applyHunks(fileText, [{ search, replace }])).toMatchObject({
    text: fileText.replace(search, replace),
  });
});

test('applyHunks does not treat a space inside a line as indentation', () => {
  expect(applyHunks('a b c\n', [{ search: ' b', replace: ',b' }])).toMatchObject({
    text: 'a,b c\n',
  });
});

describe('the indentation of a replacement with `occurrence` or `all`', () => {
  const repeatedBlocks = 'a {\n    foo();\n}\nb {\n        foo();\n}\n';

  test('is not added if the first line is already indented', () => {
    const hunk = { search: 'foo();', replace: '        foo();\n        bar();', occurrence: 2 };
    expect(applyHunks(repeatedBlocks, [hunk])).toMatchObject({
      text: repeatedBlocks.replace(/foo\(\);\n\}\n$/u, 'foo();\n        bar();\n}\n'),
      matches: ['tolerant'],
      counts: [2],
    });
  });

  test('is adapted to each match', () => {
    const hunk = { search: 'foo();', replace: 'foo();\nbar();', all: true };
    expect(applyHunks(repeatedBlocks, [hunk])).toMatchObject({
      text: 'a {\n    foo();\n    bar();\n}\nb {\n        foo();\n        bar();\n}\n',
      matches: ['tolerant'],
      counts: [2],
    });
  });

  test('is restored from the lines that the replacement shares with the search', () => {
    const [search, replace] = ['        c();\n        d();', 'c();\ne();\nd();'];
    expect(applyHunks(fileText + fileText, [{ search, replace, occurrence: 2 }])).toMatchObject({
      text: fileText + fileText.replace('c();\n', 'c();\n        e();\n'),
    });
    expect(applyHunks(fileText + fileText, [{ search, replace, all: true }])).toMatchObject({
      text: fileText.replace('c();\n', 'c();\n        e();\n').repeat(2),
    });
  });

  test('causes a rejection if search and replacement share no line that shows the correct indentation', () => {
    const hunk = { search: '        c();\n        d();', replace: 'e();' };
    for (const selection of [{ occurrence: 1 }, { all: true }])
      expect(applyHunks(fileText + fileText, [{ ...hunk, ...selection }])).toMatchObject({
        code: 'indentation',
      });
  });

  test('is kept if two equal hunks indent two matches one after the other', () => {
    const hunk = { search: '    foo();', replace: '        bar();', occurrence: 1 };
    expect(applyHunks('x\n    foo();\n    foo();\n', [hunk, hunk])).toMatchObject({
      text: 'x\n        bar();\n        bar();\n',
    });
  });
});

describe('a search that lost part of its indentation', () => {
  const nestedBlock = 'def a():\n    if b:\n        return x\n';

  test.each([
    ['    return x', '    y = 1\n    return x', '        y = 1\n        return x'],
    ['    return x', '        y = 1\n        return x', '        y = 1\n        return x'],
    ['    return x', '    y = 1\n        return x', '        y = 1\n        return x'],
    ['    return x', '    if c:\n        return x', '        if c:\n            return x'],
    ['    return x', '    return y', '        return y'],
    ['    return x', '        return y', '        return y'],
  ])(
    'is accepted, and the replacement of %j with %j is indented like the file: %j',
    (search, replace, expected) => {
      for (const selection of [{}, { occurrence: 1 }, { all: true }])
        expect(applyHunks(nestedBlock, [{ search, replace, ...selection }])).toMatchObject({
          text: nestedBlock.replace('        return x', expected),
        });
    },
  );

  test.each([
    ['  return x', '  y = 1\n\n  z = 1'],
    ['    return x', '  y = 1\n  return x'],
  ])(
    'is refused if the intended indentation is unclear, as in the replacement of %j with %j',
    (search, replace) => {
      for (const selection of [{}, { occurrence: 1 }, { all: true }])
        expect(applyHunks(nestedBlock, [{ search, replace, ...selection }])).toMatchObject({
          code: 'indentation',
        });
    },
  );

  test('matches if only the first line lost its indentation', () => {
    const [search, replace] = ['  b() {\n        c();', '  b() {\n        e();\n        c();'];
    expect(applyHunks(fileText, [{ search, replace }])).toMatchObject({
      text: fileText.replace('c();', 'e();\n        c();'),
    });
  });
});
