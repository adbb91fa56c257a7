import { toFormatInput, wrappingSamples } from './wrapping-forms.fixture.ts';

/** A code block in one format, with the text around it in a chat answer. */
export interface FormattedBlock {
  readonly code: string;
  readonly info: string;
  readonly lineBefore: string;
}

/** A file, some of its lines, and the lines that replace them. */
export interface BlockInput {
  readonly language: string;
  readonly path: string;
  readonly info: string;
  readonly fileText: string;
  readonly originalText: string;
  readonly replacementText: string;
  /** Complete expected text of the file. */
  readonly expectedText: string;
  readonly formatComment: (text: string) => string;
}

/**
 * Sample files in different languages, with an edit each. The lines around the edited lines occur only once in the
 * file.
 */
export const blockInputs: readonly BlockInput[] = wrappingSamples.map((sample) => {
  const { path, formatComment, info, target } = toFormatInput(sample);
  const { originalText, expectedText: replacementText } = sample;
  const join = (lines: string): string =>
    `${[...target.before, lines, ...target.after].join('\n')}\n`;
  return {
    language: sample.language,
    path,
    info,
    originalText,
    replacementText,
    formatComment,
    fileText: join(originalText),
    expectedText: join(replacementText),
  };
});

const createBlock = (
  { info }: BlockInput,
  code: string,
  { lineBefore = '', info: name = info }: Partial<FormattedBlock> = {},
): FormattedBlock => ({ code: code.endsWith('\n') ? code : `${code}\n`, info: name, lineBefore });

const prefixLines = (mark: string, lines: string): string => lines.replaceAll(/^/gmu, mark);

const createPatch = ({ path, originalText, replacementText }: BlockInput, header = '@@'): string =>
  [
    '*** Begin Patch',
    `*** Update File: ${path}`,
    header,
    prefixLines('-', originalText),
    prefixLines('+', replacementText),
    '*** End Patch',
  ].join('\n');

const createSearchReplace = (
  { originalText, replacementText }: BlockInput,
  [start, middle, end]: readonly [string, string, string] = [
    '<<<<<<< SEARCH',
    '=======',
    '>>>>>>> REPLACE',
  ],
): string => [start, originalText, middle, replacementText, end].join('\n');

const createDiff = (input: BlockInput, header: readonly string[]): string =>
  [...header, prefixLines('-', input.originalText), prefixLines('+', input.replacementText)].join(
    '\n',
  );

/** Formats of blocks whose application must result in {@link BlockInput.expectedText}. */
export const blockFormats: Readonly<Record<string, (input: BlockInput) => FormattedBlock>> = {
  'whole file': (input) => createBlock(input, input.expectedText),
  'whole file with a path in the info string': (input) =>
    createBlock(input, input.expectedText, { info: `${input.info}:${input.path}` }),
  'whole file with a filepath comment': (input) =>
    createBlock(input, `${input.formatComment(`filepath: ${input.path}`)}\n${input.expectedText}`),
  'whole file with a filepath comment in slashes': (input) =>
    createBlock(input, `// filepath: ${input.path}\n${input.expectedText}`),
  'whole file with a file comment': (input) =>
    createBlock(input, `${input.formatComment(`File: ${input.path}`)}\n\n${input.expectedText}`),
  'whole file with a path comment': (input) =>
    createBlock(input, `${input.formatComment(input.path)}\n${input.expectedText}`),
  'whole file with CRLF': (input) =>
    createBlock(input, input.expectedText.replaceAll('\n', '\r\n')),
  'whole file with blank lines around': (input) =>
    createBlock(input, `\n\n${input.expectedText}\n\n`),
  'whole file with a byte order mark': (input) => createBlock(input, `\uFEFF${input.expectedText}`),
  'whole file in a nested fence': (input) =>
    createBlock(input, `\`\`\`${input.info}\n${input.expectedText}\`\`\``, { info: 'markdown' }),
  'whole file in tags': (input) =>
    createBlock(input, `<file path="${input.path}">\n${input.expectedText}</file>`, {
      info: 'xml',
    }),
  'whole file with line numbers': (input) =>
    createBlock(
      input,
      input.expectedText
        .trimEnd()
        .split('\n')
        .map((line, index) => `${index + 1} | ${line}`)
        .join('\n'),
    ),
  'lines with context': (input) => createBlock(input, input.expectedText.trimEnd()),
  patch: (input) => createBlock(input, createPatch(input), { info: 'diff' }),
  'patch without a language': (input) => createBlock(input, createPatch(input), { info: '' }),
  'patch with a context line': (input) =>
    createBlock(input, createPatch(input, `@@ ${input.fileText.split('\n')[0] ?? ''}`), {
      info: 'patch',
    }),
  'patch with an end-of-file mark': (input) =>
    createBlock(
      input,
      createPatch(input).replace('*** End Patch', '*** End of File\n*** End Patch'),
    ),
  'patch with a command': (input) =>
    createBlock(input, `apply_patch <<'EOF'\n${createPatch(input)}\nEOF`, { info: 'bash' }),
  'SEARCH/REPLACE': (input) => createBlock(input, createSearchReplace(input)),
  'SEARCH/REPLACE with a path': (input) =>
    createBlock(input, `${input.path}\n${createSearchReplace(input)}`, { info: '' }),
  'SEARCH/REPLACE with a filepath comment': (input) =>
    createBlock(input, `// filepath: ${input.path}\n${createSearchReplace(input)}`),
  'SEARCH/REPLACE with short marks': (input) =>
    createBlock(input, createSearchReplace(input, ['<<<<< SEARCH', '=====', '>>>>> REPLACE'])),
  'ORIGINAL/UPDATED': (input) =>
    createBlock(
      input,
      createSearchReplace(input, ['<<<<<<< ORIGINAL', '=======', '>>>>>>> UPDATED']),
    ),
  'HEAD of a merge conflict': (input) =>
    createBlock(input, createSearchReplace(input, ['<<<<<<< HEAD', '=======', '>>>>>>> new'])),
  'diff with headers': (input) =>
    createBlock(
      input,
      createDiff(input, [`--- a/${input.path}`, `+++ b/${input.path}`, '@@ -1,1 +1,1 @@']),
      {
        info: 'diff',
      },
    ),
  'diff of Git': (input) =>
    createBlock(
      input,
      createDiff(input, [
        `diff --git a/${input.path} b/${input.path}`,
        'index 1234567..89abcde 100644',
        `--- a/${input.path}`,
        `+++ b/${input.path}`,
        '@@ -2,9 +2,9 @@ some function',
      ]),
      { info: 'diff' },
    ),
  'diff with a bare hunk header': (input) =>
    createBlock(input, createDiff(input, ['@@']), { info: 'diff' }),
  'diff with dots in the hunk header': (input) =>
    createBlock(input, createDiff(input, ['@@ ... @@']), { info: 'diff' }),
  'diff without headers': (input) => createBlock(input, createDiff(input, []), { info: 'diff' }),
  'diff without headers in a fence of the language': (input) =>
    createBlock(input, createDiff(input, [])),
  'diff with a path in the info string': (input) =>
    createBlock(input, createDiff(input, ['@@']), { info: `diff ${input.path}` }),
  'diff with CRLF': (input) =>
    createBlock(input, createDiff(input, ['@@']).replaceAll('\n', '\r\n'), { info: 'diff' }),
  'diff with a rename header of the same file': (input) =>
    createBlock(
      input,
      createDiff(input, [`--- ${input.path}\toriginal`, `+++ ${input.path}\tnew`, '@@ @@']),
      {
        info: 'diff',
      },
    ),
};

/** Blocks that `applyBlock` must not apply to a file. */
export const refusedBlocks: Readonly<Record<string, (input: BlockInput) => FormattedBlock>> = {
  'shell command': (input) => createBlock(input, 'npm install tides', { info: 'bash' }),
  'output of a program': (input) => createBlock(input, 'All tests passed.', { info: 'text' }),
  'other code': (input) => createBlock(input, 'const other = 1;\nuse(other);'),
  'placeholder for the rest': (input) =>
    createBlock(
      input,
      `${input.fileText.split('\n')[0] ?? ''}\n${input.formatComment('... rest of the file ...')}\n${input.replacementText}`,
    ),
  'patch of two files': (input) =>
    createBlock(
      input,
      createPatch(input).replace('*** End Patch', '*** Add File: b.txt\n+b\n*** End Patch'),
      {
        info: 'diff',
      },
    ),
  'patch that deletes the file': (input) =>
    createBlock(input, `*** Begin Patch\n*** Delete File: ${input.path}\n*** End Patch`),
  'patch that adds the file again': (input) =>
    createBlock(
      input,
      `*** Begin Patch\n*** Add File: ${input.path}\n${prefixLines('+', input.replacementText)}\n*** End Patch`,
    ),
  'patch that moves the file': (input) =>
    createBlock(input, createPatch(input).replace('\n@@', '\n*** Move to: moved.txt\n@@')),
  'patch that is cut off': (input) =>
    createBlock(input, createPatch(input).replace('\n*** End Patch', '').slice(0, -5)),
  'SEARCH/REPLACE that is cut off': (input) =>
    createBlock(input, createSearchReplace(input).replace('\n>>>>>>> REPLACE', '')),
  'diff of other lines': (input) =>
    createBlock(input, '@@\n-something else\n+another thing', { info: 'diff' }),
  'tool call': (input) =>
    createBlock(input, JSON.stringify({ name: 'edit', arguments: { path: input.path } }), {
      info: 'json',
    }),
  'empty block': (input) => createBlock(input, '\n\n'),
};
