import { describe, expect, test } from 'vitest';
import { applyHunks } from './apply-hunks.ts';

const file = 'class A {\n    b() {\n        c();\n        d();\n    }\n}\n';

test('restores the indentation of a first line that alone lost its indentation', () => {
  const [search, replace] = ['        c();\n        d();', 'c();\n        e();\n        d();'];
  expect(applyHunks(file, [{ search, replace }])).toMatchObject({
    text: file.replace('c();\n', 'c();\n        e();\n'),
    matches: ['tolerant'],
  });
});

test('restores the indentation of a replacement that shares lines with the search', () => {
  const [search, replace] = ['        c();\n        d();', 'c();\ne();\nd();'];
  expect(applyHunks(file, [{ search, replace }])).toMatchObject({
    text: file.replace('c();\n', 'c();\n        e();\n'),
  });
});

test('keeps a directive, a declaration and a new rule at column 0', () => {
  const makefile = 'all:\n\tcc a.c\n\tcc b.c\n';
  for (const replace of ['ifdef DEBUG\n\tcc a.c', 'clean:']) {
    expect(applyHunks(makefile, [{ search: '\tcc a.c', replace }])).toMatchObject({
      text: makefile.replace('\tcc a.c', replace),
    });
  }
  const python = 'class A:\n    a = 1\n    b = 2\n';
  const replace = 'def f():\n    return 1';
  expect(applyHunks(python, [{ search: '    b = 2', replace }])).toMatchObject({
    text: python.replace('    b = 2', replace),
  });
});

test.each([
  ['        c();\n        d();', 'e();'],
  ['    b() {\n        c();', 'f() {\n    c();'],
  ['c();\n        d();\n    }', '    }\n    }'],
])('refuses a replacement that lost its indentation: %j → %j', (search, replace) => {
  expect(applyHunks(file, [{ search, replace }])).toMatchObject({ code: 'indentation' });
});

test.each([
  ['        c();\n        d();', 'c();\nd();'],
  ['        c();\n        d();', '    c();\n    e();\n    d();'],
])('keeps a replacement with other indentation: %j → %j', (search, replace) => {
  expect(applyHunks(file, [{ search, replace }])).toMatchObject({
    text: file.replace(search, replace),
  });
});

test('keeps the changed indentation if a line keeps its indentation', () => {
  const search = '    b() {\n        c();\n        d();\n    }\n}';
  const replace = '    b() {\n        c();\n    }\n}\nd();';
  expect(applyHunks(file, [{ search, replace }])).toMatchObject({
    text: file.replace(search, replace),
  });
});

test('keeps a replacement that begins after a space inside a line', () => {
  expect(applyHunks('a b c\n', [{ search: ' b', replace: ',b' }])).toMatchObject({
    text: 'a,b c\n',
  });
});

describe('in selected matches', () => {
  const repeated = 'a {\n    foo();\n}\nb {\n        foo();\n}\n';

  test('removes indentation of the replacement that the file has', () => {
    const hunk = { search: 'foo();', replace: '        foo();\n        bar();', occurrence: 2 };
    expect(applyHunks(repeated, [hunk])).toMatchObject({
      text: repeated.replace(/foo\(\);\n\}\n$/u, 'foo();\n        bar();\n}\n'),
      matches: ['tolerant'],
      counts: [2],
    });
  });

  test('adds the indentation of each line', () => {
    const hunk = { search: 'foo();', replace: 'foo();\nbar();', all: true };
    expect(applyHunks(repeated, [hunk])).toMatchObject({
      text: 'a {\n    foo();\n    bar();\n}\nb {\n        foo();\n        bar();\n}\n',
      matches: ['tolerant'],
      counts: [2],
    });
  });

  test('restores the indentation of an indented search', () => {
    const [search, replace] = ['        c();\n        d();', 'c();\ne();\nd();'];
    expect(applyHunks(file + file, [{ search, replace, occurrence: 2 }])).toMatchObject({
      text: file + file.replace('c();\n', 'c();\n        e();\n'),
    });
    expect(applyHunks(file + file, [{ search, replace, all: true }])).toMatchObject({
      text: file.replace('c();\n', 'c();\n        e();\n').repeat(2),
    });
  });

  test('refuses a replacement that lost its indentation', () => {
    const hunk = { search: '        c();\n        d();', replace: 'e();' };
    for (const selection of [{ occurrence: 1 }, { all: true }])
      expect(applyHunks(file + file, [{ ...hunk, ...selection }])).toMatchObject({
        code: 'indentation',
      });
  });

  test('replaces the first match again if a repeated edit selects it', () => {
    const hunk = { search: '    foo();', replace: '        bar();', occurrence: 1 };
    expect(applyHunks('x\n    foo();\n    foo();\n', [hunk, hunk])).toMatchObject({
      text: 'x\n        bar();\n        bar();\n',
    });
  });
});

describe('a search with a part of the indentation', () => {
  const nested = 'def a():\n    if b:\n        return x\n';

  test.each([
    ['    return x', '    y = 1\n    return x', '        y = 1\n        return x'],
    ['    return x', '        y = 1\n        return x', '        y = 1\n        return x'],
    ['    return x', '    y = 1\n        return x', '        y = 1\n        return x'],
    ['    return x', '    if c:\n        return x', '        if c:\n            return x'],
    ['    return x', '    return y', '        return y'],
    ['    return x', '        return y', '        return y'],
    ['  return x', '  y = 1\n\n  z = 1', undefined],
    ['    return x', '  y = 1\n  return x', undefined],
  ])('%j → %j', (search, replace, expected) => {
    for (const selection of [{}, { occurrence: 1 }, { all: true }])
      expect(applyHunks(nested, [{ search, replace, ...selection }])).toMatchObject(
        expected === undefined
          ? { code: 'indentation' }
          : { text: nested.replace('        return x', expected) },
      );
  });

  test('can have other lines with all of it', () => {
    const [search, replace] = ['  b() {\n        c();', '  b() {\n        e();\n        c();'];
    expect(applyHunks(file, [{ search, replace }])).toMatchObject({
      text: file.replace('c();', 'e();\n        c();'),
    });
  });
});
