import { expect, test } from 'vitest';
import { isAnimated, detectImageType } from './image-format.ts';

const toBytes = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));
const createWebp = (flags: number): Uint8Array =>
  toBytes(`RIFF\0\0\0\0WEBPVP8X\n\0\0\0${String.fromCharCode(flags)}`);
const gifFrame = '\x21\xf9\x04\0\0\0\0';

test.each([
  ['PNG image', '\x89PNG\r\n\x1a\nrest', 'png'],
  ['JPEG image', '\xff\xd8\xff\xe0', 'jpeg'],
  ['WebP image', 'RIFF\x10\0\0\0WEBPVP8 ', 'webp'],
  ['GIF89a image', 'GIF89a\x01\0', 'gif'],
  ['GIF87a image', 'GIF87a\x01\0', 'gif'],
  ['BMP image', 'BM\x36\x10\0\0\0\0\0\0\x36', 'bmp'],
  ['AVIF image', '\0\0\0\x1cftypavif', 'avif'],
  ['HEIC image', '\0\0\0\x1cftypheic', 'heic'],
])('detectImageType detects the type of a %s', (_, start, format) => {
  expect(detectImageType(toBytes(start))).toBe(format);
});

test.each([
  ['an empty file', ''],
  ['the two letters BM', 'BM'],
  ['a text that begins with BM', 'BMW sells cars'],
  ['an incomplete GIF signature', 'GIF89'],
  ['an SVG image', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['a PNG signature after HTML', '<html>\x89PNG\r\n\x1a\n'],
  ['a WAVE sound', 'RIFF\x10\0\0\0WAVE'],
  ['an MP4 video', '\0\0\0\x1cftypmp42'],
  ['an ISO media file with the unknown brand "constructor"', '\0\0\0\x1cftypconstructor'],
])('detectImageType detects no image type in %s', (_, start) => {
  expect(detectImageType(toBytes(start))).toBeUndefined();
});

test.each([
  [false, 'a still GIF', toBytes(`GIF89a${gifFrame}`), 'gif'],
  [true, 'a GIF with two frames', toBytes(`GIF89a${gifFrame}xx${gifFrame}`), 'gif'],
  [false, 'a still WebP', createWebp(0x10), 'webp'],
  [true, 'an animated WebP', createWebp(0x12), 'webp'],
  [false, 'a still PNG', toBytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), 'png'],
  [true, 'an animated PNG', toBytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x08acTL'), 'png'],
  [false, 'a JPEG', toBytes('\xff\xd8\xff'), 'jpeg'],
] as const)('isAnimated returns %s for %s', (expected, _, image, format) => {
  expect(isAnimated(image, format)).toBe(expected);
});
