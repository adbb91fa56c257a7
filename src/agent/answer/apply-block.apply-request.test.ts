import { describe, expect, test } from 'vitest';
import {
  applyModelEdits,
  buildApplyRequest,
  canRequestEdits,
  estimateApplyUsage,
} from './apply-block.ts';

const fileText = 'one\ntwo\nthree\n';
const block = { code: 'two();\n', info: 'ts', lineBefore: 'Change it:' };
const createSearchReplaceBlock = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;

describe('an apply request', () => {
  test('contains the file in a code fence that is longer than any fence in the file', () => {
    const text = 'Text\n````\ncode\n````\n\u200B\u{E0041}end\n';
    const { messages } = buildApplyRequest({ model: 'm', path: 'a\nb.md', text, block });
    const content = messages.at(-1)?.content;
    expect(content).toContain('File: a b.md\n\n`````\nText\n````\ncode');
    expect(content).not.toMatch(/[\u{E0000}-\u{E007F}]/u);
  });

  test('is not allowed for a file of more than 200,000 characters', () => {
    expect(canRequestEdits(fileText, block)).toBe(true);
    expect(canRequestEdits('a'.repeat(200_001), block)).toBe(false);
  });

  test('has a higher token estimate for a longer file and for longer code', () => {
    const usage = estimateApplyUsage(fileText, block);
    expect(estimateApplyUsage(fileText.repeat(100), block).promptTokens).toBeGreaterThan(
      usage.promptTokens,
    );
    const longer = estimateApplyUsage(fileText, { ...block, code: block.code.repeat(100) });
    expect(longer.completionTokens).toBeGreaterThan(usage.completionTokens);
    expect(usage.totalTokens).toBe(usage.promptTokens + usage.completionTokens);
  });
});

describe('applyModelEdits', () => {
  test.each([
    ['edits alone', createSearchReplaceBlock('two', 'two();')],
    [
      'edits after reasoning',
      `<think>\n${createSearchReplaceBlock('one', 'x')}\n</think>\n${createSearchReplaceBlock('two', 'two();')}`,
    ],
    [
      'edits in a fence, with remarks',
      `Sure:\n\n\`\`\`\n${createSearchReplaceBlock('two', 'two();')}\n\`\`\`\nDone.`,
    ],
  ])('applies an answer with %s', (_, answer) => {
    expect(applyModelEdits(fileText, { text: answer, finishReason: 'stop' })).toMatchObject({
      kind: 'applied',
      text: 'one\ntwo();\nthree\n',
    });
  });

  test.each([
    ['an answer without edits', 'The file already contains this.', 'malformed'],
    ['an edit that is cut off', '<<<<<<< SEARCH\ntwo\n=======\ntwo();', 'malformed'],
    [
      'a search that the file does not contain',
      createSearchReplaceBlock('four', 'five'),
      'no-match',
    ],
    [
      'a placeholder for omitted code',
      createSearchReplaceBlock('two', 'two();\n// ... rest of the code'),
      'elision',
    ],
    [
      'reasoning without an end',
      `<think>${createSearchReplaceBlock('two', 'two();')}`,
      'malformed',
    ],
  ])('refuses %s', (_, answer, reason) => {
    expect(applyModelEdits(fileText, { text: answer, finishReason: 'stop' })).toMatchObject({
      kind: 'refused',
      reason,
    });
  });

  test.each(['length', 'content_filter'] as const)(
    'refuses an answer with the finish reason "%s", even if its last block is complete',
    (finishReason) => {
      const text = '<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE';
      expect(applyModelEdits('a\n', { text, finishReason: 'stop' }).kind).toBe('applied');
      expect(applyModelEdits('a\n', { text, finishReason })).toEqual({
        kind: 'refused',
        reason: 'cut-off',
      });
    },
  );
});
