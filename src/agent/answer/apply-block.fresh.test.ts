import { expect, test } from 'vitest';
import { applyBlock } from './apply-block.ts';
import { createFileTextFromBlock } from './new-file-text.ts';
import { applyModelEdits } from './apply-request.ts';
import { createFreshBlocks, type FreshBlock } from './fresh-block-forms.fixture.ts';
import { freshFiles } from './fresh-files.fixture.ts';

function readBlock({ entry, code, info, text, finishReason }: FreshBlock, path: string) {
  const block = { code, info, lineBefore: '' };
  if (entry === 'create') return createFileTextFromBlock(block, path);
  if (entry === 'answer')
    return applyModelEdits(text, { text: code, finishReason: finishReason ?? 'stop' }, path);
  return applyBlock(text, block, path);
}

test('a code block changes a file as expected or is refused, for files of public packages in 84 block formats', () => {
  const failures: string[] = [];
  let [totalCount, correctCount] = [0, 0];
  for (const [index, file] of freshFiles.entries()) {
    for (const block of createFreshBlocks(file, index)) {
      const result = readBlock(block, file.path);
      totalCount += 1;
      if (result.kind === 'refused') continue;
      if (block.expected !== 'refuse' && result.text === block.right) correctCount += 1;
      else failures.push(`${block.form} | ${file.name}`);
    }
  }
  expect(failures).toEqual([]);
  expect(totalCount).toBeGreaterThan(3_900);
  expect(correctCount).toBeGreaterThanOrEqual(2_125);
});
