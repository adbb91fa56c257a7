import { expect, test } from 'vitest';
import { decodeText } from './attach.ts';

test.each([
  ['UTF-8', Buffer.from('Grüße'), 'Grüße'],
  ['UTF-8 with a mark', Buffer.from('\ufeffGrüße'), 'Grüße'],
  ['UTF-16', Buffer.from('\ufeffGrüße', 'utf16le'), 'Grüße'],
  ['UTF-16 the other way round', Buffer.from('\ufeffGrüße', 'utf16le').swap16(), 'Grüße'],
  ['nothing', Buffer.alloc(0), ''],
  ['bytes that are no text', Buffer.from([0x41, 0xff, 0x42]), undefined],
  ['a text with a zero in it', Buffer.from('a\0b'), undefined],
])('decodes %s', (_, bytes, text) => {
  expect(decodeText(bytes)).toBe(text);
});
