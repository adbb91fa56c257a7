import { expect, test } from 'vitest';
import { addFootnotes } from './export.ts';

const citations = [
  { title: 'One', url: 'https://one.test/a', date: '2026-10-01' },
  { title: 'Two [x](javascript:steal()) *b*\nmore', url: 'https://two.test/>x' },
  { title: 'Three', url: 'javascript:steal()' },
];

const expectedNotes = [
  '[^1]: [One](<https://one.test/a>), one.test, 2026-10-01',
  String.raw`[^2]: [Two \[x\](javascript:steal()) \*b\* more](<https://two.test/%3Ex>), two.test`,
  '[^3]: Three',
].join('\n');

test.each<[text: string, marked: string]>([
  ['So it is.^1^ And^2,3^ so[REF]0[/REF].', 'So it is.[^1] And[^2][^3] so[^1].'],
  ['No source^4^, none^0^, one^1,9^', 'No source^4^, none^0^, one[^1]'],
  ['`x^1^` and ``a`^1^`` and ^1^', '`x^1^` and ``a`^1^`` and [^1]'],
  ['A lone ` tick^1^', 'A lone ` tick[^1]'],
  ['```c\nx^1^\n```\n^1^', '```c\nx^1^\n```\n[^1]'],
  ['~~~\n^1^\n```\n^1^', '~~~\n^1^\n```\n^1^'],
  ['```` \n``` \n^1^\n````\n^2^', '```` \n``` \n^1^\n````\n[^2]'],
])(
  'addFootnotes replaces citation marks outside code with footnotes in %j',
  (text, expectedText) => {
    expect(addFootnotes(text, citations)).toBe(`${expectedText}\n\n${expectedNotes}`);
  },
);

test.each([undefined, []])(
  'addFootnotes does not change an answer without sources',
  (citations) => {
    expect(addFootnotes('x^1^', citations)).toBe('x^1^');
  },
);

test('addFootnotes adds the given prefix to the number of each footnote', () => {
  expect(addFootnotes('x^1^', [{ title: 'T' }], '2-')).toBe('x[^2-1]\n\n[^2-1]: T');
});

test('addFootnotes adds footnotes to a text with many backticks in linear time', () => {
  const text = Array.from({ length: 3_000 }, (_, index) => '`'.repeat(1 + (index % 50))).join('a');
  expect(addFootnotes(`${text}^1^`, [{ title: 'T' }])).toContain('[^1]: T');
});
