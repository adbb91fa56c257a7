import { fc } from '../../test/support/property.ts';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import type { ImageFormat } from '../service/images/image-types.ts';
import { hasTooManyPixels, isCompleteImage, readImageHeader } from './image-header.ts';

const createCanvas = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: { r: 9, g: 80, b: 120, alpha: 0.5 } } });

const encodeText = (value: string): Uint8Array => new TextEncoder().encode(value);
const decodeHex = (value: string): Uint8Array =>
  Uint8Array.from(Buffer.from(value.replaceAll(' ', ''), 'hex'));
const getBoundaries = (bytes: Uint8Array, tail = 64) => ({
  head: bytes.subarray(0, 64),
  tail: bytes.subarray(-tail),
  length: bytes.length,
});

const imageSamples = {
  png: await createCanvas(40, 30).png().toBuffer(),
  'png with a palette': await createCanvas(40, 30).png({ palette: true }).toBuffer(),
  jpeg: await createCanvas(40, 30).jpeg().toBuffer(),
  'progressive jpeg': await createCanvas(40, 30).jpeg({ progressive: true }).toBuffer(),
  'jpeg with exif': await createCanvas(40, 30)
    .withExif({ IFD0: { ImageDescription: 'a cat '.repeat(5_000) } })
    .jpeg()
    .toBuffer(),
  webp: await createCanvas(40, 30).webp().toBuffer(),
  'lossless webp': await createCanvas(40, 30, 4).webp({ lossless: true }).toBuffer(),
  'webp with transparency': await createCanvas(40, 30, 4).webp().toBuffer(),
  'webp with exif': await createCanvas(40, 30)
    .withExif({ IFD0: { Copyright: 'nobody' } })
    .webp()
    .toBuffer(),
} as const;

const getFormat = (name: string): ImageFormat =>
  (['png', 'jpeg', 'webp'] as const).find((format) => name.includes(format)) ?? 'png';

test.each(Object.entries(imageSamples))(
  'readImageHeader reads the header of a complete image: %s',
  (name, bytes) => {
    expect(readImageHeader(bytes)).toEqual({ format: getFormat(name), width: 40, height: 30 });
    expect(isCompleteImage(getFormat(name), getBoundaries(bytes))).toBe(true);
  },
);

test('the sample images include all three WebP formats', () => {
  const kinds = Object.entries(imageSamples)
    .filter(([name]) => name.includes('webp'))
    .map(([, bytes]) => bytes.subarray(12, 16).toString('latin1'));
  expect(new Set(kinds)).toEqual(new Set(['VP8 ', 'VP8L', 'VP8X']));
});

test('readImageHeader reads the header of an image inside a larger buffer', () => {
  const buffer = Buffer.concat([Buffer.alloc(7), imageSamples.webp]);
  expect(readImageHeader(buffer.subarray(7))).toMatchObject({ format: 'webp', width: 40 });
});

test('readImageHeader reads a JPEG header after metadata segments of maximum length', () => {
  const metadataSegment = Buffer.concat([
    Buffer.from('ffe1ffff', 'hex'),
    Buffer.alloc(65_533, 'x'),
  ]);
  const largeJpeg = Buffer.concat([
    imageSamples.jpeg.subarray(0, 2),
    ...[metadataSegment, metadataSegment, metadataSegment],
    imageSamples.jpeg.subarray(2),
  ]);
  const header = { format: 'jpeg', width: 40, height: 30 };
  expect(readImageHeader(largeJpeg)).toEqual(header);
});

test.each(Object.entries(imageSamples))(
  'isCompleteImage reports an image truncated at any length as incomplete: %s',
  (name, bytes) => {
    for (let length = 0; length < bytes.length; length += 1) {
      expect(
        isCompleteImage(getFormat(name), getBoundaries(bytes.subarray(0, length))),
        `${length}`,
      ).toBe(false);
    }
  },
);

test.each(Object.entries(imageSamples))(
  'readImageHeader reads either the correct header or no header from an image truncated at any length: %s',
  (name, bytes) => {
    const foundHeaders = new Set<string>();
    for (let length = 0; length <= bytes.length; length += 1) {
      foundHeaders.add(JSON.stringify(readImageHeader(bytes.subarray(0, length)) ?? null));
    }
    const expected = JSON.stringify({ format: getFormat(name), width: 40, height: 30 });
    expect([...foundHeaders]).toEqual(['null', expected]);
  },
);

test.each(['png', 'jpeg', 'webp'] as const)(
  'isCompleteImage accepts a complete %s with trailing zero bytes',
  (format) => {
    const paddedImage = Buffer.concat([imageSamples[format], Buffer.alloc(16)]);
    expect(isCompleteImage(format, getBoundaries(paddedImage))).toBe(true);
  },
);

const createPng = (width: string, height: string): Uint8Array =>
  decodeHex(`89504e47 0d0a1a0a 0000000d 49484452 ${width} ${height} 08 02 00 00 00 00000000`);

test.each([
  ['an empty file', encodeText('')],
  ['one byte', decodeHex('ff')],
  ['HTML', encodeText('<!doctype html><script>alert(1)</script>')],
  ['SVG', encodeText('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['SVG after a byte order mark', encodeText('\uFEFF<svg/>')],
  ['GIF', encodeText('GIF89a\u0001\u0000\u0001\u0000')],
  ['BMP', encodeText(`BM${'\u0000'.repeat(60)}`)],
  ['JSON', encodeText('{"images":["iVBORw0KGgo"]}')],
  ['base64 of a PNG', encodeText(imageSamples.png.toString('base64'))],
  ['AVIF', encodeText('\u0000\u0000\u0000\u0020ftypavif\u0000\u0000\u0000\u0000avifmif1')],
  ['a PNG after a space', Buffer.concat([Buffer.from(' '), imageSamples.png])],
  ['a PNG after HTML', Buffer.concat([Buffer.from('<script>1</script>'), imageSamples.png])],
  ['a PNG without a header', decodeHex(`89504e47 0d0a1a0a 0000000d 49444154 ${'00'.repeat(40)}`)],
  [
    'a PNG with a wrong header length',
    decodeHex(`89504e47 0d0a1a0a 0000000e 49484452 ${'01'.repeat(40)}`),
  ],
  [
    'a PNG with converted line breaks',
    decodeHex(`89504e47 0a1a0a 0000000d 49484452 ${'01'.repeat(40)}`),
  ],
  ['a PNG without width', createPng('00000000', '00000001')],
  ['a PNG without height', createPng('00000001', '00000000')],
  ['a JPEG that contains only padding', decodeHex(`ffd8 ${'ff'.repeat(1000)}`)],
  [
    'a JPEG with image data before the frame header',
    decodeHex('ffd8 ffda 0008 0101 0000 3f00 ffc0 0011 08 0010 0010 03'),
  ],
  ['a JPEG with an end marker at its start', decodeHex('ffd8 ffd9 ffc0 0011 08 0010 0010 03 0000')],
  [
    'a JPEG with a segment of length zero',
    decodeHex('ffd8 ffe1 0000 ffc0 0011 08 0010 0010 03 0000'),
  ],
  [
    'a JPEG with text between segments',
    decodeHex('ffd8 ffe0 0004 0000 3c73 7667 ffc0 0011 08 0010 0010'),
  ],
  ['a JPEG with a height of zero', decodeHex('ffd8 ffc0 0011 08 0000 0010 03 00000000')],
  ['a WAVE file', encodeText(`RIFF\u0010\u0000\u0000\u0000WAVEfmt ${'\u0001'.repeat(40)}`)],
  [
    'a WebP of an unknown format',
    encodeText(`RIFF\u0040\u0000\u0000\u0000WEBPVP9 ${'\u0001'.repeat(40)}`),
  ],
  [
    'a WebP without start code',
    encodeText(`RIFF\u0040\u0000\u0000\u0000WEBPVP8 ${'\u0001'.repeat(40)}`),
  ],
  [
    'a lossless WebP without signature',
    encodeText(`RIFF\u0040\u0000\u0000\u0000WEBPVP8L${'\u0001'.repeat(40)}`),
  ],
])('readImageHeader finds no image header in %s', (_, bytes) => {
  expect(readImageHeader(bytes)).toBeUndefined();
  expect(hasTooManyPixels(bytes)).toBe(false);
});

const createWebp = (width: string, height: string): Uint8Array =>
  decodeHex(`52494646 16000000 57454250 56503858 0a000000 10000000 ${width} ${height}`);

test.each([
  ['a PNG that is too wide', createPng('00008001', '00000001')],
  ['a PNG that is too high', createPng('00000001', 'ffffffff')],
  ['a PNG slightly above 100 million pixels', createPng('00002711', '00002710')],
  ['a PNG of a billion pixels', createPng('00008000', '00008000')],
  ['a 30-byte WebP of a billion pixels', createWebp('ff7f00', 'ff7f00')],
])('hasTooManyPixels returns true for %s', (_, bytes) => {
  expect(readImageHeader(bytes)).toBeUndefined();
  expect(hasTooManyPixels(bytes)).toBe(true);
});

test('readImageHeader accepts an image of exactly 100 million pixels', () => {
  const bytes = createPng('00002710', '00002710');
  expect(readImageHeader(bytes)).toEqual({ format: 'png', width: 10_000, height: 10_000 });
  expect(hasTooManyPixels(bytes)).toBe(false);
});

test('readImageHeader accepts an image with the maximum width', () => {
  expect(readImageHeader(createPng('00008000', '00000001'))).toEqual({
    format: 'png',
    width: 32_768,
    height: 1,
  });
});

test('readImageHeader returns a valid size or nothing for any bytes after an image signature', () => {
  const startArbitrary = fc.constantFrom(
    decodeHex('89504e470d0a1a0a0000000d49484452'),
    decodeHex('ffd8ff'),
    encodeText('RIFF\u0040\u0000\u0000\u0000WEBPVP8 '),
    encodeText('RIFF\u0040\u0000\u0000\u0000WEBPVP8L'),
    encodeText('RIFF\u0040\u0000\u0000\u0000WEBPVP8X'),
  );
  fc.assert(
    fc.property(startArbitrary, fc.uint8Array({ maxLength: 80 }), (head, rest) => {
      const bytes = Uint8Array.from([...head, ...rest]);
      const header = readImageHeader(bytes);
      if (header === undefined) return;
      const { width, height } = header;
      for (const side of [width, height]) expect(side >= 1 && side <= 32_768).toBe(true);
      expect(width * height).toBeLessThanOrEqual(100_000_000);
    }),
  );
});
