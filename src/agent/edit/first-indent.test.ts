import { expect, test } from 'vitest';
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
