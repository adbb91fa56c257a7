import { expect, test } from 'vitest';
import { createQuote } from '../../../test/service/tee/hardware.ts';
import { readQuote } from './quote.ts';

const reportData = Buffer.from('ab'.repeat(64), 'hex');
const quote = createQuote({
  reportData,
  isDebugged: true,
  isExpired: false,
  hasUnknownRoot: false,
});

test('readQuote parses a quote of version 4', () => {
  const { version, keyType, teeType, report, signedBytes } = readQuote(quote);
  expect({ version, keyType, teeType }).toEqual({ version: 4, keyType: 2, teeType: 0x81 });
  expect(Buffer.from(report.reportData)).toEqual(reportData);
  expect(report.attributes[0]).toBe(1);
  expect(signedBytes.length).toBe(48 + 584);
});

test('readQuote parses a quote of version 5 with a body of variable length', () => {
  const header = Buffer.from(quote.subarray(0, 48));
  header[0] = 5;
  const sizes = Buffer.from('030088020000', 'hex');
  const extendedQuote = Buffer.concat([
    ...[header, sizes, quote.subarray(48, 632)],
    ...[Buffer.alloc(64), quote.subarray(632)],
  ]);
  const parsedQuote = readQuote(extendedQuote);
  expect(Buffer.from(parsedQuote.report.reportData)).toEqual(reportData);
  expect(parsedQuote.signedBytes.length).toBe(48 + 6 + 648);
});

test('readQuote rejects a truncated quote', () => {
  const { length } = quote;
  for (let end = 0; end < length; end += 13) {
    expect(() => readQuote(quote.subarray(0, end))).toThrow(RangeError);
  }
});

test.each([
  ['of an unsupported version', 0, 3],
  ['with trailing data', 632 + 4 + 128, 1],
])('readQuote rejects a quote %s', (_, offset, value) => {
  const otherQuote = Buffer.from(quote);
  otherQuote[offset] = value;
  expect(() => readQuote(otherQuote)).toThrow(RangeError);
});
