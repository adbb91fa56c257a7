import { describe, expect, test } from 'vitest';
import { isCutOff, stripTemplateTokens, stripThinking } from './model-answer.ts';
import { measureGrowth } from '../../test/support/growth.ts';

describe('chat template tokens', () => {
  test.each([
    ['a()</s>', 'a()'],
    ['a()\n<|im_end|>\n', 'a()\n'],
    ['a()<|eot_id|><|end_of_text|>', 'a()'],
    ['a() <｜end▁of▁sentence｜>', 'a() '],
    ['<|im_start|>assistant\na()<|im_end|>', 'a()'],
    ['<|start_header_id|>assistant<|end_header_id|>\n\n\ta()', '\n\ta()'],
    ['<start_of_turn>model\n  a()<end_of_turn>', '  a()'],
    ['[/INST]   a()', '  a()'],
    ['a()<|im_end|>\n<|im_start|>user\nThanks!', 'a()'],
    ['a()<|endoftext|>Human: next', 'a()'],
    ['a()</answer>', 'a()'],
  ])('are removed from the answer %j', (answer, text) => {
    expect(stripTemplateTokens(answer, '')).toBe(text);
  });

  test.each([
    ['a()</s>', 'const end = "</s>"'],
    ['<p><s>old</s>', '<p>old'],
    ['stop: <|im_end|>', 'stop: x'],
    ["const stop = ['<|im_end|>', '</s>'];", ''],
    ['<answer>a</answer>', ''],
    ['Mark:\n<|cursor|>', 'Text\n<|cursor|>'],
  ])(
    'are preserved in the answer %j, because they can be part of the document',
    (answer, document) => {
      expect(stripTemplateTokens(answer, document)).toBe(answer);
    },
  );

  test('make stripTemplateTokens return undefined if the tokens around an answer can also be tags of the document', () => {
    expect(stripTemplateTokens('<s>old</s>', '<p>old</p>')).toBeUndefined();
  });

  test.each(['Mark\n<|cursor|>', '<|cursor|>\nMark', 'Mark\n<|cursor|><|im_end|>'])(
    'make stripTemplateTokens return undefined if one of the tokens around an answer belongs to no template: %j',
    (answer) => {
      expect(stripTemplateTokens(answer, 'Text')).toBeUndefined();
    },
  );

  test('are found in linear time', () => {
    const run = (size: number): void => {
      stripTemplateTokens(`a${' '.repeat(size)}<|${'x'.repeat(size)}${'</s>'.repeat(9)}`, '');
      stripTemplateTokens('<|a|>\n'.repeat(size / 50) + ' '.repeat(size), '');
    };
    expect(measureGrowth(run, { smallSize: 20_000, smallCount: 8 }).timeRatio).toBeLessThan(3);
  });
});

test.each([
  [false, 'stop'],
  [true, 'length'],
  [true, 'content_filter'],
  [false, 'tool_calls'],
])('isCutOff returns %s for an answer with the finish reason "%s"', (expected, reason) => {
  expect(isCutOff(reason)).toBe(expected);
});

describe('a closing tag of reasoning without an opening tag', () => {
  test.each([
    ['at the end of a line', 'The user wants 2.\nSo I write `2`</think>\na(2);', 'a(2);'],
    ['on its own line', 'The user wants 2\n </think>\n\na(2);', '\na(2);'],
    ['after a sentence', 'Small change needed.</think>a(2);', 'a(2);'],
    ['at the end of an answer', 'The user wants 2</think>', ''],
  ])('ends the reasoning %s', (_, answer, text) => {
    expect(stripThinking(answer)).toBe(text);
  });

  test.each([
    ['in a string', "const a = 1;\nconst end = '</think>';\nconst b = 2;"],
    ['in a comment', 'removeAll(); // </think>\nconst b = 1;'],
    ['in a comment on the last line', 'a: 1\nb: 2 # </think>'],
    ['in code', 'if (text.includes("</think>")) end();'],
  ])('is part of the answer %s', (_, answer) => {
    expect(stripThinking(answer)).toBe(answer);
  });

  test.each([
    ['after a quoted name', 'The user wants `b`.</think>const a = 2;'],
    ['after a parenthesis', 'Add one (two).</think>const a = 2;'],
    ['after a colon', 'So this is the answer:</think>const a = 2;'],
    ['between words', 'ok so </think> const a = 2;'],
    ['in a sentence', 'Remove text before </think> in answers'],
  ])(
    'makes stripThinking return undefined %s, because the tag can be part of the answer or end the reasoning',
    (_, answer) => {
      expect(stripThinking(answer)).toBeUndefined();
    },
  );

  test('is part of the answer if the answer is JSON', () => {
    const answer = '[{"message": "The tag </think> is never closed."}]';
    expect(stripThinking(answer)).toBe(answer);
  });

  test('is found in linear time', () => {
    const run = (size: number): void => {
      stripThinking(`a${' '.repeat(size)}b</think>;`);
      stripThinking(`${'a\n'.repeat(size / 2)}${' '.repeat(size)}"</think>"`);
    };
    expect(measureGrowth(run, { smallSize: 20_000, smallCount: 8 }).timeRatio).toBeLessThan(4);
  });
});
