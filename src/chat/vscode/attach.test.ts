import { expect, test } from 'vitest';
import { decodeText } from './attach.ts';

test.each([
  ['decodes UTF-8', Buffer.from('Grüße'), 'Grüße'],
  ['decodes UTF-8 with a byte order mark', Buffer.from('\ufeffGrüße'), 'Grüße'],
  ['decodes little-endian UTF-16', Buffer.from('\ufeffGrüße', 'utf16le'), 'Grüße'],
  ['decodes big-endian UTF-16', Buffer.from('\ufeffGrüße', 'utf16le').swap16(), 'Grüße'],
  ['decodes an empty file', Buffer.alloc(0), ''],
  ['returns undefined for invalid UTF-8', Buffer.from([0x41, 0xff, 0x42]), undefined],
  ['returns undefined for text with a null character', Buffer.from('a\0b'), undefined],
])('decodeText %s', (_, bytes, text) => {
  expect(decodeText(bytes)).toBe(text);
});
