import { expect, test } from 'vitest';
import { BracketCitations } from './answer-prompt.ts';

function rewriteMarks(chunks: readonly string[], hasSource = (_source: number) => true): string {
  const writtenTexts: string[] = [];
  const marks = new BracketCitations({ write: (text) => writtenTexts.push(text), hasSource });
  for (const chunk of chunks) marks.addText(chunk);
  marks.writeRemainingText();
  return writtenTexts.join('');
}

test.each([
  ['High water ^1^ and low ^2,3^.', 'High water [1] and low [2,3].'],
  ['So.^1^^2,3^[REF]4[/REF]', 'So.[1][2,3][5]'],
  ['Older [REF]0,1[/REF] services', 'Older [1,2] services'],
])(
  'BracketCitations rewrites the citation marks in %j to %j, even if the text arrives in chunks',
  (text, expected) => {
    expect(rewriteMarks([text])).toBe(expected);
    expect(rewriteMarks(text.split(''))).toBe(expected);
  },
);

test.each(['a [link](x) and [REF', '[REF]a[/REF]', '2^10 is 1024', 'x^2', 'x^2 + y^2', '^^', ''])(
  'BracketCitations leaves the text %j without citation marks unchanged, even if the text arrives in chunks',
  (text) => {
    expect(rewriteMarks([text])).toBe(text);
    expect(rewriteMarks(text.split(''))).toBe(text);
  },
);

test.each(['10^2^', '10^2^5^', 'High water ^1,3^.', '[REF]2[/REF]'])(
  'BracketCitations leaves the text %j unchanged if a mark has no source',
  (text) => {
    const hasSource = (source: number): boolean => source === 1;
    expect(rewriteMarks([text], hasSource)).toBe(text);
    expect(rewriteMarks(text.split(''), hasSource)).toBe(text);
  },
);

test('BracketCitations immediately writes text that cannot be the start of a citation mark', () => {
  const writtenTexts: string[] = [];
  const marks = new BracketCitations({
    write: (text) => writtenTexts.push(text),
    hasSource: () => true,
  });
  marks.addText('all of it');
  expect(writtenTexts).toEqual(['all of it']);
  marks.addText(` ^${'1'.repeat(50)}`);
  expect(writtenTexts.join('')).toBe(`all of it ^${'1'.repeat(50)}`);
});
