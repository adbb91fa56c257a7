import type { FileSegment, FreshFile } from './fresh-files.fixture.ts';
import {
  formatComment,
  removeCommonIndent,
  type DiffLine,
  diffLines,
  joinLines,
  pickItem,
  formatSignedLines,
  swapIndentation,
  getFenceTag,
} from './fresh-forms.fixture.ts';

/** A code block of an answer, and the text of the file after the block is applied. */
export interface FreshBlock {
  readonly form: string;
  /** Way to apply the block: `block` as a code block, `answer` as the edits of a model, `create` as a new file. */
  readonly entry: 'block' | 'answer' | 'create';
  readonly text: string;
  readonly code: string;
  readonly info: string;
  readonly right: string;
  readonly expected: 'right' | 'refuse' | 'refuse-or-right';
  readonly finishReason: 'stop' | 'length';
}

interface Hunk {
  readonly lines: readonly DiffLine[];
  readonly starts: readonly [before: number, after: number];
}

const listLines = (segments: readonly FileSegment[], side: 'original' | 'right'): string[] =>
  segments.flatMap((segment) => segment[side]);
const countHunkLines = (hunk: Hunk, sign: '-' | '+'): number =>
  hunk.lines.filter(([own]) => own === ' ' || own === sign).length;

/** Returns the hunks of a unified diff with `context` unchanged lines around each change. */
function toHunks(segments: readonly FileSegment[], context: number): Hunk[] {
  const diff = segments.flatMap(({ original, right }) => diffLines(original, right));
  const changed = diff.flatMap(([sign], index) => (sign === ' ' ? [] : [index]));
  const ranges: [number, number][] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    if (last !== undefined && index - context <= last[1]) last[1] = index + context + 1;
    else ranges.push([index - context, index + context + 1]);
  }
  return ranges.map(([from, to]) => {
    const start = Math.max(from, 0);
    const before = diff.slice(0, start);
    const line = (sign: '-' | '+'): number => before.filter(([own]) => own !== sign).length + 1;
    return { lines: diff.slice(start, to), starts: [line('+'), line('-')] };
  });
}

interface DiffOptions {
  readonly context?: number;
  readonly offset?: number;
  readonly extra?: number;
  readonly head?: (hunk: Hunk) => string;
}

/**
 * Returns the line number that a hunk header states for one side: 0 for the removed and unchanged lines, 1 for the
 * added and unchanged lines. If that side has no lines, returns the number of the line before them.
 */
const getHunkStart = (hunk: Hunk, side: 0 | 1, offset: number): number =>
  hunk.starts[side] + offset - (countHunkLines(hunk, side === 0 ? '-' : '+') === 0 ? 1 : 0);

const formatHunkHeader = (hunk: Hunk, offset = 0, extra = 0): string =>
  `@@ -${getHunkStart(hunk, 0, offset)},${countHunkLines(hunk, '-') + extra} +${getHunkStart(hunk, 1, offset)},${countHunkLines(hunk, '+') + 2 * extra} @@`;

const toDiff = (
  { segments }: FreshFile,
  {
    context = 3,
    offset,
    extra,
    head = (hunk) => formatHunkHeader(hunk, offset, extra),
  }: DiffOptions = {},
): string =>
  joinLines(
    toHunks(segments, context).flatMap((hunk) => [head(hunk), formatSignedLines(hunk.lines)]),
  );
const formatFileHeader = ({ path }: FreshFile): string => `--- a/${path}\n+++ b/${path}\n`;

/**
 * Counts the positions in a file at which the lines of a block occur consecutively. Ignores indentation and blank
 * lines.
 */
function countPositions(fileLines: readonly string[], blockLines: readonly string[]): number {
  const clean = (text: readonly string[]): string[] =>
    text.map((line) => line.trim()).filter((line) => line !== '');
  const [trimmedFileLines, trimmedBlockLines] = [clean(fileLines), clean(blockLines)];
  return trimmedFileLines.filter((_, start) =>
    trimmedBlockLines.every((line, index) => trimmedFileLines[start + index] === line),
  ).length;
}

/** Checks whether the unchanged and removed lines of each hunk occur at only one position of the file. */
const isUnique = (file: FreshFile, context: number): boolean =>
  toHunks(file.segments, context).every((hunk) => {
    const old = hunk.lines.filter(([sign]) => sign !== '+').map(([, line]) => line);
    return countPositions(listLines(file.segments, 'original'), old) === 1;
  });

/** A change with unchanged lines around it, as in the file (`original`) and as a model returns it (`right`). */
interface Excerpt {
  readonly original: readonly string[];
  readonly right: readonly string[];
  /** Lines of the file if only this change is made. */
  readonly result: readonly string[];
  /** True if the first line and the last line of `original` each occur at only one position of the file. */
  readonly isCertain: boolean;
}

function toExcerpt({ segments }: FreshFile, number: number, context: number): Excerpt | undefined {
  const change = segments.filter(({ isChange }) => isChange)[number];
  if (change === undefined) return undefined;
  const index = segments.indexOf(change);
  const before = listLines(segments.slice(0, index), 'original');
  const after = listLines(segments.slice(index + 1), 'original');
  const [first, last] = [context === 0 ? [] : before.slice(-context), after.slice(0, context)];
  const all = [...before, ...change.original, ...after];
  const original = [...first, ...change.original, ...last];
  const isSingle = (line = ''): boolean => line.trim() !== '' && countPositions(all, [line]) === 1;
  return {
    original,
    right: [...first, ...change.right, ...last],
    result: [...before, ...change.right, ...after],
    isCertain:
      first.length > 0 && last.length > 0 && isSingle(original[0]) && isSingle(original.at(-1)),
  };
}

/** Splits a file in the middle of its longest unchanged segment. Returns undefined if this segment is too short. */
function splitFile({
  segments,
}: FreshFile):
  | Readonly<Record<'first' | 'last', Pick<FileSegment, 'original' | 'right'>>>
  | undefined {
  const same = segments.filter(({ isChange }) => !isChange);
  const longest = same.toSorted((a, b) => b.right.length - a.right.length)[0];
  if (longest === undefined || longest.right.length < 4) return undefined;
  const index = segments.indexOf(longest);
  const middle = Math.floor(longest.right.length / 2);
  const [before, after] = [segments.slice(0, index), segments.slice(index + 1)];
  const side = (name: 'original' | 'right'): [string[], string[]] => [
    [...listLines(before, name), ...longest.right.slice(0, middle)],
    [...longest.right.slice(middle), ...listLines(after, name)],
  ];
  const [original, right] = [side('original'), side('right')];
  return {
    first: { original: original[0], right: right[0] },
    last: { original: original[1], right: right[1] },
  };
}

const replaceBlock = (
  search: readonly string[],
  replace: readonly string[],
  marks = ['<<<<<<< SEARCH', '=======', '>>>>>>> REPLACE'],
): string => joinLines([marks[0] ?? '', ...search, marks[1] ?? '', ...replace, marks[2] ?? '']);

/** Returns one SEARCH/REPLACE block per hunk. */
const toBlocks = (
  { segments }: FreshFile,
  context: number,
  change: (lines: string[]) => readonly string[] = (text) => text,
  marks?: string[],
): string =>
  toHunks(segments, context)
    .map((hunk) => {
      const side = (sign: '-' | '+'): string[] =>
        hunk.lines.filter(([own]) => own === ' ' || own === sign).map(([, line]) => line);
      return replaceBlock(change(side('-')), change(side('+')), marks);
    })
    .join('\n\n');

type Draft = Partial<FreshBlock> & Pick<FreshBlock, 'code' | 'expected'>;
type FormatBlock = (file: FreshFile, index: number) => Draft | undefined;

const createCertainDraft = (code: string, info?: string): Draft => ({
  code,
  expected: 'right',
  ...(info !== undefined && { info }),
});
const createUncertainDraft = (code: string, info?: string): Draft => ({
  ...createCertainDraft(code, info),
  expected: 'refuse-or-right',
});
const createRefusedDraft = (code: string, info?: string): Draft => ({
  ...createCertainDraft(code, info),
  expected: 'refuse',
});
const createDraftIf = (isCertain: boolean, code: string, info?: string): Draft =>
  (isCertain ? createCertainDraft : createUncertainDraft)(code, info);

const listOriginalLines = ({ segments }: FreshFile): string[] => listLines(segments, 'original');
const listNewLines = ({ segments }: FreshFile): string[] => listLines(segments, 'right');
const getFirstChange = (file: FreshFile): number =>
  file.segments[0]?.isChange === true ? 0 : (file.segments[0]?.right.length ?? 0);

/**
 * Creates a format that writes only the change with the index `number`, with `context` unchanged lines before and after
 * it.
 */
const createExcerptFormat =
  (
    number: number,
    context: number,
    toCode: (lines: readonly string[], file: FreshFile, index: number) => string,
    isRight = false,
  ): FormatBlock =>
  (file, index) => {
    const part = toExcerpt(file, number, context);
    if (part === undefined || joinLines(part.result) === joinLines(listOriginalLines(file)))
      return undefined;
    const draft = createDraftIf(isRight && part.isCertain, toCode(part.right, file, index));
    return { ...draft, right: `${joinLines(part.result)}\n` };
  };

/**
 * Changes the expected result for a file without indented lines. Such a file does not show its indentation unit, so the
 * parser must retain the indentation of the answer.
 */
const retainNewIndentation =
  (format: FormatBlock): FormatBlock =>
  (file, index) => {
    const draft = format(file, index);
    const isIndented = listOriginalLines(file).some((line) => /^\s/u.test(line));
    if (draft === undefined || isIndented) return draft;
    const right = (draft.right ?? `${joinLines(listNewLines(file))}\n`).split('\n');
    return { ...draft, right: joinLines(swapIndentation(file, right)) };
  };

const createElisionComment = (file: FreshFile, index: number): string =>
  formatComment(
    file,
    pickItem(
      [
        '... existing code ...',
        '...',
        '… rest unchanged …',
        'unchanged code above and below',
        '[...]',
      ],
      index,
    ),
  );

export const freshBlockForms: Readonly<Record<string, FormatBlock>> = {
  'whole file': (file) => createCertainDraft(joinLines(listNewLines(file))),
  'whole file with blank lines around': (file) =>
    createCertainDraft(`\n${joinLines(listNewLines(file))}\n\n`),
  'whole file with CRLF': (file) => createCertainDraft(listNewLines(file).join('\r\n')),
  'whole file for a file with CRLF': (file) => ({
    ...createCertainDraft(joinLines(listNewLines(file))),
    text: `${listOriginalLines(file).join('\r\n')}\r\n`,
    right: `${listNewLines(file).join('\r\n')}\r\n`,
  }),
  'whole file with path comment': (file) =>
    createUncertainDraft(joinLines([formatComment(file, file.path), ...listNewLines(file)])),
  'whole file with line numbers': (file) =>
    createUncertainDraft(
      joinLines(
        listNewLines(file).map((line, number) => `${String(number + 1).padStart(4)} | ${line}`),
      ),
    ),
  'whole file with elided start': (file, index) =>
    createUncertainDraft(
      joinLines([
        createElisionComment(file, index),
        ...listNewLines(file).slice(Math.max(getFirstChange(file) - 2, 1)),
      ]),
    ),
  'whole file with elided end': (file, index) =>
    createUncertainDraft(
      joinLines([...listNewLines(file).slice(0, -3), createElisionComment(file, index)]),
    ),
  'whole file with elided middle': (file, index) =>
    createUncertainDraft(
      joinLines([
        ...listNewLines(file).slice(0, Math.min(getFirstChange(file), 4)),
        createElisionComment(file, index),
        ...listNewLines(file).slice(getFirstChange(file)),
      ]),
    ),
  'first part of the file': (file) => {
    const part = splitFile(file);
    return (
      part && {
        ...createUncertainDraft(joinLines(part.first.right)),
        right: `${joinLines([...part.first.right, ...part.last.original])}\n`,
      }
    );
  },
  'last part of the file': (file) => {
    const part = splitFile(file);
    return (
      part && {
        ...createUncertainDraft(joinLines(part.last.right)),
        right: `${joinLines([...part.first.original, ...part.last.right])}\n`,
      }
    );
  },
  'whole file inside a fence': (file) =>
    createUncertainDraft(
      `\`\`\`${getFenceTag(file)}\n${joinLines(listNewLines(file))}\n\`\`\``,
      'markdown',
    ),
  'git diff': (file) =>
    createCertainDraft(
      `diff --git a/${file.path} b/${file.path}\nindex 3f1c2aa..9b0d1ee 100644\n${formatFileHeader(file)}${toDiff(file)}`,
      'diff',
    ),
  'git diff for a file with CRLF': (file) => ({
    ...createCertainDraft(`${formatFileHeader(file)}${toDiff(file)}`, 'diff'),
    text: `${listOriginalLines(file).join('\r\n')}\r\n`,
    right: `${listNewLines(file).join('\r\n')}\r\n`,
  }),
  'git diff with CRLF': (file) =>
    createCertainDraft(`${formatFileHeader(file)}${toDiff(file)}`.replaceAll('\n', '\r\n'), 'diff'),
  'diff with one line of context': (file) =>
    createDraftIf(
      isUnique(file, 1),
      `${formatFileHeader(file)}${toDiff(file, { context: 1 })}`,
      'diff',
    ),
  'diff with ten lines of context': (file) =>
    createCertainDraft(`${formatFileHeader(file)}${toDiff(file, { context: 10 })}`, 'patch'),
  'diff without context': (file) =>
    createUncertainDraft(`${formatFileHeader(file)}${toDiff(file, { context: 0 })}`, 'diff'),
  'diff with wrong counts': (file) =>
    createDraftIf(
      isUnique(file, 3),
      `${formatFileHeader(file)}${toDiff(file, { extra: 3 })}`,
      'diff',
    ),
  'diff with wrong line numbers': (file) =>
    createDraftIf(
      isUnique(file, 3),
      `${formatFileHeader(file)}${toDiff(file, { offset: 137 })}`,
      'diff',
    ),
  'diff with small wrong line numbers': (file) =>
    createDraftIf(
      isUnique(file, 2),
      `${formatFileHeader(file)}${toDiff(file, { context: 2, offset: -1 })}`,
      'diff',
    ),
  'diff without file header': (file) => createDraftIf(isUnique(file, 3), toDiff(file), 'diff'),
  'diff without line numbers': (file) =>
    createDraftIf(
      isUnique(file, 3),
      `${formatFileHeader(file)}${toDiff(file, { head: () => '@@ ... @@' })}`,
      'diff',
    ),
  'diff with bare hunk headers': (file) =>
    createDraftIf(isUnique(file, 2), toDiff(file, { context: 2, head: () => '@@' }), 'diff'),
  'diff with section names': (file) =>
    createCertainDraft(
      `${formatFileHeader(file)}${toDiff(file, { head: (hunk) => `${formatHunkHeader(hunk)} ${listOriginalLines(file)[0] ?? ''}` })}`,
      'diff',
    ),
  'diff without hunk headers': (file) =>
    createUncertainDraft(
      toHunks(file.segments, 2)
        .map((hunk) => formatSignedLines(hunk.lines))
        .join('\n'),
      'diff',
    ),
  'diff with stripped blank lines': (file) =>
    createCertainDraft(`${formatFileHeader(file)}${toDiff(file)}`.replaceAll(/^ $/gmu, ''), 'diff'),
  'diff with unindented context': (file) =>
    createUncertainDraft(
      `${formatFileHeader(file)}${toDiff(file)}`.replaceAll(/^ (?=.)/gmu, ''),
      'diff',
    ),
  'diff in the language of the file': (file) =>
    createUncertainDraft(`${formatFileHeader(file)}${toDiff(file)}`),
  'diff with hunks in reverse order': (file) =>
    createUncertainDraft(
      formatFileHeader(file) +
        toHunks(file.segments, 1)
          .reverse()
          .map((hunk) => `${formatHunkHeader(hunk)}\n${formatSignedLines(hunk.lines)}`)
          .join('\n'),
      'diff',
    ),
  'diff of lines inserted above': (file) => {
    const above = [
      formatComment(file, 'one'),
      formatComment(file, 'two'),
      formatComment(file, 'three'),
      '',
    ];
    return {
      ...createDraftIf(
        isUnique(file, 3) && getFirstChange(file) > 0,
        `${formatFileHeader(file)}${toDiff(file)}`,
        'diff',
      ),
      text: `${joinLines([...above, ...listOriginalLines(file)])}\n`,
      right: `${joinLines([...above, ...listNewLines(file)])}\n`,
    };
  },
  'diff that is already applied': (file) => ({
    ...createUncertainDraft(`${formatFileHeader(file)}${toDiff(file)}`, 'diff'),
    text: `${joinLines(listNewLines(file))}\n`,
  }),
  'diff of other lines': (file) => {
    const diff = toDiff(file);
    if (!/^-(?=.)/mu.test(diff)) return undefined;
    return createRefusedDraft(
      formatFileHeader(file) + diff.replaceAll(/^-(?=.)/gmu, '-other '),
      'diff',
    );
  },
  'diff of two files': (file) =>
    createUncertainDraft(
      `${formatFileHeader(file)}${toDiff(file)}\n--- a/other.txt\n+++ b/other.txt\n@@ -1 +1 @@\n-a\n+b`,
      'diff',
    ),
  'diff with escaped HTML': (file) =>
    createUncertainDraft(
      toDiff(file).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      'diff',
    ),
  'apply_patch envelope': (file) =>
    createUncertainDraft(
      `*** Begin Patch\n*** Update File: ${file.path}\n${toDiff(file, { head: () => '@@' })}\n*** End Patch`,
    ),
  'SEARCH/REPLACE': (file) => createDraftIf(isUnique(file, 1), toBlocks(file, 1)),
  'SEARCH/REPLACE with three lines of context': (file) =>
    createDraftIf(isUnique(file, 3), toBlocks(file, 3)),
  'SEARCH/REPLACE with path': (file) =>
    createDraftIf(isUnique(file, 2), `${file.path}\n${toBlocks(file, 2)}`),
  'SEARCH/REPLACE with CRLF': (file) =>
    createDraftIf(isUnique(file, 2), toBlocks(file, 2).replaceAll('\n', '\r\n')),
  'SEARCH/REPLACE for a file with CRLF': (file) => ({
    ...createDraftIf(isUnique(file, 2), toBlocks(file, 2)),
    text: `${listOriginalLines(file).join('\r\n')}\r\n`,
    right: `${listNewLines(file).join('\r\n')}\r\n`,
  }),
  'dedented SEARCH/REPLACE': (file) => createUncertainDraft(toBlocks(file, 1, removeCommonIndent)),
  'SEARCH/REPLACE with swapped tabs and spaces': retainNewIndentation((file) =>
    createUncertainDraft(toBlocks(file, 2, (text) => swapIndentation(file, text))),
  ),
  'SEARCH/REPLACE with other markers': (file, index) =>
    createUncertainDraft(
      toBlocks(
        file,
        2,
        undefined,
        pickItem(
          [
            ['<<<<<<< ORIGINAL', '=======', '>>>>>>> UPDATED'],
            ['------- SEARCH', '=======', '+++++++ REPLACE'],
            ['<<<<<<< SEARCH', '=======', '>>>>>>>'],
            ['<<<<<< SEARCH', '======', '>>>>>> REPLACE'],
            ['SEARCH:', 'REPLACE:', 'END'],
          ],
          index,
        ),
      ),
    ),
  'SEARCH/REPLACE without the last marker': (file) =>
    createUncertainDraft(toBlocks(file, 2).replace(/\n>>>>>>> REPLACE$/u, '')),
  'SEARCH of other lines': (file) =>
    createRefusedDraft(toBlocks(file, 1).replaceAll(/(<<<<<<< SEARCH\n)/gu, '$1an unknown line\n')),
  'SEARCH with an elision': (file, index) => {
    const part = toExcerpt(file, 0, 3);
    if (part === undefined || part.original.length < 7) return undefined;
    const search = [
      ...part.original.slice(0, 2),
      createElisionComment(file, index),
      ...part.original.slice(-2),
    ];
    const draft = createUncertainDraft(replaceBlock(search, part.right));
    return { ...draft, right: `${joinLines(part.result)}\n` };
  },
  'empty SEARCH': (file) => createUncertainDraft(replaceBlock([], listNewLines(file))),
  'snippet with two lines of context': createExcerptFormat(0, 2, joinLines, true),
  'snippet with four lines of context': createExcerptFormat(0, 4, joinLines, true),
  'snippet of the second change': createExcerptFormat(1, 3, joinLines, true),
  'snippet of the third change': createExcerptFormat(2, 2, joinLines, true),
  'snippet without context': createExcerptFormat(0, 0, joinLines),
  'snippet with context before': (file, index) => {
    const part = toExcerpt(file, 0, 3);
    const bare = toExcerpt(file, 0, 0);
    if (part === undefined || bare === undefined || part.right.length < bare.right.length + 6)
      return undefined;
    return createExcerptFormat(0, 3, (text) => joinLines(text.slice(0, -3)))(file, index);
  },
  'dedented snippet': createExcerptFormat(0, 2, (text) => joinLines(removeCommonIndent(text))),
  'snippet with trimmed first line': createExcerptFormat(0, 3, (text) =>
    joinLines(text).trimStart(),
  ),
  'snippet with swapped tabs and spaces': retainNewIndentation(
    createExcerptFormat(0, 3, (text, file) => joinLines(swapIndentation(file, text))),
  ),
  'snippet with line numbers': createExcerptFormat(0, 3, (text, file) =>
    joinLines(text.map((line, number) => `${getFirstChange(file) + number - 2}: ${line}`)),
  ),
  'snippet with elisions': createExcerptFormat(0, 2, (text, file, index) =>
    joinLines([createElisionComment(file, index), ...text, createElisionComment(file, index + 1)]),
  ),
  'snippet with path comment': createExcerptFormat(0, 3, (text, file) =>
    joinLines([formatComment(file, file.path), ...text]),
  ),
  'snippets of all changes with elisions': (file, index) =>
    createUncertainDraft(
      toHunks(file.segments, 2)
        .map((hunk) =>
          joinLines(hunk.lines.filter(([sign]) => sign !== '-').map(([, line]) => line)),
        )
        .join(`\n${createElisionComment(file, index)}\n`),
    ),
  'snippets of all changes without elisions': (file) =>
    toHunks(file.segments, 2).length < 2
      ? undefined
      : createUncertainDraft(
          toHunks(file.segments, 2)
            .map((hunk) =>
              joinLines(hunk.lines.filter(([sign]) => sign !== '-').map(([, line]) => line)),
            )
            .join('\n'),
        ),
  'new lines alone': (file) => {
    const change = file.segments.find(({ isChange }) => isChange);
    const added = change?.right.filter((line) => !listOriginalLines(file).includes(line)) ?? [];
    return added.length === 0 ? undefined : createUncertainDraft(joinLines(added));
  },
  'unchanged excerpt': (file) => ({
    ...createUncertainDraft(joinLines(listOriginalLines(file).slice(1, 7))),
    right: `${joinLines(listOriginalLines(file))}\n`,
  }),
  'unrelated function': (file) =>
    createRefusedDraft(
      file.language === 'python'
        ? 'def example():\n    return 1'
        : 'function example() {\n  return 1;\n}',
    ),
  command: () => createRefusedDraft('npm install\nnpm test', 'bash'),
  'program output': () => createRefusedDraft('PASS  12 tests\nDone in 1.2 s', 'text'),
  'JSON result': () => createRefusedDraft('{ "status": "ok", "items": [1, 2] }', 'json'),
  sentence: () => createRefusedDraft('Add the check before the first return statement.'),
  'only an elision': (file, index) => createRefusedDraft(createElisionComment(file, index)),
  nothing: () => createRefusedDraft('\n\n'),
  'edits as JSON': (file) =>
    createUncertainDraft(
      JSON.stringify(
        file.segments
          .filter(({ isChange }) => isChange)
          .map((change) => ({
            old_string: joinLines(change.original),
            new_string: joinLines(change.right),
          })),
      ),
      'json',
    ),
  'answer with SEARCH/REPLACE': (file) => ({
    ...createDraftIf(isUnique(file, 2), toBlocks(file, 2)),
    entry: 'answer',
  }),
  'answer with prose and fences': (file) => ({
    ...createDraftIf(
      isUnique(file, 2),
      `I'll make these changes:\n\n${file.path}\n\`\`\`${getFenceTag(file)}\n${toBlocks(file, 2)}\n\`\`\`\n\nLet me know if you need more.`,
    ),
    entry: 'answer',
  }),
  'answer with thoughts': (file) => ({
    ...createDraftIf(
      isUnique(file, 2),
      `<think>\nReplace the first lines.\n</think>\n\n${toBlocks(file, 2)}`,
    ),
    entry: 'answer',
  }),
  'answer with a diff': (file) => ({
    ...createUncertainDraft(`\`\`\`diff\n${formatFileHeader(file)}${toDiff(file)}\n\`\`\``),
    entry: 'answer',
  }),
  'answer that was cut off': (file) => ({
    ...createUncertainDraft(toBlocks(file, 2).slice(0, -30)),
    entry: 'answer',
    finishReason: 'length',
  }),
  'answer without edits': () => ({
    ...createRefusedDraft('The file already contains these changes.'),
    entry: 'answer',
  }),
  'new file': (file) => ({ ...createCertainDraft(joinLines(listNewLines(file))), entry: 'create' }),
  'new file with path comment': (file) => ({
    ...createUncertainDraft(joinLines([formatComment(file, file.path), ...listNewLines(file)])),
    entry: 'create',
  }),
  'new file from a diff': (file) => ({
    ...createCertainDraft(
      `--- /dev/null\n+++ b/${file.path}\n@@ -0,0 +1,${listNewLines(file).length} @@\n${joinLines(listNewLines(file).map((line) => `+${line}`))}`,
      'diff',
    ),
    entry: 'create',
  }),
  'new file with an elision': (file, index) => ({
    ...createRefusedDraft(
      joinLines([...listNewLines(file).slice(0, 5), createElisionComment(file, index)]),
    ),
    entry: 'create',
  }),
  'new file from a diff of a file': (file) => ({
    ...createRefusedDraft(`${formatFileHeader(file)}${toDiff(file)}`, 'diff'),
    entry: 'create',
  }),
  'new file from SEARCH/REPLACE': (file) => ({
    ...createRefusedDraft(toBlocks(file, 2)),
    entry: 'create',
  }),
};

export const createFreshBlocks = (file: FreshFile, index: number): readonly FreshBlock[] =>
  Object.entries(freshBlockForms).flatMap(([form, create]) => {
    const draft = create(file, index);
    if (draft === undefined) return [];
    return [
      {
        form,
        entry: 'block' as const,
        text: `${joinLines(listOriginalLines(file))}\n`,
        info: getFenceTag(file),
        right: `${joinLines(listNewLines(file))}\n`,
        finishReason: 'stop' as const,
        ...draft,
      },
    ];
  });
