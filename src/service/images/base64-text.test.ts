import { fc } from '../../../test/support/property.ts';
import { expect, test } from 'vitest';
import { Base64Decoder } from './base64-text.ts';

function decodeChunks(...chunks: readonly string[]): Buffer {
  const decoder = new Base64Decoder();
  const decodedChunks = chunks.map((chunk) => decoder.feed(Buffer.from(chunk, 'latin1')));
  return Buffer.concat([...decodedChunks, decoder.end()]);
}

const splitBytes = (text: string): readonly string[] => text.split('');

test('Base64Decoder decodes Base64 with any chunk boundaries, in both alphabets, with and without padding', () => {
  const encoderArbitrary = fc.constantFrom<((text: string) => string)[]>(
    (text) => text,
    (text) => text.replaceAll('=', ''),
    (text) => text.replaceAll('+', '-').replaceAll('/', '_'),
    (text) => text.replaceAll(/.{7}/g, '$&\r\n'),
  );
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      encoderArbitrary,
      fc.array(fc.nat(300), { maxLength: 20 }),
      (bytes, encode, splitPositions) => {
        const text = encode(Buffer.from(bytes).toString('base64'));
        const chunkEnds = [...splitPositions.toSorted((a, b) => a - b), text.length];
        const chunks = chunkEnds.map((end, index) => text.slice(chunkEnds[index - 1] ?? 0, end));
        expect(decodeChunks(...chunks)).toEqual(Buffer.from(bytes));
      },
    ),
  );
});

test.each([
  'A',
  'AAAAA',
  'AA=A',
  'AA==AAAA',
  'AAA=A',
  'A===',
  'AAAA===',
  'AAAAAAAA====',
  'AA!=',
  'AAAAAAAAAA*AAAAA',
  '"AAA',
  'AAA\u0000',
  'AAA\u00E4',
  'AAA\u00A0',
  'AAAA:AAA',
  '<svg xmlns="x"/>',
  '{"error":1}',
])('Base64Decoder rejects the invalid Base64 %j, in one chunk and byte by byte', (text) => {
  expect(() => decodeChunks(text)).toThrow('no PNG');
  expect(() => decodeChunks(...splitBytes(text))).toThrow('no PNG');
});

test.each([
  ['', ''],
  [' \n\t\r', ''],
  ['TQ', 'M'],
  ['TQ=', 'M'],
  ['TQ==', 'M'],
  ['T Q = =\n', 'M'],
  ['TWE=', 'Ma'],
  ['TWFu', 'Man'],
])(
  'ImageTextDecoder decodes the Base64 text %j as %j, in one chunk and byte by byte',
  (text, expected) => {
    expect(decodeChunks(text).toString()).toBe(expected);
    expect(decodeChunks(...splitBytes(text)).toString()).toBe(expected);
  },
);
