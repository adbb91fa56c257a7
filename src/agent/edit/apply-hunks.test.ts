import { describe, expect, test } from 'vitest';
import { applyHunks } from './apply-hunks.ts';
import type { Hunk, MatchKind, RefusalCode } from './hunk.ts';

type SearchAndReplace = readonly [search: string, replace: string];

const toHunks = (pairs: readonly SearchAndReplace[]): Hunk[] =>
  pairs.map(([search, replace]) => ({ search, replace }));

function applyPairs(
  text: string,
  hunks: readonly Hunk[],
): { text: string; matches: readonly MatchKind[] } {
  const result = applyHunks(text, hunks);
  if (result.type === 'refused') throw new Error(`refused: ${JSON.stringify(result)}`);
  return { text: result.text, matches: result.matches };
}

function findRefusalCode(text: string, hunks: readonly Hunk[]): RefusalCode | 'applied' {
  const result = applyHunks(text, hunks);
  return result.type === 'refused' ? result.code : 'applied';
}

describe('applyHunks with an exact match', () => {
  test.each<[string, string, SearchAndReplace[], string]>([
    ['a whole line', 'a\nb\nc\n', [['b', 'B']], 'a\nB\nc\n'],
    ['part of a line', 'let x = f(1);\n', [['f(1)', 'g(2)']], 'let x = g(2);\n'],
    ['the first line', 'a\nb\n', [['a\n', 'A\n']], 'A\nb\n'],
    ['the last line without a newline', 'a\nb', [['b', 'c']], 'a\nc'],
    ['the whole file', 'a\nb\n', [['a\nb\n', 'c\n']], 'c\n'],
    ['a removed line', 'a\nb\nc\n', [['b\n', '']], 'a\nc\n'],
    ['an added line', 'a\nc\n', [['a\n', 'a\nb\n']], 'a\nb\nc\n'],
    [
      'hunks out of order',
      'a\nb\nc\nd\n',
      [
        ['c', 'C'],
        ['a', 'A'],
      ],
      'A\nb\nC\nd\n',
    ],
    [
      'adjacent hunks',
      'a\nb\nc\n',
      [
        ['a\n', 'A\n'],
        ['b\n', 'B\n'],
      ],
      'A\nB\nc\n',
    ],
    [
      'adjacent hunks in reverse order',
      'a\nb\nc\n',
      [
        ['b\n', 'B\n'],
        ['a\n', 'A\n'],
      ],
      'A\nB\nc\n',
    ],
    [
      'a hunk that builds on an earlier one',
      'a\n',
      [
        ['a', 'a\nb'],
        ['b', 'c'],
      ],
      'a\nc\n',
    ],
    [
      'a hunk that reverts an earlier one',
      'x\na\n',
      [
        ['a', 'b'],
        ['b', 'a'],
        ['x', 'y'],
      ],
      'y\na\n',
    ],
    [
      'context shared by two hunks',
      'a\nb\nc\n',
      [
        ['a\nb', 'A\nb'],
        ['b\nc', 'b\nC'],
      ],
      'A\nb\nC\n',
    ],
    ['CRLF', 'a\r\nb\r\nc\r\n', [['a\nb', 'a\nx\nb']], 'a\r\nx\r\nb\r\nc\r\n'],
    ['CRLF in the hunk, LF in the file', 'a\nb\n', [['a\r\nb', 'a\r\nc']], 'a\nc\n'],
    [
      'mixed line endings',
      'a\r\nb\nc\r\nd',
      [
        ['b', 'b\nB'],
        ['d', 'd\nD'],
      ],
      'a\r\nb\nB\nc\r\nd\r\nD',
    ],
    ['context in mixed line endings', 'a\nb\r\nc\n', [['a\nb\nc', 'a\nB\nc']], 'a\nB\r\nc\n'],
    ['a byte order mark', '\uFEFFa\r\nb', [['a', 'x']], '\uFEFFx\r\nb'],
    [
      'text that looks like a pattern',
      'a.*b $& \\1\n',
      [['.*b $& \\1', '$& $1 $$']],
      'a$& $1 $$\n',
    ],
    ['characters outside the basic plane', 'x 😀 y\n', [['😀', '😁']], 'x 😁 y\n'],
    ['scripts without spaces', '你好世界\n', [['好', '們']], '你們世界\n'],
    ['an empty file', '', [['', 'a\n']], 'a\n'],
  ])('returns the edited text for %s', (_, text, pairs, expected) => {
    const { text: editedText, matches } = applyPairs(text, toHunks(pairs));
    expect(editedText).toBe(expected);
    expect(new Set(matches)).toEqual(new Set(['exact']));
  });

  test.each<[string, Hunk[], number[]]>([
    ['with a unique search', [{ search: 'two', replace: '2' }], [1]],
    ['that selects one of several matches', [{ search: 'one', replace: '1', occurrence: 2 }], [3]],
    ['that selects all of several matches', [{ search: 'one', replace: '1', all: true }], [3]],
    [
      'that selects all matches if only one exists',
      [{ search: 'two', replace: '2', all: true }],
      [1],
    ],
    [
      'that differs from its match in white space',
      [{ search: 'two \none', replace: '2\none' }],
      [1],
    ],
    [
      'and the hunk before it',
      [
        { search: 'two\none', replace: 'two\n1' },
        { search: 'one', replace: '1', all: true },
      ],
      [1, 2],
    ],
  ])('returns the number of matches of a hunk %s', (_, hunks, counts) => {
    expect(applyHunks('one\ntwo\none\none\n', hunks)).toMatchObject({ type: 'applied', counts });
  });

  test('replaces only the matches that `occurrence` or `all` selects', () => {
    const text = 'one\ntwo\none\none\n';
    const hunk = { search: 'one', replace: '1' };
    expect(applyPairs(text, [{ ...hunk, occurrence: 2 }]).text).toBe('one\ntwo\n1\none\n');
    expect(applyPairs(text, [{ ...hunk, all: true }]).text).toBe('1\ntwo\n1\n1\n');
    expect(applyPairs('----', [{ search: '--', replace: '+', all: true }]).text).toBe('++');
  });

  test('replaces no matches inside words if `occurrence` or `all` is set', () => {
    const text = 'id = width(id, "id");\nvalid(id);\n';
    const hunk = { search: 'id', replace: 'key' };
    expect(applyHunks(text, [{ ...hunk, all: true }])).toMatchObject({
      text: 'key = width(key, "key");\nvalid(key);\n',
      counts: [4],
    });
    expect(applyPairs(text, [{ ...hunk, occurrence: 4 }]).text).toBe(
      'id = width(id, "id");\nvalid(key);\n',
    );
    expect(findRefusalCode(text, [{ ...hunk, occurrence: 5 }])).toBe('no-occurrence');
    expect(findRefusalCode('width\nvalid\n', [{ ...hunk, all: true }])).toBe('cuts-word');
    expect(findRefusalCode('width\nvalid\n', [hunk])).toBe('cuts-word');
  });

  test('accepts a hunk with the `occurrence` that the error for an ambiguous hunk suggested', () => {
    const text = 'id\nwidth\n';
    const hunk = { search: 'id', replace: 'key' };
    expect(applyHunks(text, [hunk])).toMatchObject({
      code: 'ambiguous',
      count: 1,
      insideWordsCount: 1,
      candidates: [{ line: 1 }],
    });
    expect(applyPairs(text, [{ ...hunk, occurrence: 1 }]).text).toBe('key\nwidth\n');
  });

  test.each<[string, SearchAndReplace[]]>([
    [
      'after equal search texts',
      [
        ['a\n', 'a\nx\n'],
        ['a\n', 'a\nx\n'],
      ],
    ],
    [
      'after equal search texts without a line feed',
      [
        ['a', 'a\nx'],
        ['a', 'a\nx'],
      ],
    ],
    [
      'after and before the same position',
      [
        ['a\n', 'a\nx\n'],
        ['b', 'x\nb'],
      ],
    ],
    [
      'before and after the same position',
      [
        ['b', 'x\nb'],
        ['a', 'a\nx'],
      ],
    ],
  ])('inserts text only once if two hunks insert the same text %s', (_, pairs) => {
    const { text, matches } = applyPairs('a\nb\n', toHunks(pairs));
    expect(text).toBe('a\nx\nb\n');
    expect(matches).toEqual(['exact', 'repeated']);
  });

  test.each([
    ['b();', 'b();\n        added();'],
    ['b();', 'b();\nadded();'],
    ['\tb();', '\tb();\n\tadded();'],
    ['  b();\n', '  b();\n  added();\n'],
    ['        b();  ', '        b();  \n        added();'],
    ['a() {\n    b();', 'a() {\n    b();\n    added();'],
    ['    a() {\n\t\tb();', '    a() {\n\t\tb();\n\t\tadded();'],
    ['        c();', '        added();\n        c();'],
    ['\tc();', '\tadded();\n\tc();'],
    ['c();\n    }', 'added();\n        c();\n    }'],
  ])(
    'inserts text only once if the search %j of another hunk selects the same position',
    (...pair) => {
      const text = 'class A {\n    a() {\n        b();\n        c();\n    }\n}\n';
      const firstPair: SearchAndReplace = ['        b();\n', '        b();\n        added();\n'];
      const expected = text.replace('b();', 'b();\n        added();');
      for (const pairs of [
        [firstPair, pair],
        [pair, firstPair],
      ]) {
        const result = applyPairs(text, toHunks(pairs));
        expect(result.text).toBe(expected);
        expect(result.matches[1]).toBe('repeated');
      }
    },
  );

  test('inserts the same text at each of two different positions', () => {
    const pairs: SearchAndReplace[] = [
      ['a\n', 'a\nx\n'],
      ['c\n', 'c\nx\n'],
    ];
    expect(applyPairs('a\nb\nc\n', toHunks(pairs)).text).toBe('a\nx\nb\nc\nx\n');
  });

  test('returns the minimal edit', () => {
    const text = 'function f() {\r\n  return 1;\r\n}\r\n';
    const result = applyHunks(text, [
      { search: 'function f() {\n  return 1;\n}\n', replace: 'function f() {\n  return 2;\n}\n' },
    ]);
    expect(result).toMatchObject({ edits: [{ start: 25, end: 26, text: '2' }] });
  });

  test('returns an edit that does not split a surrogate pair', () => {
    expect(applyHunks('x😀y', [{ search: 'x😀y', replace: 'x😁y' }])).toMatchObject({
      edits: [{ start: 1, end: 3, text: '😁' }],
    });
  });
});

describe('applyHunks with a tolerant match', () => {
  test.each<[string, string, SearchAndReplace, string]>([
    [
      'trailing spaces in the file',
      'if (a) {  \n  b();\t\n}\n',
      ['if (a) {\n  b();\n}', 'if (a) {\n  c();\n}'],
      'if (a) {  \n  c();\n}\n',
    ],
    ['trailing spaces in the search', 'a\nb\n', ['a  \nb', 'a  \nB'], 'a\nB\n'],
    [
      'tabs in the file',
      '\tif (a) {\n\t\tb();\n\t}\n',
      [
        '    if (a) {\n        b();\n    }',
        '    if (a) {\n        if (c) {\n            b();\n        }\n    }',
      ],
      '\tif (a) {\n\t\tif (c) {\n\t\t\tb();\n\t\t}\n\t}\n',
    ],
    [
      'spaces in the file',
      'x:\n  if a:\n    b()\n',
      ['\tif a:\n\t\tb()', '\tif a:\n\t\tb()\n\t\tc()'],
      'x:\n  if a:\n    b()\n    c()\n',
    ],
    [
      'a search without its indentation',
      'class A {\n    b() {\n        c();  \n    }\n}\n',
      ['b() {\n    c();\n}', 'b() {\n    c();\n    d();\n}'],
      'class A {\n    b() {\n        c();  \n        d();\n    }\n}\n',
    ],
    [
      'an over-indented search',
      'a {\n  b\n}\n',
      ['    a {\n      b\n    }', '    a {\n      c\n    }'],
      'a {\n  c\n}\n',
    ],
    [
      'indentation by two spaces instead of four',
      'a {\n    b {\n        c\n    }\n}\n',
      ['  b {\n    c\n  }', '  b {\n    c {\n      d\n    }\n  }'],
      'a {\n    b {\n        c {\n            d\n        }\n    }\n}\n',
    ],
    [
      "a comment's one space",
      'a {\n\t/**\n\t * b\n\t */\n\tc\n}\n',
      ['    /**\n     * b\n     */\n    c', '    /**\n     * d\n     */\n    c'],
      'a {\n\t/**\n\t * d\n\t */\n\tc\n}\n',
    ],
    [
      'curly quotes in the file',
      'say “hello” and ‘bye’\n',
      ['say "hello" and \'bye\'', 'say "hello" or \'bye\''],
      'say “hello” or ‘bye’\n',
    ],
    [
      'curly quotes in the search',
      'say("hello", 1)\n',
      ['say(“hello”, 1)', 'say(“hello”, 2)'],
      'say("hello", 2)\n',
    ],
    ['no-break spaces', 'a\u00A0= 1;\n', ['a = 1;', 'a = 2;'], 'a\u00A0= 2;\n'],
    ['dashes', 'one – two\n', ['one - two', 'one - three'], 'one – three\n'],
    [
      'composed characters',
      'caf\u0065\u0301 {\n  a\n}\n',
      ['caf\u00E9 {\n  a\n}', 'caf\u00E9 {\n  b\n}'],
      'caf\u0065\u0301 {\n  b\n}\n',
    ],
    [
      'a zero-width space in the file',
      'a\u200Bb = 1;\n',
      ['ab = 1;', 'ab = 2;'],
      'a\u200Bb = 2;\n',
    ],
    [
      'variation selectors after an emoji in the file',
      'say("\u{1F600}\u{E0101}\uFE01", 1)\n',
      ['say("\u{1F600}", 1)', 'say("\u{1F600}", 2)'],
      'say("\u{1F600}\u{E0101}\uFE01", 2)\n',
    ],
    [
      'a control character and a soft hyphen in the lines around the change',
      'a\u0001\nb\nc\u00AD\n',
      ['a\nb\nc', 'a\nB\nc'],
      'a\u0001\nB\nc\u00AD\n',
    ],
    [
      'a byte order mark in the middle of the file',
      'x\n\uFEFFy = 1\n',
      ['x\ny = 1', 'x\ny = 2'],
      'x\n\uFEFFy = 2\n',
    ],
    [
      'hidden characters around an insertion',
      'f(\u200Ba\u200B)\n',
      ['f(a)', 'f(a, b)'],
      'f(\u200Ba\u200B, b)\n',
    ],
    [
      'hidden characters and other indentation',
      '\tif (a\u2060) {\n\t\tb();\n\t}\n',
      ['    if (a) {\n        b();\n    }', '    if (a) {\n        c();\n    }'],
      '\tif (a\u2060) {\n\t\tc();\n\t}\n',
    ],
    [
      'curly quotes and hidden characters',
      '\u200Bsay “he\u200Bllo” 1\n',
      ['say "hello" 1', 'say "hello" 2'],
      '\u200Bsay “he\u200Bllo” 2\n',
    ],
    ['a final newline that the file lacks', 'a\nb', ['a\nb\n', 'a\nc\n'], 'a\nc'],
    ['a removed last line', 'a\nb\nc  ', ['b\nc\n', 'b\n'], 'a\nb'],
    [
      'blank lines around search and replacement',
      'a\nb  \nc\n',
      ['\nb\n\n', '\nB\n\n'],
      'a\nB\nc\n',
    ],
    ['a replacement without lines', 'x\n  a\n  b\ny\n', ['a\nb\n', ''], 'x\ny\n'],
    ['CRLF and trailing spaces', 'a \r\nb\r\n', ['a\nb', 'a\nc'], 'a \r\nc\r\n'],
    ['a moved line', '\ta\n\tb\n\tc\n', ['  a\n  b\n  c', '  b\n  a\n  c'], '\tb\n\ta\n\tc\n'],
  ])('accepts %s', (_, text, pair, expected) => {
    expect(applyPairs(text, toHunks([pair]))).toEqual({ text: expected, matches: ['tolerant'] });
  });
});

describe('applyHunks with a similar match', () => {
  const blockLines = [
    'export function total(items: readonly Item[]): number {',
    '  // Adds up what every item costs.',
    '  let sum = 0;',
    '  for (const item of items) sum += item.price;',
    '  return sum;',
    '}',
  ];
  const text = `const before = 1;\n\n${blockLines.join('\n')}\n\nconst after = 2;\n`;
  const searchWithTypo = blockLines.join('\n').replace('Adds up what', 'Add up what');

  test('changes only those words of a similar line that differ between search and replacement', () => {
    const replace = searchWithTypo.replace('let sum = 0', 'let sum = items.length');
    expect(applyPairs(text, toHunks([[searchWithTypo, replace]]))).toEqual({
      text: text.replace('let sum = 0', 'let sum = items.length'),
      matches: ['similar'],
    });
  });

  test('keeps a word that only the user changed, next to a word that the hunk changes', () => {
    const fileText = text.replace('let sum = 0', 'let sum = 5');
    const replace = blockLines.join('\n').replace('let sum', 'var sum');
    expect(applyPairs(fileText, toHunks([[blockLines.join('\n'), replace]])).text).toBe(
      fileText.replace('let sum', 'var sum'),
    );
  });

  test('keeps blank lines that the similar match contains but the search lacks', () => {
    const fileText = text.replace('  let sum', '\n  let sum');
    const replace = blockLines.join('\n').replace('return sum', 'return sum * 2');
    expect(applyPairs(fileText, toHunks([[blockLines.join('\n'), replace]])).text).toBe(
      fileText.replace('return sum', 'return sum * 2'),
    );
  });

  test.each<[string, string, SearchAndReplace]>([
    [
      'differs in the words to replace',
      text.replace('sum = 0', 'sum = 5'),
      [blockLines.join('\n'), blockLines.join('\n').replace('sum = 0', 'sum = 1')],
    ],
    [
      'differs in a line to remove',
      text.replace('sum = 0', 'sum = 5'),
      [blockLines.join('\n'), blockLines.toSpliced(2, 1).join('\n')],
    ],
    [
      'occurs twice',
      `${text}\n${blockLines.join('\n')}\n`,
      [searchWithTypo, searchWithTypo.replace('return sum', 'return 1')],
    ],
    [
      'occurs again with a small difference',
      `${text}\n${blockLines.join('\n').replace('sum = 0', 'sum = 1')}\n`,
      [searchWithTypo, searchWithTypo.replace('return sum', 'return 1')],
    ],
    ['is too short', 'const limit = 10;\n', ['const limits = 10;', 'const limits = 20;']],
    [
      'is unrelated',
      text,
      [blockLines.join('\n').replaceAll('sum', 'product').replaceAll('item', 'factor'), 'x'],
    ],
  ])('rejects the hunk if the file’s text %s', (_, fileText, pair) => {
    expect(['no-match', 'ambiguous']).toContain(findRefusalCode(fileText, toHunks([pair])));
  });
});

describe('the error for a rejected hunk', () => {
  test.each<[RefusalCode, string, string, Hunk[]]>([
    ['no-hunks', 'an edit without hunks', 'a', []],
    ['empty-search', 'an empty search', 'a', toHunks([['', 'b']])],
    ['empty-file', 'a search in an empty file', '', toHunks([['a', 'b']])],
    ['no-change', 'an equal search and replacement', 'a', toHunks([['a', 'a']])],
    [
      'no-change',
      'two hunks that cancel each other out',
      'a\n',
      toHunks([
        ['a', 'b'],
        ['b', 'a'],
      ]),
    ],
    ['no-change', 'a change of only the line endings', 'a\r\nb', toHunks([['a\nb', 'a\r\nb']])],
    ['not-text', 'half a surrogate pair in the search', 'x 😀', toHunks([['\uD83D', 'a']])],
    ['not-text', 'half a surrogate pair in the replacement', 'a', toHunks([['a', '\uDE00']])],
    ['not-text', 'a null character in the replacement', 'a', toHunks([['a', 'b\0']])],
    ['no-match', 'a search without a match', 'a\nb\n', toHunks([['c', 'd']])],
    [
      'no-match',
      'a second hunk without a match',
      'a\nb\n',
      toHunks([
        ['a', 'A'],
        ['c', 'd'],
      ]),
    ],
    ['ambiguous', 'a search with two matches', 'a\nb\na\n', toHunks([['a', 'c']])],
    ['ambiguous', 'a search with overlapping matches', '---', toHunks([['--', 'b']])],
    ['cuts-word', 'a search with overlapping matches inside a word', 'aaa', toHunks([['aa', 'b']])],
    [
      'ambiguous',
      'two matches that differ in white space',
      '\ta\nb\n  a\n',
      toHunks([['a ', 'c']]),
    ],
    [
      'ambiguous',
      'two matches that differ in quotation marks',
      '“a”\n  "a"  \n',
      toHunks([['“a"', 'c']]),
    ],
    [
      'ambiguous',
      'two matches in the replacement of an earlier hunk',
      'x\n',
      toHunks([
        ['x', 'y\ny'],
        ['y', 'z'],
      ]),
    ],
    [
      'no-occurrence',
      'an occurrence above the number of matches',
      'a a',
      [{ search: 'a', replace: 'b', occurrence: 3 }],
    ],
    ['no-occurrence', 'the occurrence 0', 'a a', [{ search: 'a', replace: 'b', occurrence: 0 }]],
    [
      'no-occurrence',
      'a fractional occurrence',
      'a a',
      [{ search: 'a', replace: 'b', occurrence: 1.5 }],
    ],
    [
      'not-exact',
      'an inexact search for all occurrences',
      '\ta\n',
      [{ search: '  a', replace: 'b', all: true }],
    ],
    [
      'not-exact',
      'an inexact search for one of the occurrences',
      '\ta\n',
      [{ search: '  a', replace: 'b', occurrence: 1 }],
    ],
    [
      'cuts-word',
      'a search that ends inside a number',
      'count = 10;',
      toHunks([['count = 1', 'count = 2']]),
    ],
    [
      'cuts-word',
      'a search of two lines that ends inside a word',
      'a\nfoobar\n',
      toHunks([['a\nfoo', 'b\nbaz']]),
    ],
    ['cuts-word', 'a search that ends before an umlaut in a word', 'größe', toHunks([['gr', 'x']])],
    [
      'cuts-word',
      'a search that begins after a combining accent',
      'cafe\u0301id',
      [{ search: 'id', replace: 'x', all: true }],
    ],
    [
      'cuts-word',
      'a search that ends before a combining accent',
      'cafe\u0301 a',
      toHunks([['cafe', 'x']]),
    ],
    [
      'overlap',
      'an inexact match that contains an earlier change',
      'a \nb\nc\n',
      toHunks([
        ['b', 'd'],
        ['a\nd\nc', 'x'],
      ]),
    ],
    [
      'overlap',
      'an inexact match around an earlier deletion',
      'a \nb\nc\n',
      toHunks([
        ['b\n', ''],
        ['a\nc', 'x'],
      ]),
    ],
    ['empties-file', 'the deletion of all text', 'a\nb\n', toHunks([['a\nb\n', '']])],
    [
      'empties-file',
      'the replacement of all text with white space',
      'a\nb\n',
      toHunks([['a\nb', ' \n']]),
    ],
    [
      'too-many',
      'a search with 10,001 matches',
      'a '.repeat(10_001),
      [{ search: 'a', replace: 'b', all: true }],
    ],
    [
      'indentation',
      'a replacement with contradictory indentation',
      'if a:\n  b\n    c\n',
      toHunks([['if a:\n  b\n  c', 'if a:\n  d\n  c']]),
    ],
    [
      'no-match',
      'a search that continues after the end of the file',
      'a\n\tb\n',
      toHunks([['a\n\tb \nc', 'x']]),
    ],
  ])('has the code "%s" for %s', (code, _, text, hunks) => {
    expect(findRefusalCode(text, hunks)).toBe(code);
  });

  test('contains the index, the number of matches and the lines around each match', () => {
    const text = 'start\nx = 1\nmiddle\nx = 1\nend\n';
    const hunks = toHunks([
      ['start', 'begin'],
      ['x = 1', 'x = 2'],
    ]);
    expect(applyHunks(text, hunks)).toEqual({
      type: 'refused',
      code: 'ambiguous',
      hunkIndex: 1,
      count: 2,
      insideWordsCount: 0,
      candidates: [
        { line: 1, lines: ['begin', 'x = 1', 'middle'] },
        { line: 3, lines: ['middle', 'x = 1', 'end'] },
      ],
    });
  });

  test('contains the most similar lines of the file if the search text has no match', () => {
    const fillerText = Array.from({ length: 200 }, (_, i) => `const value${i} = read(${i});`).join(
      '\n',
    );
    const text = `${fillerText}\nfunction parseHeader(bytes) {\n  return bytes[0];\n}\n${fillerText}\n`;
    const result = applyHunks(text, [
      { search: 'function parseHeader(buffer, offset) {', replace: 'x' },
    ]);
    expect(result).toMatchObject({
      code: 'no-match',
      candidates: [
        {
          line: 200,
          lines: [
            'const value199 = read(199);',
            'function parseHeader(bytes) {',
            '  return bytes[0];',
          ],
        },
      ],
    });
  });

  test('contains no lines of the file if none is similar to the search text', () => {
    expect(applyHunks('alpha\nbeta\n', [{ search: 'gamma delta', replace: '' }])).toMatchObject({
      code: 'no-match',
      candidates: [],
    });
  });

  test('truncates the most similar lines if they are long', () => {
    const text = `${'long '.repeat(10_000)}\nneedle two\n`;
    const result = applyHunks(text, [{ search: 'needle one', replace: 'x' }]);
    expect(JSON.stringify(result).length).toBeLessThan(1_000);
  });
});

describe('applyHunks for a file with hidden characters', () => {
  test('rejects a search that matches several lines that differ only in hidden characters', () => {
    const text = 'a\u200Bb = 1;\nab\u200B = 1;\n';
    expect(findRefusalCode(text, toHunks([['ab = 1;', 'ab = 2;']]))).toBe('ambiguous');
  });

  test('rejects a search that ends within a word, before a hidden character', () => {
    expect(findRefusalCode('let coun\u200Bter = 1;\n', toHunks([['let count', 'let size']]))).toBe(
      'no-match',
    );
  });

  test('removes no hidden characters outside the changed text', () => {
    const text = '\u200Ba\u200B = \u200B1\u200B;\u200B\n';
    expect(applyPairs(text, toHunks([['a = 1;', 'b = 1;']])).text).toBe(
      '\u200Bb\u200B = \u200B1\u200B;\u200B\n',
    );
  });
});

test.each<[string, string, SearchAndReplace[], string]>([
  [
    'a closing brace',
    'a {\n  x\n}\n',
    [
      ['  x\n}', '  x\n  }\n}'],
      ['  }\n}', '  }\n  }\n}'],
    ],
    'a {\n  x\n  }\n  }\n}\n',
  ],
  [
    'a character',
    'foo\nend\n',
    [
      ['foo', 'foo!'],
      ['foo!', 'foo!!'],
    ],
    'foo!!\nend\n',
  ],
])(
  'applyHunks inserts %s again if the search contains the first insertion',
  (_, text, pairs, expected) => {
    expect(applyPairs(text, toHunks(pairs))).toEqual({
      text: expected,
      matches: ['exact', 'exact'],
    });
  },
);

test.each([
  ['begin … end', 'begin\n    foo();\n    bar(1);\nend'],
  ['begin … ensure … end', 'begin\n    foo();\n    bar(1);\nensure\n    close();\nend'],
  ['repeat … until', 'repeat\n    foo();\n    bar(1);\nuntil done()'],
  ['unless … end', 'unless (ready)\n    foo();\n    bar(1);\nend'],
  ['statement … while', 'foo();\nwhile (ready)\n    bar(1);'],
  ['if … else', 'if (ready)\n    foo();\nelse\n    bar(1);'],
  ['if', 'if (ready(1))\n    foo();\n    bar(1);'],
  ['for', 'for (const one of list)\n    foo();\n    bar(1);'],
  ['with', 'with lock:\n    foo();\n    bar(1);'],
  ['try … finally', 'try:\n    foo();\n    bar(1);\nfinally:\n    close()'],
  ['if … statement', 'if (ready)\n    foo();\nbar(1);'],
])(
  'applyHunks indents a replacement that encloses lines in a block of the form "%s"',
  (_, replace) => {
    const createFileText = (text: string): string => `function f() {\n${text}\n}\n`;
    const hunk = { search: 'foo();\nbar(1);', replace };
    expect(applyHunks(createFileText('    foo();\n    bar(1);'), [hunk])).toMatchObject({
      type: 'applied',
      text: createFileText(replace.replaceAll(/^/gmu, '    ')),
    });
  },
);

test.each([
  ['an inserted call', 'prepare();\n    foo();\n    bar(1);'],
  ['an inserted statement with a condition', 'if (ready) return\n    foo();\n    bar(1);'],
])('applyHunks does not indent the lines after %s a second time', (_, replace) => {
  const text = 'function f() {\n    foo();\n    bar(1);\n}\n';
  const result = applyHunks(text, [{ search: 'foo();\nbar(1);', replace }]);
  expect(result).toMatchObject({ text: text.replace('foo();\n    bar(1);', replace) });
});

test('applyHunks applies a repeated insertion with `all` only once', () => {
  const hunk = { search: 'x\n', replace: 'x\nx\n', all: true };
  expect(applyPairs('x\n'.repeat(4_000), [hunk, hunk])).toEqual({
    text: 'x\n'.repeat(8_000),
    matches: ['exact', 'repeated'],
  });
});

test('applyHunks refuses a hunk with escapes if its line break can be text or an escape', () => {
  const pair: SearchAndReplace = ['say(\\"hi\\");', 'say(\\"hi\\n\\");'];
  expect(applyHunks('say("hi");\n', toHunks([pair]))).toMatchObject({
    type: 'refused',
    wrapping: 'escapes',
  });
});

test.each<[string, SearchAndReplace, string]>([
  ['a hunk with escaped quotes only', ['say(\\"hi\\");', 'say(\\"bye\\");'], 'say("bye");\n'],
  [
    'a replacement of several lines with escaped quotes',
    ['say(\\"hi\\");', 'say(\\"hi\\");\nsay(\\"a\\n\\");'],
    'say("hi");\nsay("a\\n");\n',
  ],
])('applyHunks removes the escapes from %s', (_, pair, expected) => {
  expect(applyHunks('say("hi");\n', toHunks([pair]))).toMatchObject({
    type: 'applied',
    text: expected,
  });
});

test.each([
  [
    'a Python string',
    'def f(self):\n    return 1',
    'def f(self):\n    s = """\nalpha\n  beta\n"""\n    return s',
  ],
  [
    'a template literal',
    'f() {\n  return 1;\n}',
    'f() {\n  const s = `\nalpha\n  beta\n`;\n  return s;\n}',
  ],
])('applyHunks keeps the indentation of text inside %s', (_, search, replace) => {
  const indent = (text: string): string => text.replaceAll(/^(?=.)/gmu, '    ');
  const result = applyPairs(`class A\n${indent(search)}\n`, toHunks([[search, replace]]));
  expect(result.text).toContain('\nalpha\n  beta\n');
  expect(result.text.endsWith(`${indent(replace.split('\n').at(-1) ?? '')}\n`)).toBe(true);
});

test('applyHunks indents a docstring of the replacement like the code', () => {
  const search = 'def f(self):\n    return 1';
  const replace = 'def f(self):\n    """Text.\n\n    More.\n    """\n    return 2';
  const file = 'class A:\n    def f(self):\n        return 1\n';
  const { text } = applyPairs(file, toHunks([[search, replace]]));
  expect(text).toContain('        """Text.\n\n        More.\n        """\n');
});

test.each<readonly [string, string, readonly (readonly [string, string])[], string]>([
  [
    'before a changed line',
    'import a\nfoo()\n',
    [
      ['import a\n', 'import a\nimport b\n'],
      ['foo()\n', 'bar()\n'],
    ],
    'import a\nimport b\nbar()\n',
  ],
  [
    'before another insertion',
    'a\nb\n',
    [
      ['a\n', 'a\nX\n'],
      ['b\n', 'Y\nb\n'],
    ],
    'a\nX\nY\nb\n',
  ],
  [
    'after another insertion',
    'b\na\n',
    [
      ['a\n', 'X\na\n'],
      ['b\n', 'b\nY\n'],
    ],
    'b\nY\nX\na\n',
  ],
])('applyHunks applies a repeated insertion %s only once', (_, text, pairs, expected) => {
  const hunks = pairs.map(([search, replace]) => ({ search, replace }));
  expect(applyPairs(text, [...hunks, ...hunks.slice(0, 1)])).toMatchObject({
    text: expected,
    matches: ['exact', 'exact', 'repeated'],
  });
});

test('applyHunks does not apply an identical second hunk to similar lines at another position', () => {
  const file = 'a(1);\nb(2);\n\n  a(1);\n  b(2);\n';
  const hunk = { search: '\n  a(1);\n  b(2);', replace: '\n  a(1);\n  x();\n  b(2);' };
  expect(applyHunks(file, [hunk, hunk])).toMatchObject({
    text: file.replace('  b(2)', '  x();\n  b(2)'),
    matches: ['exact', 'repeated'],
  });
});
