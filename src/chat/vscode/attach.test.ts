import { expect, test } from 'vitest';
import { decodeText } from './attach.ts';

test.each([
  ['UTF-8', Buffer.from('Grüße'), 'Grüße'],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeffGrüße'), 'Grüße'],
  ['little-endian UTF-16', Buffer.from('\ufeffGrüße', 'utf16le'), 'Grüße'],
  ['big-endian UTF-16', Buffer.from('\ufeffGrüße', 'utf16le').swap16(), 'Grüße'],
  ['an empty file', Buffer.alloc(0), ''],
  ['invalid UTF-8', Buffer.from([0x41, 0xff, 0x42]), undefined],
  ['text with a null character', Buffer.from('a\0b'), undefined],
])(
  'decodeText decodes UTF-8 and UTF-16, and returns undefined for other content: %s',
  (_, bytes, text) => {
    expect(decodeText(bytes)).toBe(text);
  },
);
