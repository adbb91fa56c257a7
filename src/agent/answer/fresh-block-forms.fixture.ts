import type { FileSegment, FreshFile } from './fresh-files.fixture.ts';
import {
  comment,
  dedent,
  type DiffLine,
  diffLines,
  join,
  pick,
  signed,
  swapIndentation,
  tagOf,
} from './fresh-forms.fixture.ts';

/** A code block and the text that it may produce from a file. */
export interface FreshBlock {
  readonly form: string;
  /** `block` applies a code block, `answer` the edits of a model, and `create` creates a file. */
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

const lines = (segments: readonly FileSegment[], side: 'original' | 'right'): string[] =>
  segments.flatMap((segment) => segment[side]);
const count = (hunk: Hunk, sign: '-' | '+'): number =>
  hunk.lines.filter(([own]) => own === ' ' || own === sign).length;

/** Returns the hunks of a unified diff with the number of unchanged lines around each change. */
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

/** Returns the start of one side. An empty side starts at the line before it. */
const startOf = (hunk: Hunk, side: 0 | 1, offset: number): number =>
  hunk.starts[side] + offset - (count(hunk, side === 0 ? '-' : '+') === 0 ? 1 : 0);

const headOf = (hunk: Hunk, offset = 0, extra = 0): string =>
  `@@ -${startOf(hunk, 0, offset)},${count(hunk, '-') + extra} +${startOf(hunk, 1, offset)},${count(hunk, '+') + 2 * extra} @@`;

const toDiff = (
  { segments }: FreshFile,
  { context = 3, offset, extra, head = (hunk) => headOf(hunk, offset, extra) }: DiffOptions = {},
): string => join(toHunks(segments, context).flatMap((hunk) => [head(hunk), signed(hunk.lines)]));
const fileHead = ({ path }: FreshFile): string => `--- a/${path}\n+++ b/${path}\n`;

/** Counts the positions of a block of lines. Ignores indentation and blank lines. */
function positions(all: readonly string[], block: readonly string[]): number {
  const clean = (text: readonly string[]): string[] =>
    text.map((line) => line.trim()).filter((line) => line !== '');
  const [file, part] = [clean(all), clean(block)];
  return file.filter((_, start) => part.every((line, index) => file[start + index] === line))
    .length;
}

/** Checks whether the unchanged and removed lines of each hunk are at one position only. */
const isUnique = (file: FreshFile, context: number): boolean =>
  toHunks(file.segments, context).every((hunk) => {
    const old = hunk.lines.filter(([sign]) => sign !== '+').map(([, line]) => line);
    return positions(lines(file.segments, 'original'), old) === 1;
  });

/** A change with unchanged lines around it, as it is in the file and as a model returns it. */
interface Excerpt {
  readonly original: readonly string[];
  readonly right: readonly string[];
  /** The file in which only this change is made. */
  readonly result: readonly string[];
  /** True if the first and the last line are at one position each. */
  readonly isCertain: boolean;
}

function toExcerpt({ segments }: FreshFile, number: number, context: number): Excerpt | undefined {
  const change = segments.filter(({ isChange }) => isChange)[number];
  if (change === undefined) return undefined;
  const index = segments.indexOf(change);
  const before = lines(segments.slice(0, index), 'original');
  const after = lines(segments.slice(index + 1), 'original');
  const [first, last] = [context === 0 ? [] : before.slice(-context), after.slice(0, context)];
  const all = [...before, ...change.original, ...after];
  const original = [...first, ...change.original, ...last];
  const isSingle = (line = ''): boolean => line.trim() !== '' && positions(all, [line]) === 1;
  return {
    original,
    right: [...first, ...change.right, ...last],
    result: [...before, ...change.right, ...after],
    isCertain:
      first.length > 0 && last.length > 0 && isSingle(original[0]) && isSingle(original.at(-1)),
  };
}

/** Splits a file in the middle of its longest unchanged segment. */
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
    [...lines(before, name), ...longest.right.slice(0, middle)],
    [...longest.right.slice(middle), ...lines(after, name)],
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
): string => join([marks[0] ?? '', ...search, marks[1] ?? '', ...replace, marks[2] ?? '']);

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
type Form = (file: FreshFile, index: number) => Draft | undefined;

const right = (code: string, info?: string): Draft => ({
  code,
  expected: 'right',
  ...(info !== undefined && { info }),
});
const unsure = (code: string, info?: string): Draft => ({
  ...right(code, info),
  expected: 'refuse-or-right',
});
const refuse = (code: string, info?: string): Draft => ({
  ...right(code, info),
  expected: 'refuse',
});
const rightIf = (isCertain: boolean, code: string, info?: string): Draft =>
  (isCertain ? right : unsure)(code, info);

const old = ({ segments }: FreshFile): string[] => lines(segments, 'original');
const full = ({ segments }: FreshFile): string[] => lines(segments, 'right');
const firstChange = (file: FreshFile): number =>
  file.segments[0]?.isChange === true ? 0 : (file.segments[0]?.right.length ?? 0);

/** Applies a form to the first or second change alone. */
const excerpt =
  (
    number: number,
    context: number,
    toCode: (lines: readonly string[], file: FreshFile, index: number) => string,
    isRight = false,
  ): Form =>
  (file, index) => {
    const part = toExcerpt(file, number, context);
    if (part === undefined || join(part.result) === join(old(file))) return undefined;
    const draft = rightIf(isRight && part.isCertain, toCode(part.right, file, index));
    return { ...draft, right: `${join(part.result)}\n` };
  };

const elision = (file: FreshFile, index: number): string =>
  comment(
    file,
    pick(
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

export const freshBlockForms: Readonly<Record<string, Form>> = {
  'whole file': (file) => right(join(full(file))),
  'whole file with blank lines around': (file) => right(`\n${join(full(file))}\n\n`),
  'whole file with CRLF': (file) => right(full(file).join('\r\n')),
  'whole file for a file with CRLF': (file) => ({
    ...right(join(full(file))),
    text: `${old(file).join('\r\n')}\r\n`,
    right: `${full(file).join('\r\n')}\r\n`,
  }),
  'whole file with path comment': (file) => unsure(join([comment(file, file.path), ...full(file)])),
  'whole file with line numbers': (file) =>
    unsure(join(full(file).map((line, number) => `${String(number + 1).padStart(4)} | ${line}`))),
  'whole file with elided start': (file, index) =>
    unsure(join([elision(file, index), ...full(file).slice(Math.max(firstChange(file) - 2, 1))])),
  'whole file with elided end': (file, index) =>
    unsure(join([...full(file).slice(0, -3), elision(file, index)])),
  'whole file with elided middle': (file, index) =>
    unsure(
      join([
        ...full(file).slice(0, Math.min(firstChange(file), 4)),
        elision(file, index),
        ...full(file).slice(firstChange(file)),
      ]),
    ),
  'first part of the file': (file) => {
    const part = splitFile(file);
    return (
      part && {
        ...unsure(join(part.first.right)),
        right: `${join([...part.first.right, ...part.last.original])}\n`,
      }
    );
  },
  'last part of the file': (file) => {
    const part = splitFile(file);
    return (
      part && {
        ...unsure(join(part.last.right)),
        right: `${join([...part.first.original, ...part.last.right])}\n`,
      }
    );
  },
  'whole file inside a fence': (file) =>
    unsure(`\`\`\`${tagOf(file)}\n${join(full(file))}\n\`\`\``, 'markdown'),
  'git diff': (file) =>
    right(
      `diff --git a/${file.path} b/${file.path}\nindex 3f1c2aa..9b0d1ee 100644\n${fileHead(file)}${toDiff(file)}`,
      'diff',
    ),
  'git diff for a file with CRLF': (file) => ({
    ...right(`${fileHead(file)}${toDiff(file)}`, 'diff'),
    text: `${old(file).join('\r\n')}\r\n`,
    right: `${full(file).join('\r\n')}\r\n`,
  }),
  'git diff with CRLF': (file) =>
    right(`${fileHead(file)}${toDiff(file)}`.replaceAll('\n', '\r\n'), 'diff'),
  'diff with one line of context': (file) =>
    rightIf(isUnique(file, 1), `${fileHead(file)}${toDiff(file, { context: 1 })}`, 'diff'),
  'diff with ten lines of context': (file) =>
    right(`${fileHead(file)}${toDiff(file, { context: 10 })}`, 'patch'),
  'diff without context': (file) =>
    unsure(`${fileHead(file)}${toDiff(file, { context: 0 })}`, 'diff'),
  'diff with wrong counts': (file) =>
    rightIf(isUnique(file, 3), `${fileHead(file)}${toDiff(file, { extra: 3 })}`, 'diff'),
  'diff with wrong line numbers': (file) =>
    rightIf(isUnique(file, 3), `${fileHead(file)}${toDiff(file, { offset: 137 })}`, 'diff'),
  'diff with small wrong line numbers': (file) =>
    rightIf(
      isUnique(file, 2),
      `${fileHead(file)}${toDiff(file, { context: 2, offset: -1 })}`,
      'diff',
    ),
  'diff without file header': (file) => rightIf(isUnique(file, 3), toDiff(file), 'diff'),
  'diff without line numbers': (file) =>
    rightIf(
      isUnique(file, 3),
      `${fileHead(file)}${toDiff(file, { head: () => '@@ ... @@' })}`,
      'diff',
    ),
  'diff with bare hunk headers': (file) =>
    rightIf(isUnique(file, 2), toDiff(file, { context: 2, head: () => '@@' }), 'diff'),
  'diff with section names': (file) =>
    right(
      `${fileHead(file)}${toDiff(file, { head: (hunk) => `${headOf(hunk)} ${old(file)[0] ?? ''}` })}`,
      'diff',
    ),
  'diff without hunk headers': (file) =>
    unsure(
      toHunks(file.segments, 2)
        .map((hunk) => signed(hunk.lines))
        .join('\n'),
      'diff',
    ),
  'diff with stripped blank lines': (file) =>
    right(`${fileHead(file)}${toDiff(file)}`.replaceAll(/^ $/gmu, ''), 'diff'),
  'diff with unindented context': (file) =>
    unsure(`${fileHead(file)}${toDiff(file)}`.replaceAll(/^ (?=.)/gmu, ''), 'diff'),
  'diff in the language of the file': (file) => unsure(`${fileHead(file)}${toDiff(file)}`),
  'diff with hunks in reverse order': (file) =>
    unsure(
      fileHead(file) +
        toHunks(file.segments, 1)
          .reverse()
          .map((hunk) => `${headOf(hunk)}\n${signed(hunk.lines)}`)
          .join('\n'),
      'diff',
    ),
  'diff of lines inserted above': (file) => {
    const above = [comment(file, 'one'), comment(file, 'two'), comment(file, 'three'), ''];
    return {
      ...rightIf(
        isUnique(file, 3) && firstChange(file) > 0,
        `${fileHead(file)}${toDiff(file)}`,
        'diff',
      ),
      text: `${join([...above, ...old(file)])}\n`,
      right: `${join([...above, ...full(file)])}\n`,
    };
  },
  'diff that is already applied': (file) => ({
    ...unsure(`${fileHead(file)}${toDiff(file)}`, 'diff'),
    text: `${join(full(file))}\n`,
  }),
  'diff of other lines': (file) => {
    const diff = toDiff(file);
    if (!/^-(?=.)/mu.test(diff)) return undefined;
    return refuse(fileHead(file) + diff.replaceAll(/^-(?=.)/gmu, '-other '), 'diff');
  },
  'diff of two files': (file) =>
    unsure(
      `${fileHead(file)}${toDiff(file)}\n--- a/other.txt\n+++ b/other.txt\n@@ -1 +1 @@\n-a\n+b`,
      'diff',
    ),
  'diff with escaped HTML': (file) =>
    unsure(
      toDiff(file).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      'diff',
    ),
  'apply_patch envelope': (file) =>
    unsure(
      `*** Begin Patch\n*** Update File: ${file.path}\n${toDiff(file, { head: () => '@@' })}\n*** End Patch`,
    ),
  'SEARCH/REPLACE': (file) => rightIf(isUnique(file, 1), toBlocks(file, 1)),
  'SEARCH/REPLACE with three lines of context': (file) =>
    rightIf(isUnique(file, 3), toBlocks(file, 3)),
  'SEARCH/REPLACE with path': (file) =>
    rightIf(isUnique(file, 2), `${file.path}\n${toBlocks(file, 2)}`),
  'SEARCH/REPLACE with CRLF': (file) =>
    rightIf(isUnique(file, 2), toBlocks(file, 2).replaceAll('\n', '\r\n')),
  'SEARCH/REPLACE for a file with CRLF': (file) => ({
    ...rightIf(isUnique(file, 2), toBlocks(file, 2)),
    text: `${old(file).join('\r\n')}\r\n`,
    right: `${full(file).join('\r\n')}\r\n`,
  }),
  'dedented SEARCH/REPLACE': (file) => unsure(toBlocks(file, 1, dedent)),
  'SEARCH/REPLACE with swapped tabs and spaces': (file) =>
    unsure(toBlocks(file, 2, (text) => swapIndentation(file, text))),
  'SEARCH/REPLACE with other markers': (file, index) =>
    unsure(
      toBlocks(
        file,
        2,
        undefined,
        pick(
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
    unsure(toBlocks(file, 2).replace(/\n>>>>>>> REPLACE$/u, '')),
  'SEARCH of other lines': (file) =>
    refuse(toBlocks(file, 1).replaceAll(/(<<<<<<< SEARCH\n)/gu, '$1an unknown line\n')),
  'SEARCH with an elision': (file, index) => {
    const part = toExcerpt(file, 0, 3);
    if (part === undefined || part.original.length < 7) return undefined;
    const search = [...part.original.slice(0, 2), elision(file, index), ...part.original.slice(-2)];
    const draft = unsure(replaceBlock(search, part.right));
    return { ...draft, right: `${join(part.result)}\n` };
  },
  'empty SEARCH': (file) => unsure(replaceBlock([], full(file))),
  'snippet with two lines of context': excerpt(0, 2, join, true),
  'snippet with four lines of context': excerpt(0, 4, join, true),
  'snippet of the second change': excerpt(1, 3, join, true),
  'snippet of the third change': excerpt(2, 2, join, true),
  'snippet without context': excerpt(0, 0, join),
  'snippet with context before': (file, index) => {
    const part = toExcerpt(file, 0, 3);
    const bare = toExcerpt(file, 0, 0);
    if (part === undefined || bare === undefined || part.right.length < bare.right.length + 6)
      return undefined;
    return excerpt(0, 3, (text) => join(text.slice(0, -3)))(file, index);
  },
  'dedented snippet': excerpt(0, 2, (text) => join(dedent(text))),
  'snippet with trimmed first line': excerpt(0, 3, (text) => join(text).trimStart()),
  'snippet with swapped tabs and spaces': excerpt(0, 3, (text, file) =>
    join(swapIndentation(file, text)),
  ),
  'snippet with line numbers': excerpt(0, 3, (text, file) =>
    join(text.map((line, number) => `${firstChange(file) + number - 2}: ${line}`)),
  ),
  'snippet with elisions': excerpt(0, 2, (text, file, index) =>
    join([elision(file, index), ...text, elision(file, index + 1)]),
  ),
  'snippet with path comment': excerpt(0, 3, (text, file) =>
    join([comment(file, file.path), ...text]),
  ),
  'snippets of all changes with elisions': (file, index) =>
    unsure(
      toHunks(file.segments, 2)
        .map((hunk) => join(hunk.lines.filter(([sign]) => sign !== '-').map(([, line]) => line)))
        .join(`\n${elision(file, index)}\n`),
    ),
  'snippets of all changes without elisions': (file) =>
    toHunks(file.segments, 2).length < 2
      ? undefined
      : unsure(
          toHunks(file.segments, 2)
            .map((hunk) =>
              join(hunk.lines.filter(([sign]) => sign !== '-').map(([, line]) => line)),
            )
            .join('\n'),
        ),
  'new lines alone': (file) => {
    const change = file.segments.find(({ isChange }) => isChange);
    const added = change?.right.filter((line) => !old(file).includes(line)) ?? [];
    return added.length === 0 ? undefined : unsure(join(added));
  },
  'unchanged excerpt': (file) => ({
    ...unsure(join(old(file).slice(1, 7))),
    right: `${join(old(file))}\n`,
  }),
  'unrelated function': (file) =>
    refuse(
      file.language === 'python'
        ? 'def example():\n    return 1'
        : 'function example() {\n  return 1;\n}',
    ),
  command: () => refuse('npm install\nnpm test', 'bash'),
  'program output': () => refuse('PASS  12 tests\nDone in 1.2 s', 'text'),
  'JSON result': () => refuse('{ "status": "ok", "items": [1, 2] }', 'json'),
  sentence: () => refuse('Add the check before the first return statement.'),
  'only an elision': (file, index) => refuse(elision(file, index)),
  nothing: () => refuse('\n\n'),
  'edits as JSON': (file) =>
    unsure(
      JSON.stringify(
        file.segments
          .filter(({ isChange }) => isChange)
          .map((change) => ({
            old_string: join(change.original),
            new_string: join(change.right),
          })),
      ),
      'json',
    ),
  'answer with SEARCH/REPLACE': (file) => ({
    ...rightIf(isUnique(file, 2), toBlocks(file, 2)),
    entry: 'answer',
  }),
  'answer with prose and fences': (file) => ({
    ...rightIf(
      isUnique(file, 2),
      `I'll make these changes:\n\n${file.path}\n\`\`\`${tagOf(file)}\n${toBlocks(file, 2)}\n\`\`\`\n\nLet me know if you need more.`,
    ),
    entry: 'answer',
  }),
  'answer with thoughts': (file) => ({
    ...rightIf(
      isUnique(file, 2),
      `<think>\nReplace the first lines.\n</think>\n\n${toBlocks(file, 2)}`,
    ),
    entry: 'answer',
  }),
  'answer with a diff': (file) => ({
    ...unsure(`\`\`\`diff\n${fileHead(file)}${toDiff(file)}\n\`\`\``),
    entry: 'answer',
  }),
  'answer that was cut off': (file) => ({
    ...unsure(toBlocks(file, 2).slice(0, -30)),
    entry: 'answer',
    finishReason: 'length',
  }),
  'answer without edits': () => ({
    ...refuse('The file already contains these changes.'),
    entry: 'answer',
  }),
  'new file': (file) => ({ ...right(join(full(file))), entry: 'create' }),
  'new file with path comment': (file) => ({
    ...unsure(join([comment(file, file.path), ...full(file)])),
    entry: 'create',
  }),
  'new file from a diff': (file) => ({
    ...right(
      `--- /dev/null\n+++ b/${file.path}\n@@ -0,0 +1,${full(file).length} @@\n${join(full(file).map((line) => `+${line}`))}`,
      'diff',
    ),
    entry: 'create',
  }),
  'new file with an elision': (file, index) => ({
    ...refuse(join([...full(file).slice(0, 5), elision(file, index)])),
    entry: 'create',
  }),
  'new file from a diff of a file': (file) => ({
    ...refuse(`${fileHead(file)}${toDiff(file)}`, 'diff'),
    entry: 'create',
  }),
  'new file from SEARCH/REPLACE': (file) => ({ ...refuse(toBlocks(file, 2)), entry: 'create' }),
};

export const createFreshBlocks = (file: FreshFile, index: number): readonly FreshBlock[] =>
  Object.entries(freshBlockForms).flatMap(([form, create]) => {
    const draft = create(file, index);
    if (draft === undefined) return [];
    return [
      {
        form,
        entry: 'block' as const,
        text: `${join(old(file))}\n`,
        info: tagOf(file),
        right: `${join(full(file))}\n`,
        finishReason: 'stop' as const,
        ...draft,
      },
    ];
  });
