import { expect, test } from 'vitest';
import { applyHunks } from './apply-hunks.ts';
import type { Hunk } from './hunk.ts';
import { createRefusalError } from './edit-report.ts';

function getRefusal(text: string, hunk: Hunk): [string, string] {
  const result = applyHunks(text, [hunk]);
  if (result.type === 'applied') throw new Error('applied');
  const { code, message } = createRefusalError(result, 'src/a.ts');
  return [code, message];
}

test('createRefusalError reports the file, the number of the edit, the reason and the lines around each match', () => {
  expect(getRefusal('one\ntwo\none\n', { search: 'one', replace: '1' })).toEqual([
    'ambiguous',
    'src/a.ts was not changed. Edit 1: The search occurs in 2 places. Add lines around the right one, or set "occurrence" or "all".\nThe nearest lines:\n1\tone\n2\ttwo\n[…]\n2\ttwo\n3\tone\n4\t',
  ]);
});

test('createRefusalError reports the lines most similar to a search text without a match', () => {
  const [code, message] = getRefusal('const first = 1;\nconst second = 2;\n', {
    search: 'const second = 3;',
    replace: 'x',
  });
  expect(code).toBe('not-found');
  expect(message).toContain('2\tconst second = 2;');
});

test('if the search is empty, createRefusalError suggests an edit that applyHunks accepts', () => {
  const text = 'first();\nlast();\n';
  const [code, message] = getRefusal(text, { search: '', replace: 'added();\n' });
  expect(code).toBe('bad-arguments');
  expect(message).toMatch(
    /The search is empty, but the file is not\. Give lines of the file\. To insert text, repeat these lines in the replacement\.$/u,
  );
  const hunk = { search: 'last();\n', replace: 'last();\nadded();\n' };
  expect(applyHunks(text, [hunk])).toMatchObject({ text: `${text}added();\n` });
});

test('createRefusalError reports the line of a placeholder in the replacement', () => {
  const hunk = { search: 'a();\nb();', replace: 'a();\nx();\n// ... rest' };
  expect(getRefusal('a();\nb();\n', hunk)[1]).toContain(
    'Line 3 of the replacement is a placeholder for omitted lines: "// ... rest". Write every line in full, or search for fewer lines.',
  );
});

test.each([
  ['start();\nstop();', 'start();\n// ...'],
  ['start();\nstop();', 'start();\n    // ...'],
  ['```ts\nstart();\nstop();\n```', '```ts\nstart();\n// ...\n```'],
  ['Use it.', '<!-- ... existing text ... -->'],
  ['Use it.', 'Use it:\n\n```ts\n// ...'],
])(
  'applyHunks refuses to replace %j in a Markdown file with %j, which contains a placeholder',
  (search, replace) => {
    const text = '# Use\n\nUse it.\n\n```ts\nstart();\nstop();\n```\n';
    expect(applyHunks(text, [{ search, replace }], 'md')).toMatchObject({ code: 'elision' });
  },
);

test('createRefusalError reports the numbers of lines with hidden characters', () => {
  const hunk = { search: 'const a = 1;', replace: 'x', all: true };
  expect(getRefusal('const\u200B a = 1;\nb\n', hunk)[1]).toContain(
    'Line 1 holds invisible characters, which are not shown to you.',
  );
  expect(getRefusal('const a  = 1;\nb\n', hunk)[1]).not.toContain('invisible');
});

test('createRefusalError reports the first line of a search that differs from the file, even if the search is long', () => {
  const lines = Array.from({ length: 80 }, (_, index) => `const value${index} = read(${index});`);
  const text = `start\n${lines.join('\n')}\nend\n`;
  const search = lines.with(59, 'const other = write(0, 1, 2, 3);').join('\n');
  const [, message] = getRefusal(text, { search, replace: 'x' });
  expect(message).toContain('Line 60 of the search is the first that differs, from line 61 of');
  expect(message).toContain('\n61\tconst value59 = read(59);\n');
});

test.each([
  ['x\n    foo();\n    bar();\n', 'foo();\n  bar();', 2, 3],
  ['foo();\n\n\nbar();\n', 'foo();\n\nbar();', 3, 3],
  ['say “one”\nb\n', 'say "one"\nb', 1, 1],
  ['\tfoo();\n', '  foo();', 1, 1],
])(
  'createRefusalError reports the first line that differs only in white space or punctuation between the file %j and the search %j',
  (text, search, line, fileLine) => {
    for (const selection of [{ occurrence: 1 }, { all: true }])
      expect(getRefusal(text, { search, replace: 'x', ...selection })[1]).toContain(
        `Line ${line} of the search is the first that differs, from line ${fileLine} of the file only in white space`,
      );
  },
);

test('createRefusalError reports an indentation conflict with the surrounding lines', () => {
  const text = 'if a:\n  b\n    c\n';
  const [code, message] = getRefusal(text, {
    search: 'if a:\n  b\n  c',
    replace: 'if a:\n  d\n  c',
  });
  expect(code).toBe('ambiguous');
  expect(message).toContain('The indentation of the replacement is not clear.');
  expect(message).toContain('Line 3 of the search is the first that differs, from line 3 of');
});

test('createRefusalError reports a missing match instead of a missing change if search and replacement are equal and do not occur in the file', () => {
  expect(getRefusal('one\ntwo\n', { search: 'zzz', replace: 'zzz' })[1]).toContain(
    'The search does not occur in the file.',
  );
  for (const search of ['one', '  one'])
    expect(getRefusal('one\ntwo\n', { search, replace: search })[1]).toContain(
      'The file has the replacement already.',
    );
});

test('createRefusalError lists each match only once if the search begins with a blank line', () => {
  const text = 'a\n\nsay “one”\nb\n\nsay “one”\n';
  const hunk = { search: '\nsay "one"', replace: '\nsay "two"' };
  expect(getRefusal(text, hunk)[1]).toContain('resembles the text in 2 places');
  expect(applyHunks('a\n\nsay “one”\nb\n', [hunk])).toMatchObject({ type: 'applied' });
});

test('createRefusalError does not suggest `occurrence` or `all` for inexact matches', () => {
  const [, message] = getRefusal('\ta\nb\n  a\n', { search: 'a ', replace: 'c' });
  expect(message).toContain('Add lines around the right one.');
  expect(message).not.toContain('occurrence');
});

test.each([
  ['1\tone two\n2\tfour', 'line numbers'],
  ['```\none five\n```', 'code fence'],
  ['one five\\ntwo', 'escapes'],
  ['one\n// ...\nfive', 'placeholder'],
])(
  'createRefusalError names the kind of text that a model added to the search %j: "%s"',
  (search, cause) => {
    expect(getRefusal('one two\nthree four\n', { search, replace: 'x' })[1]).toContain(cause);
  },
);
