import { fc } from '../../../../test/support/property.ts';
import { expect, test } from 'vitest';
import { CommandOutput } from './running-command.ts';

const collectOutput = (
  chunks: readonly (string | Uint8Array)[],
  limits = { headBytes: 10, tailBytes: 10 },
) => {
  const output = new CommandOutput(limits);
  for (const chunk of chunks) output.addChunk(Buffer.from(chunk as Uint8Array));
  return output;
};

test.each([
  ['no output', [], ''],
  ['a single chunk', ['hello\n'], 'hello\n'],
  ['several chunks', ['he', 'llo', '\n'], 'hello\n'],
  ['output at the size limit', ['0123456789', 'abcdefghij'], '0123456789abcdefghij'],
  [
    'output beyond the size limit',
    ['0123456789', 'x'.repeat(10), 'y'.repeat(10)],
    '0123456789\n[… 10 bytes left out …]\nyyyyyyyyyy',
  ],
  ['color codes', ['\u001B[31mred', '\u001B[0m'], 'red'],
  ['Windows line ends', ['a\r\nb\r\n'], 'a\nb\n'],
  ['a progress bar', ['10 %\r50', ' %\rdone\n'], 'done\n'],
  ['a progress bar that clears itself', ['50 %\r'], '50 %'],
])('CommandOutput returns the visible text of %s', (_, chunks, expected) => {
  expect(collectOutput(chunks).getText()).toBe(expected);
});

test('CommandOutput joins characters that are split across chunks', () => {
  const bytes = Buffer.from('é日👩‍💻');
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 5 }), (splitIndexes) => {
      const boundaries = [0, ...splitIndexes.toSorted((a, b) => a - b), bytes.length];
      const chunks = boundaries
        .slice(1)
        .map((end, index) => bytes.subarray(boundaries[index], end));
      expect(collectOutput(chunks, { headBytes: 100, tailBytes: 100 }).getText()).toBe('é日👩‍💻');
    }),
  );
});

test('CommandOutput leaves no partial characters after the middle of the output is dropped', () => {
  const chunks = Array.from({ length: 20 }, () => '日本');
  const text = collectOutput(chunks, { headBytes: 10, tailBytes: 13 }).getText();
  expect(text).toMatch(/^日本日\n\[… \d+ bytes left out …\]\n[日本]+$/u);
});

test('CommandOutput continues a read at the end of the previous read', () => {
  const output = collectOutput(['first ', 'second ']);
  const position = output.byteCount;
  output.addChunk(Buffer.from('third'));
  expect(output.getText(position)).toBe('third');
  expect(output.getText(output.byteCount)).toBe('');
  output.addChunk(Buffer.from('x'.repeat(50)));
  expect(output.getText(position)).toMatch(/^\n\[… \d+ bytes left out …\]\nx+$/u);
});

test('CommandOutput returns a character completely if its bytes arrive between two reads', () => {
  const bytes = Buffer.from('aé日👩b');
  for (let splitIndex = 0; splitIndex <= bytes.length; splitIndex++) {
    const output = collectOutput([bytes.subarray(0, splitIndex)], { headBytes: 3, tailBytes: 100 });
    const firstText = output.getText();
    const position = output.completeLength;
    output.addChunk(bytes.subarray(splitIndex));
    expect(firstText + output.getText(position)).toBe('aé日👩b');
  }
});

test('CommandOutput uses a bounded amount of memory for any amount of output', () => {
  const output = new CommandOutput({ headBytes: 1_000, tailBytes: 1_000 });
  const chunk = Buffer.alloc(1_000, 'a');
  for (let index = 0; index < 100_000; index++) output.addChunk(chunk);
  expect(output.byteCount).toBe(100_000_000);
  expect(output.getText().length).toBeLessThan(3_100);
});
