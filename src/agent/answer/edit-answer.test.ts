import { describe, expect, test } from 'vitest';
import { type EditTarget, previewEditAnswer } from './edit-answer.ts';
import { readOfferedAnswer } from './offered-answer.fixture.ts';

const codeLines = ['const a = 1;', '', 'use(a);'];
const codeText = codeLines.join('\n');

function createTarget(overrides: Partial<EditTarget> = {}): EditTarget {
  const defaults = { original: ['const b = 1;', '', 'use(b);'], before: [], after: [] };
  return { language: 'typescript', usesTabs: false, tabSize: 4, ...defaults, ...overrides };
}

const readAnswerLines = (
  answer: string,
  overrides: Partial<EditTarget> = {},
): readonly string[] | string => {
  const result = readOfferedAnswer(answer, createTarget(overrides));
  return result.kind === 'lines' ? result.lines : result.reason;
};

test.each([
  ['from an answer without a fence', codeText],
  ['from an answer with CRLF line breaks', codeLines.join('\r\n')],
  ['from a fence', `\`\`\`ts\n${codeText}\n\`\`\``],
  ['from a fence followed by text', `\`\`\`\n${codeText}\n\`\`\`\n\nI renamed it.`],
  ['from a fence after a sentence', `Here is the changed code:\n\n\`\`\`ts\n${codeText}\n\`\`\``],
  ['after a sentence in an answer without a fence', `Here is the changed code:\n${codeText}`],
  ['from a tilde fence', `~~~\n${codeText}\n~~~\n`],
  ['between the prompt’s <lines> markers', `<lines>\n${codeText}\n</lines>`],
  ['from an unclosed fence', `\`\`\`ts\n${codeText}`],
  ['before a stray closing fence', `${codeText}\n\`\`\``],
  ['between leading and trailing blank lines', `\n\n${codeText}\n\n`],
  ['without their hidden characters', `const a\u200B = 1;\n\nuse(\u202Ea);`],
  ['with line numbers and bars', '  7 | const a = 1;\n  8 | \n  9 | use(a);'],
  ['with line numbers and colons', '7: const a = 1;\n8:\n9: use(a);'],
  ['with line numbers and arrows', '7→const a = 1;\n8→\n9→use(a);'],
  ['with line numbers in a fence', '```ts\n7 | const a = 1;\n8 |\n9 | use(a);\n```'],
  ['with quotation marks before every line', '> const a = 1;\n>\n> use(a);'],
  ['from tags', `<updated_code>\n${codeText}\n</updated_code>`],
  ['from a JSON string', JSON.stringify(codeText)],
  ['from a JSON object', JSON.stringify({ code: codeText })],
  ['with escaped line breaks', 'const a = 1;\\n\\nuse(a);'],
  ['before a sentence in another language', `${codeText}\n\nIch habe die Variable umbenannt.`],
  ['after an unfamiliar sentence', `Try the following instead.\n\n${codeText}`],
  [
    'from the second of two blocks, if the first is the original',
    `Before:\n\`\`\`ts\nconst b = 1;\n\nuse(b);\n\`\`\`\nAfter:\n\`\`\`ts\n${codeText}\n\`\`\``,
  ],
  ['after reasoning in brackets', `[THINK]Rename b.[/THINK]\n${codeText}`],
  [
    'after an analysis channel',
    `<|channel|>analysis<|message|>Rename b.<|end|><|start|>assistant<|channel|>final<|message|>${codeText}`,
  ],
  ['after reasoning', `<thinking>\nRename b.\n</thinking>\n${codeText}`],
])('readEditAnswer extracts the lines of code %s', (_, answer) => {
  expect(readAnswerLines(answer)).toEqual(codeLines);
});

test.each([
  ['code', "  ' snip\n  Third()"],
  ['a diff', "```diff\n   First()\n-  Second()\n+  ' snip\n   Third()\n```"],
])(
  'readEditAnswer rejects a comment that replaces omitted code in an answer with %s',
  (_, answer) => {
    const original = ['  First()', '  Second()', '  Third()'];
    expect(['elision', 'no-match']).toContain(
      readAnswerLines(answer, { original, language: 'vb' }),
    );
  },
);

test('readEditAnswer does not end a fence of four backticks at three backticks', () => {
  expect(readAnswerLines('````ts\nconst a = `\n```\n`;\n````')).toEqual([
    'const a = `',
    '```',
    '`;',
  ]);
});

test('readEditAnswer keeps code fences that are part of the code in an answer, even if they name no language', () => {
  const original = ['"""Reads tides.', '', '```', 'read()', '```', '"""', 'import a'];
  const lines = original.with(6, 'import b');
  const answer = `\`\`\`python\n${lines.join('\n')}\n\`\`\`\n\nI renamed the module.`;
  expect(readAnswerLines(answer, { language: 'python', original })).toEqual(lines);
});

test.each([
  [
    'comment',
    'typescript',
    [' * Returns the height of the tide.', ' * The list may be empty.', ' */'],
  ],
  [
    'docstring',
    'python',
    ['    Return the height of the tide.', '', '    The list may be empty.', '    """'],
  ],
])(
  'readEditAnswer keeps the first lines of an answer that starts inside a %s',
  (_, language, lines) => {
    const original = lines.map((line) => line.replace('height', 'size'));
    expect(readAnswerLines(lines.join('\n'), { language, original })).toEqual(lines);
  },
);

test.each([
  ['html', ['<p>Tides rise.</p>']],
  ['latex', ['\\section{Tides}', 'Tides rise.']],
  ['markdown', ['# Tides', '', 'Tides rise.']],
])('readEditAnswer removes sentences and fences around %s', (language, lines) => {
  const original = lines.map((line) => line.replace('rise', 'fall'));
  const fencedText = `\`\`\`${language}\n${lines.join('\n')}\n\`\`\``;
  for (const answer of [
    `Here's the updated code:\n\n${lines.join('\n')}`,
    `Sure!\n${lines.join('\n')}`,
    fencedText,
    `Here's the updated code:\n\n${fencedText}\n\nLet me know if you need more.`,
  ])
    expect(readAnswerLines(answer, { language, original })).toEqual(lines);
});

describe('readEditAnswer in a Markdown document', () => {
  const markdownTarget = { language: 'markdown' };

  test.each([
    ['sentences', ['Here is the tide.', 'It rises.'], ['Here is the tide.', 'It falls.']],
    ['code fences', ['# A', '', '```ts', 'a', '```'], ['# A', '', '```ts', 'b', '```']],
    ['a leading code fence', ['```ts', 'a', '```', '', 'End.'], ['```ts', 'b', '```', '', 'End.']],
  ])('keeps %s', (_, lines, original) => {
    expect(readAnswerLines(lines.join('\n'), { ...markdownTarget, original })).toEqual(lines);
    const fencedAnswer = `\`\`\`\`markdown\n${lines.join('\n')}\n\`\`\`\``;
    expect(readAnswerLines(fencedAnswer, { ...markdownTarget, original })).toEqual(lines);
  });

  test('keeps the fence around an answer if the lines in the fence equal the selected lines', () => {
    expect(
      readAnswerLines('```\nnpm test\n```', { ...markdownTarget, original: ['npm test'] }),
    ).toEqual(['```', 'npm test', '```']);
  });

  test('rejects a fence that could be part of the document', () => {
    expect(
      readAnswerLines('```bash\nyarn test\n```', { ...markdownTarget, original: ['npm test'] }),
    ).toBe('unclear');
  });
});

test.each([
  ['sentences only', 'I cannot do that for you.', 'prose'],
  ['an introduction only', 'Sure! Here is the code:', 'prose'],
  ['reasoning without an end', '<think>\nconst a = 1;', 'prose'],
  ['two code blocks', '```ts\na();\n```\n\n```ts\nb();\n```', 'several-blocks'],
  ['a placeholder for code', 'const a = 1;\n// ... rest of the code ...', 'elision'],
  ['a diff of other text', '@@ -1 +1 @@\n-const moon = 1;\n+const sun = 1;', 'no-match'],
  ['a truncated SEARCH block', '<<<<<<< SEARCH\nconst b = 1;\n=======', 'unclear'],
  ['too many lines', 'x;\n'.repeat(20_001), 'too-long'],
])('readEditAnswer refuses an answer with %s', (_, answer, reason) => {
  expect(readAnswerLines(answer)).toBe(reason);
});

test('readEditAnswer keeps line numbers in the answer if the original lines also have line numbers', () => {
  const original = ['1: one', '2: two'];
  expect(readAnswerLines('1: uno\n2: dos', { language: 'yaml', original })).toEqual([
    '1: uno',
    '2: dos',
  ]);
});

test.each(['yaml', 'markdown'])(
  'readEditAnswer keeps the line `---` at the end of %s only if the user requested a separator',
  (language) => {
    const original = ['tide: high'];
    const answer = 'tide: high\n\n---';
    const instruction = 'Separate it from the next document';
    expect(readAnswerLines(answer, { language, original, instruction })).toEqual([
      ...original,
      '',
      '---',
    ]);
    // Models also write a rule after their answer.
    expect(readAnswerLines(answer, { language, original })).toBe('unclear');
  },
);

test('readEditAnswer rejects a single line whose leading number could be a line number or a key in the document', () => {
  expect(readAnswerLines('8: moon', { language: 'yaml', original: ['moon'] })).toBe('unclear');
});

describe('a new paragraph at the end of an edited text', () => {
  const original = ['Tides rise and fall.', '', 'The moon moves the water.'];
  const readAnswerWithEnd = (lastLine: string, instruction?: string): readonly string[] | string =>
    readAnswerLines([...original, '', lastLine].join('\n'), {
      language: 'markdown',
      original,
      ...(instruction === undefined ? {} : { instruction }),
    });

  test('remains if the user requested a new paragraph', () => {
    const end = 'Storms also raise harbors.';
    expect(readAnswerWithEnd(end, 'Mention storms and harbors')).toEqual([...original, '', end]);
  });

  test.each(['Everything else stays exactly as it was.', 'Happy to adapt it further!'])(
    'causes a rejection if it could be a remark, such as "%s"',
    (end) => {
      expect(readAnswerWithEnd(end)).toBe('unclear');
    },
  );

  test.each(['Ich habe nur den Namen geändert.', '只修改了名称，其余内容保持不变。'])(
    'is removed if it is a remark in a language that the document does not contain, such as "%s"',
    (end) => {
      expect(readAnswerWithEnd(end)).toEqual(original);
      expect(readAnswerWithEnd(end, `Add this sentence: ${end}`)).not.toEqual(original);
    },
  );
});

test('readEditAnswer reads a long answer within the time limit', { timeout: 10_000 }, () => {
  const original = Array.from({ length: 19_000 }, (_, index) => `Sentence ${index} has words.`);
  const lines = original.map((line) => line.replace('words', 'other parts'));
  const result = readAnswerLines(`${lines.join('\n')}\n\nThis is a remark.`, {
    language: 'markdown',
    original,
  });
  expect(result).toBe('unclear');
});

test("readEditAnswer accepts a rewritten paragraph in a code fence that names the document's language", () => {
  const sentence = 'Our method outperforms the baseline and needs half of the time.';
  const target = { language: 'latex', original: ['Our method is good. It is fast too.'] };
  expect(readAnswerLines(`\`\`\`latex\n${sentence}\n\`\`\``, target)).toEqual([sentence]);
  expect(readAnswerLines(`\`\`\`\n${sentence}\n\`\`\``, target)).toBe('prose');
});

test('readEditAnswer keeps a last line that resembles a remark of the model but is part of the document', () => {
  const target = {
    language: 'html',
    original: ['    We sell boats.', '    Call us.'],
    before: ['  <p>'],
    after: ['  </p>'],
  };
  const answer = '    We sell small boats.\n    Please let me know if you need help.';
  expect(readAnswerLines(answer, target)).toBe('unclear');
  expect(
    readAnswerLines(
      `${answer.replace(/\n.*/u, '')}\n    Call us.\n\nLet me know if you need more.`,
      target,
    ),
  ).toEqual(['    We sell small boats.', '    Call us.']);
});

describe('context that an answer repeats', () => {
  const context = {
    before: ['', 'import a;', 'import b;', ''],
    original: ['use(b);'],
    after: ['', 'end();', ''],
  };

  test.each([
    ['all of the context', ['import a;', 'import b;', '', 'x();', '', 'end();']],
    ['the lines before', ['import a;', 'import b;', '', 'x();']],
    ['the nearest line before', ['import b;', '', 'x();']],
    ['the lines after', ['x();', '', 'end();']],
    ['only the new line', ['x();']],
  ])(
    'is removed, so that only the new line remains, if the answer contains %s',
    (_, answerLines) => {
      expect(readAnswerLines(answerLines.join('\n'), context)).toEqual(['x();']);
    },
  );

  test('does not include a closing bracket of the new lines', () => {
    const lines = ['if (x) {', '  foo();', '}'];
    expect(
      readAnswerLines(lines.join('\n'), { before: ['{'], original: ['foo();'], after: ['}'] }),
    ).toEqual(lines);
  });

  test('causes a rejection if the answer also contains lines far from the selection', () => {
    const linesBefore = ['one();', 'two();', 'three();', 'four();'];
    const answer = ['one();', 'two();', 'three();', 'FOUR();', 'x();'];
    expect(
      readAnswerLines(answer.join('\n'), { before: linesBefore, original: ['y();'], after: [] }),
    ).toBe('outside');
  });
});

describe('the indentation of the new lines', () => {
  const original = ['    b() {', '        c();', '    }'];

  test.each([
    ['complete', ['    b() {', '        d();', '    }']],
    ['missing in all lines', ['b() {', '    d();', '}']],
    ['missing in the first line', ['b() {', '        d();', '    }']],
  ])("becomes that of the document if the answer's indentation is %s", (_, answer) => {
    expect(readAnswerLines(answer.join('\n'), { original })).toEqual([
      '    b() {',
      '        d();',
      '    }',
    ]);
  });

  test('becomes deeper if the answer encloses the lines in a new block', () => {
    const answer = ['if (x):', '    c()', '    d()'];
    const lines = ['    if (x):', '        c()', '        d()'];
    expect(
      readAnswerLines(answer.join('\n'), {
        language: 'python',
        before: ['def f(x):', '    b()'],
        original: ['    c()', '    d()'],
      }),
    ).toEqual(lines);
  });

  test('is converted to tabs if the document uses tabs', () => {
    expect(
      readAnswerLines('b() {\n  d();\n}', { original: ['\tb() {', '\t\tc();', '\t}'] }),
    ).toEqual(['\tb() {', '\t\td();', '\t}']);
  });
});

test.each([
  [
    'a unified diff',
    '--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n top();\n-const b = 1;\n+const a = 1;\n \n-use(b);\n+use(a);\n end();',
  ],
  [
    'SEARCH/REPLACE blocks',
    '<<<<<<< SEARCH\nconst b = 1;\n=======\nconst a = 1;\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\nuse(b);\n=======\nuse(a);\n>>>>>>> REPLACE',
  ],
])('readEditAnswer applies an answer with %s', (_, answer) => {
  expect(readAnswerLines(answer, { before: ['top();'], after: ['end();'] })).toEqual(codeLines);
});

test('readEditAnswer rejects a diff that changes lines around the selection', () => {
  const answer = '@@ -1,2 +1,2 @@\n-top();\n+top2();\n const b = 1;';
  expect(readAnswerLines(answer, { before: ['top();'] })).toBe('no-match');
});

test('readEditAnswer keeps blank lines at the start and the end of the selection, even if the answer omits them', () => {
  expect(readAnswerLines('a();', { original: ['', 'b();', ''] })).toEqual(['', 'a();', '']);
});

describe('the preview of an incomplete answer', () => {
  test('contains a line as soon as its line break arrives', () => {
    expect(previewEditAnswer('const a = 1;\nuse', createTarget())).toEqual(['const a = 1;']);
    expect(previewEditAnswer('```ts\nconst a = 1;\n', createTarget())).toEqual(['const a = 1;']);
  });

  test('ends before a placeholder for omitted code', () => {
    const truncatedAnswer = 'const a = 1;\n\n// ... rest of code\nuse(a);\nend();\n';
    expect(previewEditAnswer(truncatedAnswer, createTarget())).toEqual(['const a = 1;']);
  });

  test.each(['Sure! Here is the code:\n', '```diff\n-const b = 1;\n', '<think>\nconst a = 1;\n'])(
    'is empty while only the incomplete start %j has arrived',
    (partialAnswer) => {
      expect(previewEditAnswer(partialAnswer, createTarget())).toEqual([]);
    },
  );
});

describe('an answer in JSON', () => {
  const original = ['const role = getRole(user);', 'if (role !== "admin") deny();'];
  const expected = [
    'const role = getRole(user);',
    'if (role !== "admin") deny(); // ok',
    'evil();',
  ];
  const lineWithHiddenCharacters = 'if (role !== "admin\u202E\u2066") deny();\u200B // ok\revil();';
  const [firstLine = '', secondLine = ''] = original;

  test.each([
    ['a string', JSON.stringify(`${firstLine}\n${lineWithHiddenCharacters}`)],
    ['an object', JSON.stringify({ new_text: `${firstLine}\n${lineWithHiddenCharacters}` })],
    [
      'an edit with the old and the new text',
      JSON.stringify({ old_text: secondLine, new_text: lineWithHiddenCharacters }),
    ],
    ['an array', JSON.stringify([firstLine, ...lineWithHiddenCharacters.split('\r')])],
  ])('adds no hidden characters and no carriage returns if the JSON is %s', (_, answer) => {
    expect(
      readAnswerLines(answer.replaceAll(/[\u200B\u202E\u2066]/gu, toUnicodeEscape), { original }),
    ).toEqual(expected);
  });

  test('keeps the hidden characters of the original line in a changed line', () => {
    const originalLines = ['const gap = "\u200B";', 'const mark = create(gap, "\u200E\u200E", 1);'];
    const answer = String.raw`{"old_text": "gap, \"\u200e\u200e\"", "new_text": "\"\u200e\u202e\""}`;
    const jsonEdit = JSON.stringify({ old_text: ', 1)', new_text: ', 2)' });
    expect(readAnswerLines(jsonEdit, { original: originalLines })).toEqual([
      originalLines[0],
      'const mark = create(gap, "\u200E\u200E", 2);',
    ]);
    expect(readAnswerLines(answer, { original: originalLines })).toEqual([
      originalLines[0],
      'const mark = create("", 1);',
    ]);
  });
});

const toUnicodeEscape = (character: string): string =>
  String.raw`\u${(character.codePointAt(0) ?? 0).toString(16)}`;
