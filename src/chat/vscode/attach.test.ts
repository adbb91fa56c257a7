import { expect, test } from 'vitest';
import { decodeText } from './attach.ts';

test.each([
  ['UTF-8', Buffer.from('Grüße'), 'Grüße'],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeffGrüße'), 'Grüße'],
  ['little-endian UTF-16', Buffer.from('\ufeffGrüße', 'utf16le'), 'Grüße'],
  ['big-endian UTF-16', Buffer.from('\ufeffGrüße', 'utf16le').swap16(), 'Grüße'],
  ['no content', Buffer.alloc(0), ''],
])('decodeText returns the text of a file with %s', (_, bytes, text) => {
  expect(decodeText(bytes)).toBe(text);
});

test.each([
  ['invalid UTF-8', Buffer.from([0x41, 0xff, 0x42])],
  ['a null character', Buffer.from('a\0b')],
])('decodeText returns undefined for a file with %s', (_, bytes) => {
  expect(decodeText(bytes)).toBeUndefined();
});
