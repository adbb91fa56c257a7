import { fc } from '../../../test/support/property.ts';
import { expect, test } from 'vitest';
import { fitToLine } from './fit-line.ts';

test.each([
  ['a()', '', 'a()', 0],
  ['a()', '   ', 'a()', 0],
  ['a', ')', 'a', 0],
  ['a)', ')', 'a', 0],
  ['a);', ')', 'a);', 1],
  ['bar(a)', ')', 'bar(a)', 0],
  ['bar(a))', ')', 'bar(a)', 0],
  ['a))', '))', 'a', 0],
  ['a)', '))', 'a)', 1],
  ['a", b);', '")', 'a", b);', 2],
  ['a"', '"', 'a', 0],
  ['a" + "b"', '"', 'a" + "b', 0],
  ['"a" + "b"', '"', '"a" + "b"', 0],
  ['a', '");', 'a', 0],
  ['foo();', ';', 'foo()', 0],
  ['foo(); // x', ';', 'foo(); // x', 1],
  ['a, b', ',', 'a, b', 0],
  ['x: [1]', ' }', 'x: [1]', 0],
  ['x: 1 }', ' }', 'x: 1', 0],
  ['{ a: 1 }', '}', '{ a: 1 }', 0],
  ['sum(a) + b;', ' + b;', 'sum(a)', 0],
  ['a, b);', ', b)', 'a, b);', 4],
  ['a', ', b)', 'a', 0],
  ['\n  a();\n}', '}', '\n  a();\n', 0],
  ['\n  a();\n});', '})', '\n  a();\n', 0],
  ['a);\nb();', ')', 'a);\nb();', 1],
  ['a,\n  b,\n)', ')', 'a,\n  b,\n', 0],
  ['a,\n  b', ')', 'a,', 0],
  ['a + b;\nc();', ' + b;', 'a + b;\nc();', 5],
  ['a;\nb();', ' + c', 'a;', 0],
])(
  'fitToLine fits the suggestion %j to the text %j after the cursor',
  (text, lineSuffix, expectedText, replaceLength) => {
    expect(fitToLine(text, lineSuffix)).toEqual({ text: expectedText, replaceLength });
  },
);

test.each([
  ['', ''],
  [')', ')'],
  [' + b', ' + b'],
  ['\n  a();', '}'],
  ['\nb();', ' + c'],
])('fitToLine cannot fit the suggestion %j to the text %j after the cursor', (text, lineSuffix) => {
  expect(fitToLine(text, lineSuffix)).toBeUndefined();
});

const letterArbitrary = fc.constantFrom(
  'a',
  'b',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  ';',
  ',',
  ' ',
  '\n',
);
const codeArbitrary = fc
  .array(letterArbitrary, { maxLength: 20 })
  .map((characters) => characters.join(''));

test('fitToLine returns a leading part of the suggestion that contains the replaced characters in the same order', () => {
  fc.assert(
    fc.property(codeArbitrary, codeArbitrary, (text, suffix) => {
      const lineSuffix = suffix.replaceAll('\n', '');
      const fittedText = fitToLine(text, lineSuffix);
      if (fittedText === undefined) return;
      expect(fittedText.text).not.toBe('');
      expect(text.startsWith(fittedText.text)).toBe(true);
      expect(isSubsequence(lineSuffix.slice(0, fittedText.replaceLength), fittedText.text)).toBe(
        true,
      );
    }),
    { numRuns: 5_000 },
  );
});

function isSubsequence(subsequence: string, text: string): boolean {
  let matchedCount = 0;
  for (const character of text) if (character === subsequence[matchedCount]) matchedCount += 1;
  return matchedCount === subsequence.length;
}
