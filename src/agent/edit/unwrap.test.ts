import { expect, test } from 'vitest';
import { measureGrowth } from '../../../test/support/growth.ts';
import { FileLines, LineIndex } from './file-lines.ts';
import { applyHunks } from './apply-hunks.ts';
import { detectWrapping, unwrapHunk } from './unwrap.ts';

const singleLineFile = new FileLines(new LineIndex('a\n'));

test.each([
  ['```ts\na\nb\n```', 'a\nb'],
  ['\n  ```\na\n  ```\n', 'a'],
  ['~~~~ts\na\n\n~~~~', 'a\n'],
  ['```\n  a```', '  a'],
  ['```\n  a  ```  ', '  a'],
])('unwrapHunk removes the code fence around %j', (search, expected) => {
  const hunks = unwrapHunk({ search, replace: 'c' }, singleLineFile);
  expect(hunks.filter(({ wrapping }) => wrapping === 'fence')).toEqual([
    { search: expected, replace: 'c', wrapping: 'fence' },
  ]);
  expect(detectWrapping({ search, replace: 'c' }, singleLineFile)).toBe('fence');
});

test.each(['```ts\na', '``\na\n``', '```\na\n~~~', '```a```', '```\na\n```\nb\n```', 'a\n```'])(
  'unwrapHunk detects no fence in %j',
  (search) => {
    const hunks = unwrapHunk({ search, replace: 'c' }, singleLineFile);
    expect(hunks.filter(({ wrapping }) => wrapping === 'fence')).toEqual([]);
  },
);

const tideCode = 'flood();\n  ebb();\nlog("a\\n");\n';

test.each([
  ['  ebb();', String.raw`  ebb();\n  moon();`, '  ebb();\n  moon();'],
  ['  ebb();', String.raw`  if (a) {\n    ebb();\n  }`, '  if (a) {\n    ebb();\n  }'],
  ['ebb();', String.raw`ebb("a \n b");`, String.raw`  ebb("a \n b");`],
  ['ebb();', String.raw`ebb(/\n /u);`, String.raw`  ebb(/\n /u);`],
  ['ebb();', String.raw`ebb('\n', "it's \n")`, String.raw`  ebb('\n', "it's \n")`],
])(
  'applyHunks replaces %j with %j, and unescapes line breaks outside strings and regular expressions',
  (search, replace, line) => {
    expect(applyHunks(tideCode, [{ search, replace }])).toMatchObject({
      text: tideCode.replace('  ebb();', () => line),
    });
  },
);

test('applyHunks keeps escaped line breaks if the file contains such escapes outside strings', () => {
  const text = 'Write \\n to end a line.\nMore.\n';
  expect(applyHunks(text, [{ search: 'More.', replace: 'Use \\n again.' }])).toMatchObject({
    text: text.replace('More.', 'Use \\n again.'),
  });
});

const tideFileText = 'one();\ntwo();\nthree();\nfour();\nfive();\n';

test.each([
  ['line numbers', '2\ttwo();\n3\tthree();', '2\ttwo();\n3\tebb();'],
  ['a code fence', '```ts\ntwo();\nthree();\n```', '```ts\ntwo();\nebb();\n```'],
  ['a line of dots', 'one();\n...\nthree();', 'one();\n...\nebb();'],
])(
  'applyHunks applies a hunk whose search text and replacement text both contain %s',
  (_, search, replace) => {
    expect(applyHunks(tideFileText, [{ search, replace }])).toMatchObject({
      text: tideFileText.replace('three', 'ebb'),
      matches: ['unwrapped'],
    });
  },
);

test('applyHunks refuses a hunk with `...` in search and replacement if `...` can represent different lines of the file', () => {
  const text = 'a();\nb();\nc();\nb();\nc();\nd();\n';
  const hunk = { search: 'a();\n...\nc();', replace: 'a();\n...\nebb();' };
  expect(applyHunks(text, [hunk])).toMatchObject({ code: 'no-match', wrapping: 'ellipsis' });
});

test.each([
  'two();\n// ... rest of the code',
  'two();\n// existing code unchanged',
  '# (unchanged)',
])('applyHunks refuses a replacement that omits lines: %j', (replace) => {
  const hunk = { search: 'two();\nthree();\nfour();', replace };
  expect(applyHunks(tideFileText, [hunk])).toMatchObject({ code: 'elision', hunkIndex: 0 });
});

const maxTextLength = 16_000;

test.each([
  ['a number', '1', 'x'],
  ['a fence', '```\n', 'x'],
  ['a closing fence', '```\na', '```'],
  ['a fence of tildes', '~~~', 'x'],
])('unwrapHunk takes linear time for white space after %s', (_, prefix, suffix) => {
  const run = (size: number): void => {
    // Small inputs take too little time to measure.
    for (let count = 0; count < 10; count += 1) {
      const search = prefix + ' '.repeat(size) + suffix;
      unwrapHunk({ search, replace: search }, singleLineFile);
      detectWrapping({ search, replace: search }, singleLineFile);
    }
  };
  expect(
    measureGrowth(run, { smallSize: maxTextLength / 8, smallCount: 8 }).timeRatio,
  ).toBeLessThan(3);
});

test('detectWrapping detects a fence around Markdown with other fences, unless the file contains the opening line', () => {
  const search = '```ts\n# Use\n\n```sh\nrun\n```';
  const [fileWithoutFence, fileWithFence] = ['# Use\n', '```ts\n'].map(
    (text) => new FileLines(new LineIndex(text)),
  );
  expect(detectWrapping({ search, replace: 'c' }, fileWithoutFence ?? singleLineFile)).toBe(
    'fence',
  );
  expect(detectWrapping({ search, replace: 'c' }, fileWithFence ?? singleLineFile)).toBeUndefined();
});
