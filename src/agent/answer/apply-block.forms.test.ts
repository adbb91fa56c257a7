import { expect, test } from 'vitest';
import { applyBlock } from './apply-block.ts';
import { createFileTextFromBlock } from './new-file-text.ts';
import { blockFormats, blockInputs, refusedBlocks } from './block-forms.fixture.ts';

const applyFormat = (formatName: string) =>
  blockInputs.map((input) => {
    const block = (blockFormats[formatName] ?? refusedBlocks[formatName])?.(input);
    const result = block === undefined ? undefined : applyBlock(input.fileText, block, input.path);
    return { input, result };
  });

test.each(Object.keys(blockFormats))(
  'applyBlock never changes lines other than the intended ones for the block format "%s"',
  (form) => {
    const results = applyFormat(form);
    for (const { input, result } of results)
      if (result?.kind === 'applied') expect(result.text).toBe(input.expectedText);
    const appliedResults = results.filter(({ result }) => result?.kind === 'applied');
    // Two files share too few lines with a whole new file, and Markdown can contain a fence.
    expect(appliedResults.length).toBeGreaterThanOrEqual(blockInputs.length - 3);
  },
);

test.each(Object.keys(refusedBlocks))(
  'applyBlock refuses a block that contains no code for the file: %s',
  (form) => {
    for (const { result } of applyFormat(form)) expect(result?.kind).toBe('refused');
  },
);

const createFileText = (code: string, path: string) =>
  createFileTextFromBlock({ code, info: '', lineBefore: '' }, path);

test.each([
  ['a.ts', '// filepath: a.ts\nlet a;\n', 'let a;\n'],
  ['a.ts', '```ts\nlet a;\n```\n', 'let a;\n'],
  ['a.ts', '*** Begin Patch\n*** Add File: a.ts\n+let a;\n*** End Patch\n', 'let a;\n'],
  ['a.ts', '<code>\nlet a;\n</code>\n', 'let a;\n'],
  ['a.md', '```ts\nlet a;\n```\n', '```ts\nlet a;\n```\n'],
  ['a.html', '<pre><code>\nlet a;\n</code></pre>\n', '<pre><code>\nlet a;\n</code></pre>\n'],
  ['a.tsv', '1\tflood\n2\tebb\n', '1\tflood\n2\tebb\n'],
])(
  'createFileTextFromBlock creates the file %s from the code %j with the text %j',
  (path, code, text) => {
    expect(createFileText(code, path)).toEqual({ kind: 'created', text });
  },
);

test('applyBlock rejects a block in a fence that may be part of the Markdown file', () => {
  const block = { code: '```ts\nlet a;\n```\n', info: '', lineBefore: '' };
  expect(applyBlock('let a;\nlet b;\n', block, 'a.md')).toMatchObject({ kind: 'refused' });
});
