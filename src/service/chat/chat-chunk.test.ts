import { fc } from '../../../test/support/property.ts';
import { expect, test } from 'vitest';
import { measureGrowth } from '../../../test/support/growth.ts';
import { ThinkTagSplitter } from './chat-chunk.ts';

function splitChunks(...chunks: readonly string[]): { text: string; reasoning: string } {
  let text = '';
  let reasoning = '';
  const splitter = new ThinkTagSplitter({
    onText: (chunk) => (text += chunk),
    onReasoning: (chunk) => (reasoning += chunk),
  });
  for (const chunk of chunks) splitter.splitText(chunk);
  splitter.emitWithheldText();
  return { text, reasoning };
}

const splitCases: readonly [content: string, reasoning: string, text: string][] = [
  ['<think>why</think>because', 'why', 'because'],
  ['<think>\nwhy\n\nso\n</think>\n\nbecause\n', 'why\n\nso', 'because\n'],
  ['\n  <think>why</think>because', 'why', 'because'],
  ['<think></think>because', '', 'because'],
  ['<think>a < b </ c <think> d</think>e', 'a < b </ c <think> d', 'e'],
  ['plain answer', '', 'plain answer'],
  ['  indented answer', '', '  indented answer'],
  ['Use `<think>` and `</think>` tags', '', 'Use `<think>` and `</think>` tags'],
  ['<think>why</think>write <think>x</think>', 'why', 'write <think>x</think>'],
  ['<thin air', '', '<thin air'],
  ['<thinking>no</thinking>', '', '<thinking>no</thinking>'],
  ['<think>cut off', 'cut off', ''],
  ['<think>cut off</thi', 'cut off</thi', ''],
  ['<thi', '', '<thi'],
  ['', '', ''],
  ['<think>🙂</think>🙃', '🙂', '🙃'],
];

test.each(splitCases)(
  'ThinkTagSplitter splits %j into reasoning %j and text %j at any chunk boundary',
  (content, reasoning, text) => {
    expect(splitChunks(content)).toEqual({ reasoning, text });
    expect(splitChunks(...content.split(''))).toEqual({ reasoning, text });
    for (let index = 0; index <= content.length; index++) {
      expect(
        splitChunks(content.slice(0, index), content.slice(index)),
        `split at ${index}`,
      ).toEqual({
        reasoning,
        text,
      });
    }
  },
);

test('ThinkTagSplitter returns the same reasoning and text for any chunk boundaries', () => {
  const tokenArbitrary = fc.constantFrom(
    '<think>',
    '</think>',
    '<',
    '</',
    'think>',
    ' ',
    '\n',
    'a',
    'bc',
  );
  fc.assert(
    fc.property(
      fc.array(fc.array(tokenArbitrary, { maxLength: 4 }), { maxLength: 8 }),
      (chunks) => {
        const chunkTexts = chunks.map((chunk) => chunk.join(''));
        expect(splitChunks(...chunkTexts)).toEqual(splitChunks(chunkTexts.join('')));
      },
    ),
  );
});

test('ThinkTagSplitter emits text immediately when the content has no think tag', () => {
  const emittedTexts: string[] = [];
  const splitter = new ThinkTagSplitter({
    onText: (text) => emittedTexts.push(text),
    onReasoning: () => {},
  });
  splitter.splitText('H');
  splitter.splitText('<');
  expect(emittedTexts).toEqual(['H', '<']);
});

test.each(['<think>x', '', '<think>', '<think>x</think>'])(
  'ChunkReader reads long whitespace after %j in linear time',
  (firstChunk) => {
    const run = (chunkCount: number): void => {
      const spaces = Array.from({ length: chunkCount }, () => ' '.repeat(1_000));
      const { text } = splitChunks(firstChunk, ...spaces, 'end');
      expect(text.trim()).toBe(firstChunk === '<think>x' || firstChunk === '<think>' ? '' : 'end');
    };
    // A splitter that rescanned all white space for each chunk took 11 seconds for 4,000 chunks.
    expect(measureGrowth(run, { smallSize: 500, smallCount: 8 }).timeRatio).toBeLessThan(4);
  },
);
