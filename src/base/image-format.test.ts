import { expect, test } from 'vitest';
import { isAnimated, detectImageType } from './image-format.ts';

const toBytes = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));
const createWebp = (flags: number): Uint8Array =>
  toBytes(`RIFF\0\0\0\0WEBPVP8X\n\0\0\0${String.fromCharCode(flags)}`);
const gifFrame = '\x21\xf9\x04\0\0\0\0';

test.each([
  ['\x89PNG\r\n\x1a\nrest', 'png'],
  ['\xff\xd8\xff\xe0', 'jpeg'],
  ['RIFF\x10\0\0\0WEBPVP8 ', 'webp'],
  ['GIF89a\x01\0', 'gif'],
  ['GIF87a\x01\0', 'gif'],
  ['BM\x36\x10\0\0\0\0\0\0\x36', 'bmp'],
  ['\0\0\0\x1cftypavif', 'avif'],
  ['\0\0\0\x1cftypheic', 'heic'],
  ['', undefined],
  ['BM', undefined],
  ['BMW sells cars', undefined],
  ['GIF89', undefined],
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', undefined],
  ['<html>\x89PNG\r\n\x1a\n', undefined],
  ['RIFF\x10\0\0\0WAVE', undefined],
  ['\0\0\0\x1cftypmp42', undefined],
  ['\0\0\0\x1cftypconstructor', undefined],
])('detectImageType detects the image type of %j as %s', (start, format) => {
  expect(detectImageType(toBytes(start))).toBe(format);
});

test.each([
  ['a still GIF', toBytes(`GIF89a${gifFrame}`), 'gif', false],
  ['a GIF with two frames', toBytes(`GIF89a${gifFrame}xx${gifFrame}`), 'gif', true],
  ['a still WebP', createWebp(0x10), 'webp', false],
  ['an animated WebP', createWebp(0x12), 'webp', true],
  ['a still PNG', toBytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), 'png', false],
  ['an animated PNG', toBytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x08acTL'), 'png', true],
  ['a JPEG', toBytes('\xff\xd8\xff'), 'jpeg', false],
] as const)('isAnimated detects whether %s is animated', (_, image, format, expected) => {
  expect(isAnimated(image, format)).toBe(expected);
});
