import { expect, test } from 'vitest';
import { findRefusal } from './refusal.ts';

test.each([
  ["This model's maximum context length is 8192 tokens.", 8_192],
  ['maximum context length of 131,072 tokens', 131_072],
  ['maximum context length is 1_048_576 tokens', 1_048_576],
  ['maximum context length is only 32 768 tokens', 32_768],
  ['exceeds the available context size (131,072 tokens)', 131_072],
  ['exceeds the available context size, n_ctx: 4096, 4097', 4_096],
  ['maximum context length of 131, 072 tokens', 131],
])('findRefusal finds the context size in "%s"', (text, contextTokens) => {
  expect(findRefusal(400, text)).toEqual({ kind: 'size', contextTokens });
});

test('findRefusal recognizes the error of an Ollama model whose context cannot be shifted', () => {
  const text =
    'the prompt is longer than the context length currently available to the model; shorten it';
  expect(findRefusal(400, text)).toEqual({ kind: 'size' });
});
