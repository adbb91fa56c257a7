import { expect, test } from 'vitest';
import { OutputParser } from './ripgrep-search.ts';

/** Parses the output in chunks of `size` characters and returns the formatted lines. */
function parseOutput(output: string, size: number): string[] {
  const foundLines: string[] = [];
  const parser = new OutputParser((path, { line, column, text }) => {
    foundLines.push(`${path}|${line}|${column ?? '-'}|${text}`);
    return true;
  });
  for (let index = 0; index < output.length; index += size)
    parser.parseChunk(output.slice(index, index + size));
  return foundLines;
}

const ripgrepOutput = [
  './a.ts\x003:7:const a = 1;\r\n',
  './a.ts\x004-}\n',
  './b:1:x.ts\x0012:1:1:2:3\n',
  './data.bin\x001:1:text\n',
  './data.bin: WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)\n',
  './c.ts\x001:1:\n',
  './evil\n./a.ts\x001:1:not of a.ts\n',
  './d.ts\x00no number\n',
  './d.ts\x002:2:last\n',
].join('');
const expectedLines = [
  'a.ts|3|6|const a = 1;',
  'a.ts|4|-|}',
  'b:1:x.ts|12|0|1:2:3',
  'data.bin|1|0|text',
  'c.ts|1|0|',
  'd.ts|2|1|last',
];

test.each([1, 2, 3, 7, 50, 10_000])(
  'OutputParser parses the output of ripgrep in chunks of %d characters',
  (size) => {
    expect(parseOutput(ripgrepOutput, size)).toEqual(expectedLines);
  },
);

test('OutputParser stops when the callback returns false', () => {
  let callCount = 0;
  const parser = new OutputParser(() => ++callCount < 2);
  expect(parser.parseChunk(ripgrepOutput)).toBe(false);
  expect(callCount).toBe(2);
});
