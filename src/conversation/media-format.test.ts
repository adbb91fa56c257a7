import { expect, test } from 'vitest';
import { createCompoundFile, createZip } from './document.fixture.ts';
import { detectDocumentFormat } from './media-format.ts';

const toBytes = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));

test.each([
  ['a PDF', toBytes('%PDF-1.7\n'), 'pdf'],
  ['a PDF after other text', toBytes(`${' '.repeat(900)}%PDF-1.4`), 'pdf'],
  ['a text that mentions a PDF', toBytes(`${'a'.repeat(2_000)}%PDF-`), undefined],
  ['an EPUB', toBytes(`PK\x03\x04${'\0'.repeat(26)}mimetypeapplication/epub+zip`), 'epub'],
  ['a DOCX', createZip('[Content_Types].xml', 'word/document.xml'), 'docx'],
  ['a PPTX', createZip('[Content_Types].xml', 'ppt/presentation.xml'), 'pptx'],
  ['an XLSX', createZip('_rels/.rels', 'xl/workbook.xml'), 'xlsx'],
  ['a ZIP of another kind', createZip('readme.txt', 'swordfish/word.xml'), undefined],
  [
    'a ZIP with a comment',
    toBytes(`${toBinaryString(createZip('xl/a'))}${'#'.repeat(300)}`),
    'xlsx',
  ],
  ['a truncated ZIP', createZip('word/document.xml').subarray(0, 60), undefined],
  ['the start of a ZIP', toBytes('PK\x03\x04'), undefined],
  ['an XLS', createCompoundFile('Root Entry', 'Workbook'), 'xls'],
  ['an older XLS', createCompoundFile('Root Entry', 'Book'), 'xls'],
  ['an older Word document', createCompoundFile('Root Entry', 'WordDocument'), undefined],
  [
    'a truncated compound file',
    createCompoundFile('Root Entry', 'Workbook').subarray(0, 300),
    undefined,
  ],
  ['a compound file with an invalid directory offset', createInvalidCompoundFile(), undefined],
  ['a text', toBytes('const a = 1;'), undefined],
  ['an empty file', toBytes(''), undefined],
])('detectDocumentFormat detects the format of %s', (_, bytes, format) => {
  expect(detectDocumentFormat(bytes)).toBe(format);
});

test('detectDocumentFormat detects no format in a ZIP file if the identifying entry is beyond the maximum number of entries', () => {
  const entryNames = Array.from({ length: 20_000 }, (_, index) => `a/${index}`);
  expect(detectDocumentFormat(createZip(...entryNames, 'word/document.xml'))).toBeUndefined();
});

function toBinaryString(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

function createInvalidCompoundFile(): Uint8Array {
  const file = createCompoundFile('Root Entry', 'Workbook');
  new DataView(file.buffer).setUint32(48, 0xffffffff, true);
  return file;
}
