import { toFormInput, wrappingSamples } from './wrapping-forms.fixture.ts';

/** A code block of a chat answer, in one form. */
export interface FormBlock {
  readonly code: string;
  readonly info: string;
  readonly lineBefore: string;
}

/** A file, and lines of it with their replacement. */
export interface BlockInput {
  readonly language: string;
  readonly path: string;
  readonly info: string;
  readonly file: string;
  readonly original: string;
  readonly replacement: string;
  /** New text of the file. */
  readonly right: string;
  readonly comment: (text: string) => string;
}

/** Files in different languages, with unique lines around the replaced lines. */
export const blockInputs: readonly BlockInput[] = wrappingSamples.map((sample) => {
  const { path, comment, info, target } = toFormInput(sample);
  const { original, right: replacement } = sample;
  const join = (lines: string): string =>
    `${[...target.before, lines, ...target.after].join('\n')}\n`;
  return {
    language: sample.language,
    path,
    info,
    original,
    replacement,
    comment,
    file: join(original),
    right: join(replacement),
  };
});

const block = (
  { info }: BlockInput,
  code: string,
  { lineBefore = '', info: name = info }: Partial<FormBlock> = {},
): FormBlock => ({ code: code.endsWith('\n') ? code : `${code}\n`, info: name, lineBefore });

const marked = (mark: string, lines: string): string => lines.replaceAll(/^/gmu, mark);

const patch = ({ path, original, replacement }: BlockInput, header = '@@'): string =>
  [
    '*** Begin Patch',
    `*** Update File: ${path}`,
    header,
    marked('-', original),
    marked('+', replacement),
    '*** End Patch',
  ].join('\n');

const searchReplace = (
  { original, replacement }: BlockInput,
  [start, middle, end]: readonly [string, string, string] = [
    '<<<<<<< SEARCH',
    '=======',
    '>>>>>>> REPLACE',
  ],
): string => [start, original, middle, replacement, end].join('\n');

const diff = (input: BlockInput, header: readonly string[]): string =>
  [...header, marked('-', input.original), marked('+', input.replacement)].join('\n');

/** Forms of blocks that result in {@link BlockInput.right}. */
export const blockForms: Readonly<Record<string, (input: BlockInput) => FormBlock>> = {
  'whole file': (input) => block(input, input.right),
  'whole file with a path in the info string': (input) =>
    block(input, input.right, { info: `${input.info}:${input.path}` }),
  'whole file with a filepath comment': (input) =>
    block(input, `${input.comment(`filepath: ${input.path}`)}\n${input.right}`),
  'whole file with a filepath comment in slashes': (input) =>
    block(input, `// filepath: ${input.path}\n${input.right}`),
  'whole file with a file comment': (input) =>
    block(input, `${input.comment(`File: ${input.path}`)}\n\n${input.right}`),
  'whole file with a path comment': (input) =>
    block(input, `${input.comment(input.path)}\n${input.right}`),
  'whole file with CRLF': (input) => block(input, input.right.replaceAll('\n', '\r\n')),
  'whole file with blank lines around': (input) => block(input, `\n\n${input.right}\n\n`),
  'whole file with a byte order mark': (input) => block(input, `\uFEFF${input.right}`),
  'whole file in a nested fence': (input) =>
    block(input, `\`\`\`${input.info}\n${input.right}\`\`\``, { info: 'markdown' }),
  'whole file in tags': (input) =>
    block(input, `<file path="${input.path}">\n${input.right}</file>`, { info: 'xml' }),
  'whole file with line numbers': (input) =>
    block(
      input,
      input.right
        .trimEnd()
        .split('\n')
        .map((line, index) => `${index + 1} | ${line}`)
        .join('\n'),
    ),
  'lines with context': (input) => block(input, input.right.trimEnd()),
  patch: (input) => block(input, patch(input), { info: 'diff' }),
  'patch without a language': (input) => block(input, patch(input), { info: '' }),
  'patch with a context line': (input) =>
    block(input, patch(input, `@@ ${input.file.split('\n')[0] ?? ''}`), { info: 'patch' }),
  'patch with an end-of-file mark': (input) =>
    block(input, patch(input).replace('*** End Patch', '*** End of File\n*** End Patch')),
  'patch with a command': (input) =>
    block(input, `apply_patch <<'EOF'\n${patch(input)}\nEOF`, { info: 'bash' }),
  'SEARCH/REPLACE': (input) => block(input, searchReplace(input)),
  'SEARCH/REPLACE with a path': (input) =>
    block(input, `${input.path}\n${searchReplace(input)}`, { info: '' }),
  'SEARCH/REPLACE with a filepath comment': (input) =>
    block(input, `// filepath: ${input.path}\n${searchReplace(input)}`),
  'SEARCH/REPLACE with short marks': (input) =>
    block(input, searchReplace(input, ['<<<<< SEARCH', '=====', '>>>>> REPLACE'])),
  'ORIGINAL/UPDATED': (input) =>
    block(input, searchReplace(input, ['<<<<<<< ORIGINAL', '=======', '>>>>>>> UPDATED'])),
  'HEAD of a merge conflict': (input) =>
    block(input, searchReplace(input, ['<<<<<<< HEAD', '=======', '>>>>>>> new'])),
  'diff with headers': (input) =>
    block(input, diff(input, [`--- a/${input.path}`, `+++ b/${input.path}`, '@@ -1,1 +1,1 @@']), {
      info: 'diff',
    }),
  'diff of Git': (input) =>
    block(
      input,
      diff(input, [
        `diff --git a/${input.path} b/${input.path}`,
        'index 1234567..89abcde 100644',
        `--- a/${input.path}`,
        `+++ b/${input.path}`,
        '@@ -2,9 +2,9 @@ some function',
      ]),
      { info: 'diff' },
    ),
  'diff with a bare hunk header': (input) => block(input, diff(input, ['@@']), { info: 'diff' }),
  'diff with dots in the hunk header': (input) =>
    block(input, diff(input, ['@@ ... @@']), { info: 'diff' }),
  'diff without headers': (input) => block(input, diff(input, []), { info: 'diff' }),
  'diff without headers in a fence of the language': (input) => block(input, diff(input, [])),
  'diff with a path in the info string': (input) =>
    block(input, diff(input, ['@@']), { info: `diff ${input.path}` }),
  'diff with CRLF': (input) =>
    block(input, diff(input, ['@@']).replaceAll('\n', '\r\n'), { info: 'diff' }),
  'diff with a rename header of the same file': (input) =>
    block(input, diff(input, [`--- ${input.path}\toriginal`, `+++ ${input.path}\tnew`, '@@ @@']), {
      info: 'diff',
    }),
};

/** Forms of blocks that must not change a file. */
export const refusedBlocks: Readonly<Record<string, (input: BlockInput) => FormBlock>> = {
  'shell command': (input) => block(input, 'npm install tides', { info: 'bash' }),
  'output of a program': (input) => block(input, 'All tests passed.', { info: 'text' }),
  'other code': (input) => block(input, 'const other = 1;\nuse(other);'),
  'placeholder for the rest': (input) =>
    block(
      input,
      `${input.file.split('\n')[0] ?? ''}\n${input.comment('... rest of the file ...')}\n${input.replacement}`,
    ),
  'patch of two files': (input) =>
    block(input, patch(input).replace('*** End Patch', '*** Add File: b.txt\n+b\n*** End Patch'), {
      info: 'diff',
    }),
  'patch that deletes the file': (input) =>
    block(input, `*** Begin Patch\n*** Delete File: ${input.path}\n*** End Patch`),
  'patch that adds the file again': (input) =>
    block(
      input,
      `*** Begin Patch\n*** Add File: ${input.path}\n${marked('+', input.replacement)}\n*** End Patch`,
    ),
  'patch that moves the file': (input) =>
    block(input, patch(input).replace('\n@@', '\n*** Move to: moved.txt\n@@')),
  'patch that is cut off': (input) =>
    block(input, patch(input).replace('\n*** End Patch', '').slice(0, -5)),
  'SEARCH/REPLACE that is cut off': (input) =>
    block(input, searchReplace(input).replace('\n>>>>>>> REPLACE', '')),
  'diff of other lines': (input) =>
    block(input, '@@\n-something else\n+another thing', { info: 'diff' }),
  'tool call': (input) =>
    block(input, JSON.stringify({ name: 'edit', arguments: { path: input.path } }), {
      info: 'json',
    }),
  'empty block': (input) => block(input, '\n\n'),
};
