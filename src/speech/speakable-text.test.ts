import { expect, test } from 'vitest';
import { toSpeakableText, splitSpeechText } from './speakable-text.ts';

const labels = { codeBlock: 'Code block.' };

test.each([
  ['Plain text.', 'Plain text.'],
  ['# Heading\n\nText', 'Heading.\n\nText'],
  ['## Heading: ##', 'Heading:'],
  ['**bold**, *slanted*, ~~gone~~ and `code`', 'bold, slanted, gone and code'],
  ['snake_case and _slanted_ words', 'snake_case and slanted words'],
  ['- one\n- two\n1. three\n2) four!', 'one.\ntwo.\nthree.\nfour!'],
  ['- [x] done', 'done.'],
  ['[the docs](https://example.org/a?b=c) say', 'the docs say'],
  ['![a boat](x.png)', 'a boat'],
  ['See https://example.org/long/path?q=1.', 'See example.org'],
  ['<https://example.org/x>', 'example.org'],
  ['Before\n```ts\nconst x = 1;\n```\nafter', 'Before\n\nCode block.\n\nafter'],
  ['~~~\nnever closed\n# code', 'Code block.'],
  ['````\n```\nstill code\n````\nend', 'Code block.\n\nend'],
  ['> quoted\n> more', 'quoted\nmore'],
  ['| a | b |\n|---|:-:|\n| 1 | 2 |', 'a, b\n\n1, 2'],
  ['one\n\n---\n\ntwo', 'one\n\ntwo'],
  ['<b>bold</b> <script>x</script>', 'bold x'],
  ['It is so ^1,3^ and 2 * 3', 'It is so and 2 3'],
  ['hid\u200Bden\u202E', 'hidden'],
  ['a \\* b', 'a b'],
  ['', ''],
  ['   \n ', ''],
])(
  'toSpeakableText, given the Markdown text %j, returns the speech text %j',
  (markdown, expected) => expect(toSpeakableText(markdown, labels)).toBe(expected),
);

test('toSpeakableText converts 20,000 repetitions of a Markdown token within the time limit of the test', () => {
  for (const token of ['[', '[a](', '<a', '`', '_', '*', '|', '> ', 'https://', '^1,', '- ']) {
    expect(toSpeakableText(token.repeat(20_000), labels).length).toBeLessThanOrEqual(200_000);
  }
});

test('splitSpeechText splits a text at sentence ends without losing words', () => {
  const sentence = 'The quick brown fox jumps over the lazy dog. ';
  const text = sentence.repeat(300).trim();
  const parts = splitSpeechText(text, 4_096);
  expect(parts.join(' ')).toBe(text);
  expect(parts[0]?.length).toBeLessThanOrEqual(300);
  for (const part of parts) {
    expect(part.length).toBeLessThanOrEqual(4_096);
    expect(part.endsWith('.')).toBe(true);
  }
});

test.each([
  ['', []],
  ['  ', []],
  ['short', ['short']],
])('splitSpeechText, given the short text %j, returns the parts %j', (text, parts) =>
  expect(splitSpeechText(text, 100)).toEqual(parts),
);

test('splitSpeechText splits a long sentence between words, or between characters if there are no spaces', () => {
  expect(splitSpeechText('aaa bbb ccc', 8)).toEqual(['aaa bbb', 'ccc']);
  expect(splitSpeechText('x'.repeat(25), 10).map(({ length }) => length)).toEqual([10, 10, 5]);
  expect(splitSpeechText('😀'.repeat(4), 3)).toEqual(['😀', '😀', '😀', '😀']);
});
