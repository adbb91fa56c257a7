import { expect, test } from 'vitest';
import { findFimFormat } from './prompt-format.ts';

const findFormat = (id: string) => findFimFormat({ id, name: id });

test.each([
  ['Qwen/Qwen2.5-Coder-7B', '<|fim_prefix|>A<|fim_suffix|>B<|fim_middle|>'],
  ['qwen3-coder:30b', '<|fim_prefix|>A<|fim_suffix|>B<|fim_middle|>'],
  ['google/codegemma-2b', '<|fim_prefix|>A<|fim_suffix|>B<|fim_middle|>'],
  ['bigcode/starcoder2-3b', '<fim_prefix>A<fim_suffix>B<fim_middle>'],
  ['ibm-granite/granite-3b-code-base-2k', '<fim_prefix>A<fim_suffix>B<fim_middle>'],
  ['deepseek-coder-1.3b-base', '<｜fim▁begin｜>A<｜fim▁hole｜>B<｜fim▁end｜>'],
  ['codellama/CodeLlama-7b-hf', '<PRE> A <SUF>B <MID>'],
])('findFimFormat returns for the model %s a format that writes the prompt %s', (id, prompt) => {
  expect(findFormat(id)?.formatPrompt({ prefix: 'A', suffix: 'B' })).toBe(prompt);
});

test.each(['llama3.2', 'Qwen/Qwen3-VL-8B-Instruct', 'gpt-4o', 'mistral-small'])(
  'findFimFormat returns no format for the model %s, whose FIM tokens are unknown',
  (id) => expect(findFormat(id)).toBeUndefined(),
);

test.each([
  ['qwen2.5-coder', 'a <|fim_middle|> b'],
  ['starcoder', 'a <fim_middle> b'],
  ['deepseek-coder', 'a <｜fim▁hole｜> b'],
  ['codellama', 'a <MID> b <EOT>'],
])(
  'findFimFormat returns for the model %s a format that escapes the FIM tokens in the document text %j',
  (id, text) => {
    const format = findFormat(id);
    const tokens = format?.formatPrompt({ prefix: '', suffix: '' }).match(/<[^>]+>/gu) ?? [];
    const escapedText = format?.escape(text) ?? '';
    expect(tokens.filter((token) => escapedText.includes(token))).toEqual([]);
    expect(format?.stopSequences.filter((token) => escapedText.includes(token))).toEqual([]);
  },
);
