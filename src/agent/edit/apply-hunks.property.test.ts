import { fc } from '../../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { applyHunks } from './apply-hunks.ts';
import type { Hunk, TextEdit } from './hunk.ts';

const lineArbitrary = fc.oneof(
  fc.constantFrom(
    '',
    '  a',
    '\ta',
    'a  ',
    'b',
    '}',
    'foo(bar)',
    '“q”',
    '"q"',
    'x\u00A0y',
    'x y',
    '😀',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/[\r\n\0]/u.test(text)),
);
const fileLinesArbitrary = fc.array(lineArbitrary, { minLength: 1, maxLength: 30 });
const lineEndingArbitrary = fc.constantFrom('\n', '\r\n');
const fileTextArbitrary = fc
  .tuple(
    fileLinesArbitrary,
    fc.array(lineEndingArbitrary, { minLength: 1, maxLength: 3 }),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([lines, endings, hasByteOrderMark, hasFinalNewline]) => {
    const body = lines
      .map(
        (name, i) =>
          name + (i < lines.length - 1 || hasFinalNewline ? endings[i % endings.length] : ''),
      )
      .join('');
    return (hasByteOrderMark ? '\uFEFF' : '') + body;
  });

/** Generates hunks that search for parts of the file, sometimes with small changes. */
const createHunkArbitrary = (file: string): fc.Arbitrary<Hunk> =>
  fc
    .tuple(
      fc.nat(file.length),
      fc.nat(40),
      fc.array(lineArbitrary, { maxLength: 4 }).map((lines) => lines.join('\n')),
      fc.constantFrom<((text: string) => string)[]>(
        (text) => text,
        (text) => text,
        (text) => text.replaceAll('\t', '    '),
        (text) => text.replaceAll(/[ \t]+$/gmu, ''),
        (text) => text.replaceAll(/^/gmu, '  '),
        (text) => text.replaceAll(/[“”]/gu, '"'),
        (text) => text.replace('o', '0'),
      ),
      fc.boolean(),
    )
    .map(([start, length, replacement, change, hasLineFeeds]) => {
      const text = change(file.slice(start, start + length));
      const search = hasLineFeeds ? text.replaceAll('\r\n', '\n') : text;
      return { search, replace: replacement };
    });

const fileAndHunksArbitrary = fileTextArbitrary.chain((file) =>
  fc.tuple(fc.constant(file), fc.array(createHunkArbitrary(file), { minLength: 1, maxLength: 5 })),
);

const convertToLineFeeds = (value: string): string => value.replaceAll('\r\n', '\n');

/**
 * Reference implementation that replaces exact matches in sequence. Returns `undefined` if a search text is not unique.
 */
function applyHunksSimply(file: string, hunks: readonly Hunk[]): string | undefined {
  let currentText = convertToLineFeeds(file.replace(/^\uFEFF/u, ''));
  for (const { search, replace } of hunks) {
    const offset = currentText.indexOf(convertToLineFeeds(search));
    if (currentText === '' && search === '') {
      currentText = convertToLineFeeds(replace);
      continue;
    }
    if (offset < 0 || currentText.includes(convertToLineFeeds(search), offset + 1))
      return undefined;
    const end = offset + convertToLineFeeds(search).length;
    currentText =
      currentText.slice(0, offset) + convertToLineFeeds(replace) + currentText.slice(end);
  }
  return currentText;
}

function applyEditsSimply(file: string, edits: readonly TextEdit[]): string {
  return edits.reduceRight(
    (text, { start, end, text: replacement }) =>
      text.slice(0, start) + replacement + text.slice(end),
    file,
  );
}

describe('applyHunks for any file and hunks', () => {
  test('returns the text of the reference implementation if all matches are exact', () => {
    let count = 0;
    fc.assert(
      fc.property(fileAndHunksArbitrary, ([file, hunks]) => {
        const result = applyHunks(file, hunks);
        if (result.type === 'refused') return;
        const expected = applyHunksSimply(file, hunks);
        if (result.matches.some((match) => match !== 'exact')) return;
        count += 1;
        expect(convertToLineFeeds(result.text.replace(/^\uFEFF/u, ''))).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
    expect(count).toBeGreaterThan(50);
  });

  test('changes no text outside the edits and returns the edits in order, without overlaps', () => {
    fc.assert(
      fc.property(fileAndHunksArbitrary, ([file, hunks]) => {
        const result = applyHunks(file, hunks);
        if (result.type === 'refused') return;
        expect(result.text).toBe(applyEditsSimply(file, result.edits));
        let previousEnd = -1;
        for (const { start, end, text: replacement } of result.edits) {
          expect(start).toBeGreaterThan(previousEnd);
          expect(file.slice(start, end)).not.toBe(replacement);
          for (const part of [file.slice(0, start), replacement, file.slice(end)]) {
            expect(part.isWellFormed()).toBe(true);
          }
          previousEnd = end;
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('does not report a search with exactly one match as missing or ambiguous', () => {
    fc.assert(
      fc.property(fileAndHunksArbitrary, ([file, [hunk]]) => {
        if (hunk === undefined || applyHunksSimply(file, [hunk]) === undefined) return;
        const result = applyHunks(file, [hunk]);
        // The replacement may be indented like the line that the search is a part of.
        if (result.type === 'applied') expect(['exact', 'tolerant']).toContain(result.matches[0]);
        else {
          expect(['no-match', 'ambiguous', 'overlap', 'not-exact', 'too-many']).not.toContain(
            result.code,
          );
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('rejects every search text that occurs twice', () => {
    fc.assert(
      fc.property(
        fileTextArbitrary,
        fc.nat(),
        fc.integer({ min: 1, max: 10 }),
        (file, offset, length) => {
          const textWithLineFeeds = convertToLineFeeds(file.replace(/^\uFEFF/u, ''));
          const start = offset % (textWithLineFeeds.length + 1);
          const search = textWithLineFeeds.slice(start, start + length);
          if (
            search === '' ||
            !textWithLineFeeds.includes(search, textWithLineFeeds.indexOf(search) + 1)
          )
            return;
          expect(applyHunks(file, [{ search, replace: 'something else' }]).type).toBe('refused');
        },
      ),
    );
  });

  test('returns the same text for CRLF and LF files except for line endings', () => {
    fc.assert(
      fc.property(fileAndHunksArbitrary, ([file, hunks]) => {
        const crlfText = convertToLineFeeds(file).replaceAll('\n', '\r\n');
        const [crlfResult, lineFeedResult] = [
          applyHunks(crlfText, hunks),
          applyHunks(convertToLineFeeds(file), hunks),
        ];
        expect(crlfResult.type).toBe(lineFeedResult.type);
        if (crlfResult.type === 'refused' || lineFeedResult.type === 'refused') return;
        // A file of a single line has no line endings to keep.
        if (!crlfText.includes('\r\n')) return;
        expect(crlfResult.text).toBe(lineFeedResult.text.replaceAll('\n', '\r\n'));
      }),
      { numRuns: 1_000 },
    );
  });

  test('finds a block with different indentation and adapts the replacement', () => {
    const name = fc.stringMatching(/^[a-z]{4,8}$/u);
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 4, maxLength: 8 }),
        name,
        (names, addedName) => {
          const [firstName = '', ...body] = names;
          const formatBlock = (
            indentUnit: string,
            baseIndent: string,
            lines: readonly string[],
          ): string =>
            [
              `${baseIndent}${firstName} {`,
              ...lines.map((name) => `${baseIndent}${indentUnit}${name}();`),
              `${baseIndent}}`,
            ].join('\n');
          const newLines = [...body, `${addedName}X`];
          const file = `top {\n${formatBlock('\t', '\t', body)}\n}\n`;
          const result = applyHunks(file, [
            {
              search: formatBlock('    ', '    ', body),
              replace: formatBlock('    ', '    ', newLines),
            },
          ]);
          expect(result).toMatchObject({
            text: `top {\n${formatBlock('\t', '\t', newLines)}\n}\n`,
            matches: ['tolerant'],
          });
        },
      ),
    );
  });

  test('finds a line with hidden characters that the search lacks, and keeps these characters', () => {
    const name = fc.stringMatching(/^[a-z]{4,8}$/u);
    const hiddenCharacterArbitrary = fc.constantFrom(
      '',
      '',
      '\u200B',
      '\u00AD',
      '\uFE01\u{E0101}',
      '\u{E0041}',
      '\u0001',
    );
    const insertHiddenCharacters = (word: string): fc.Arbitrary<string> =>
      fc
        .array(hiddenCharacterArbitrary, { minLength: word.length + 1, maxLength: word.length + 1 })
        .map((hiddenCharacters) =>
          hiddenCharacters
            .map((hiddenCharacter, offset) => hiddenCharacter + word.slice(offset, offset + 1))
            .join(''),
        );
    const namesAndLinesArbitrary = fc
      .uniqueArray(name, { minLength: 3, maxLength: 8 })
      .chain((names) =>
        fc.tuple(fc.constant(names), fc.tuple(...names.map(insertHiddenCharacters)), fc.nat()),
      );
    fc.assert(
      fc.property(namesAndLinesArbitrary, ([names, lines, index]) => {
        const [name = ''] = names.slice(index % names.length);
        const file = `${lines.join('\n')}\n`;
        const visibleText = stripHiddenCharacters(file);
        const result = applyHunks(file, [{ search: `${name}\n`, replace: `${name}(1)\n` }]);
        if (result.type === 'refused') throw new Error(JSON.stringify(result));
        const strippedResult = stripHiddenCharacters(result.text);
        const expected = names.map((otherName) =>
          otherName === name ? `${otherName}(1)` : otherName,
        );
        expect(strippedResult).toEqual({
          text: `${expected.join('\n')}\n`,
          removedCount: visibleText.removedCount,
        });
      }),
      { numRuns: 500 },
    );
  });
});

describe('the advice in the error for a rejected hunk', () => {
  const selectedHunkArbitrary = fileAndHunksArbitrary.chain(([file, [hunk]]) =>
    fc.record(
      {
        file: fc.constant(file.replaceAll('\r\n', '\n')),
        search: fc.constant(convertToLineFeeds(hunk?.search ?? '')),
        occurrence: fc.integer({ min: 1, max: 4 }),
        all: fc.boolean(),
      },
      { requiredKeys: ['file', 'search'] },
    ),
  );
  /** Returns a text with the same indentation as the search text. No generated file contains this text. */
  const createReplacement = (search: string): string =>
    `${/^[ \t]*/u.exec(search)?.[0]}replacement`;

  test('to use `occurrence` or `all` makes a search with several matches succeed', () => {
    fc.assert(
      fc.property(selectedHunkArbitrary, ({ file, search }) => {
        const replace = createReplacement(search);
        const result = applyHunks(file, [{ search, replace }]);
        fc.pre(result.type === 'refused' && result.code === 'ambiguous');
        fc.pre(result.insideWordsCount !== undefined);
        const count = result.count ?? 0;
        for (let occurrence = 1; occurrence <= count; occurrence += 1)
          expect(applyHunks(file, [{ search, replace, occurrence }]).type).toBe('applied');
        expect(applyHunks(file, [{ search, replace, all: true }]).type).toBe('applied');
        const invalidResult = applyHunks(file, [{ search, replace, occurrence: count + 1 }]);
        expect(invalidResult).toMatchObject({ code: 'no-occurrence', count });
      }),
      { numRuns: 1_000 },
    );
  });

  test('lists lines that a search finds in the file', () => {
    fc.assert(
      fc.property(selectedHunkArbitrary, ({ file, ...hunk }) => {
        const ambiguousResult = applyHunks(file, [
          { ...hunk, replace: createReplacement(hunk.search) },
        ]);
        fc.pre(ambiguousResult.type === 'refused');
        for (const { line: firstLine, lines } of ambiguousResult.candidates) {
          const search = lines.join('\n');
          const replace = createReplacement(search);
          const fileLines = file.replace(/^\uFEFF/u, '').split('\n');
          expect(fileLines.slice(firstLine - 1, firstLine - 1 + lines.length)).toEqual(lines);
          const result = applyHunks(file, [{ search, replace }]);
          // A line that occurs several times is selected by its number.
          const isAmbiguous = result.type === 'refused' && result.code === 'ambiguous';
          const finalResult = isAmbiguous
            ? applyHunks(file, [{ search, replace, occurrence: 1 }])
            : result;
          if (search.trim() !== '') expect(finalResult.type).toBe('applied');
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('to add surrounding lines makes the search succeed', () => {
    fc.assert(
      fc.property(selectedHunkArbitrary, fc.nat(), ({ file, search }, choice) => {
        const refusedResult = applyHunks(file, [{ search, replace: createReplacement(search) }]);
        fc.pre(refusedResult.type === 'refused' && refusedResult.code === 'ambiguous');
        const candidate = refusedResult.candidates[choice % refusedResult.candidates.length];
        fc.pre(candidate !== undefined);
        const fileLines = file.replace(/^\uFEFF/u, '').split('\n');
        for (let contextCount = 1; contextCount <= fileLines.length; contextCount += 1) {
          const firstLine = Math.max(0, candidate.line - 1 - contextCount);
          const end = candidate.line - 1 + candidate.lines.length + contextCount;
          const lines = fileLines.slice(firstLine, end).join('\n');
          const result = applyHunks(file, [{ search: lines, replace: createReplacement(lines) }]);
          if (result.type === 'applied') return;
          expect(result.code).toBe('ambiguous');
        }
        expect.unreachable('all lines of the file are a unique search');
      }),
      { numRuns: 1_000 },
    );
  });
});
