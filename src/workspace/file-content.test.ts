import { expect, test } from 'vitest';
import { detectFileContent } from './file-content.ts';

const toBytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

test.each<readonly [name: string, content: Uint8Array, kind: string]>([
  ['a PNG', toBytes('\x89PNG\r\n\x1a\n\0\0'), 'image/png'],
  ['a JPEG', toBytes('\xff\xd8\xff\xe0\0'), 'image/jpeg'],
  ['a GIF', toBytes('GIF89a\0'), 'binary'],
  ['a WebP', toBytes('RIFF\x10\0\0\0WEBPVP8 '), 'image/webp'],
  ['a RIFF file other than WebP', toBytes('RIFF\x10\0\0\0WAVEfmt '), 'binary'],
  ['a PDF', toBytes('%PDF-1.7\n'), 'binary'],
  ['text', toBytes('hello\n'), 'text'],
  ['an empty file', toBytes(''), 'text'],
  ['an SVG', toBytes('<svg onload="x">'), 'text'],
  ['text that mentions PNG', toBytes('PNG is a format'), 'text'],
  ['UTF-16 with a byte order mark', Buffer.from('\uFEFFhello', 'utf16le'), 'text'],
  ['UTF-16 without a byte order mark', Buffer.from('hello there', 'utf16le'), 'text'],
  ['only zero bytes', new Uint8Array(100), 'binary'],
  ['text with a zero byte', toBytes('ab\0cd\x01\0\0'), 'binary'],
])('detectFileContent classifies %s as $2', (_, content, kind) => {
  const fileContent = detectFileContent(content);
  expect(fileContent.kind === 'image' ? fileContent.mediaType : fileContent.kind).toBe(kind);
});
