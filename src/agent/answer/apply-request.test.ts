import { describe, expect, test } from 'vitest';
import {
  type ApplyModel,
  applyModelEdits,
  buildApplyRequest,
  canRequestEdits,
  computeMaxApplyUsage,
} from './apply-request.ts';
import type { CodeBlock } from './apply-block.ts';
import { estimateTokens } from '../../base/token-estimate.ts';

const fileText = 'one\ntwo\nthree\n';
const block = { code: 'two();\n', info: 'ts', lineBefore: 'Change it:' };
const createSearchReplaceBlock = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;

describe('an apply request', () => {
  test('contains the file in a code fence that is longer than any fence in the file', () => {
    const text = 'Text\n``\u{E0041}``\ncode\n```\n\u200B\u{E0041}end\n';
    const { messages } = buildApplyRequest({
      model: { id: 'm' },
      path: 'a\nb.md',
      text,
      block,
    });
    const content = messages.at(-1)?.content;
    expect(content).toContain('File: a b.md\n\n`````\nText\n````\ncode');
    expect(content).not.toMatch(/[\u{E0000}-\u{E007F}]/u);
  });

  test('is not allowed for a file of more than 200,000 characters', () => {
    expect(canRequestEdits(fileText, block)).toBe(true);
    expect(canRequestEdits('a'.repeat(200_001), block)).toBe(false);
  });

  const modelWithoutReasoning: ApplyModel = { capabilities: { supportsReasoning: false } };

  const buildRequest = (text: string, ownBlock: CodeBlock, model: ApplyModel) =>
    buildApplyRequest({ model: { id: 'm', ...model }, path: 'a.ts', text, block: ownBlock });

  test('has a higher maximum number of tokens for a longer file and for longer code', () => {
    const [usage, longFileUsage, longCodeUsage] = [
      buildRequest(fileText, block, modelWithoutReasoning),
      buildRequest(fileText.repeat(100), block, modelWithoutReasoning),
      buildRequest(fileText, { ...block, code: block.code.repeat(100) }, modelWithoutReasoning),
    ].map((request) => computeMaxApplyUsage(request));
    expect(longFileUsage?.promptTokens).toBeGreaterThan(usage?.promptTokens ?? Infinity);
    expect(longCodeUsage?.completionTokens).toBeGreaterThan(usage?.completionTokens ?? Infinity);
    expect(usage?.totalTokens).toBe((usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0));
  });

  test.each([
    ['a long run of backticks', fileText, { ...block, code: '`'.repeat(60_000) }],
    ['a file with a long run of backticks', '`'.repeat(60_000), block],
    [
      'a long line before the code',
      fileText,
      { ...block, info: '潮'.repeat(500), lineBefore: '潮'.repeat(500) },
    ],
  ])('has a maximum number of prompt tokens that includes %s', (_, text, ownBlock) => {
    const request = buildRequest(text, ownBlock, modelWithoutReasoning);
    const tokenCounts = request.messages.map(({ content }) =>
      estimateTokens(JSON.stringify(content)),
    );
    const { promptTokens } = computeMaxApplyUsage(request);
    expect(promptTokens).toBeGreaterThan(tokenCounts.reduce((sum, count) => sum + count));
  });

  test.each<[name: string, model: ApplyModel]>([
    ['without reasoning', modelWithoutReasoning],
    ['with reasoning', { capabilities: { supportsReasoning: true } }],
    ['that the service does not list', {}],
    ['with a limit of the service', { ...modelWithoutReasoning, maxCompletionTokens: 64 }],
  ])(
    'limits the answer to the number of tokens that the price includes, for a model %s',
    (_, model) => {
      const request = buildRequest(fileText, block, model);
      const { completionTokens } = computeMaxApplyUsage(request);
      expect(request.max_completion_tokens).toBe(completionTokens);
      expect(completionTokens).toBeLessThanOrEqual(model.maxCompletionTokens ?? Infinity);
      const disablesReasoning = model.capabilities?.supportsReasoning !== false;
      expect(request.parameters).toEqual({
        ...(disablesReasoning && { disable_thinking: true, strip_thinking_response: true }),
        include_system_prompt: false,
        enable_web_search: 'off',
      });
    },
  );

  test('permits more tokens for an answer of a model that reasons', () => {
    const [usageWithoutReasoning, usageWithReasoning] = [false, true].map((supportsReasoning) =>
      computeMaxApplyUsage(buildRequest(fileText, block, { capabilities: { supportsReasoning } })),
    );
    expect(usageWithReasoning?.completionTokens).toBeGreaterThan(
      usageWithoutReasoning?.completionTokens ?? Infinity,
    );
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
    ['edits with line numbers', createSearchReplaceBlock('1\tone\n2\ttwo', '1\tone\n2\ttwo();')],
    ['edits in JSON', '```json\n{"edits": [{"old_text": "two", "new_text": "two();"}]}\n```'],
    ['edits in JSON without a fence', '[{"search": "two", "replace": "two();"}]'],
    ['a diff in a fence', 'Here is it:\n\n```diff\n@@\n one\n-two\n+two();\n three\n```'],
    [
      'a diff without a fence',
      '--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+two();\n three',
    ],
    [
      'template tokens around the edits',
      `<|im_start|>assistant\n${createSearchReplaceBlock('two', 'two();')}<|im_end|>`,
    ],
  ])('applies an answer with %s', (_, answer) => {
    expect(applyModelEdits(fileText, { text: answer, finishReason: 'stop' })).toMatchObject({
      kind: 'applied',
      text: 'one\ntwo();\nthree\n',
    });
  });

  test.each([
    ['an answer without edits', 'The file already contains this.', 'no-edits'],
    ['a tool call', '<tool_call>\n{"name": "edit"}\n</tool_call>', 'malformed'],
    ['a snippet that omits most of the file', '```ts\ntwo();\n```', 'no-place'],
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
    ['reasoning without an end', `<think>${createSearchReplaceBlock('two', 'two();')}`, 'no-edits'],
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

  test('applies an answer with the whole file in a fence', () => {
    const text = 'const a = 1;\nconst b = 2;\nconst c = 3;\n';
    const changedText = text.replace('2', 'a + 1');
    const answer = `Sure:\n\n\`\`\`ts\n${changedText}\`\`\``;
    expect(applyModelEdits(text, { text: answer, finishReason: 'stop' })).toMatchObject({
      format: 'file',
      text: changedText,
    });
  });

  test('returns the answer of a model that made no edits', () => {
    const text = 'I cannot do that. The file has no such function.';
    expect(applyModelEdits(fileText, { text, finishReason: 'stop' })).toEqual({
      kind: 'refused',
      reason: 'no-edits',
      answer: text,
    });
  });
});
