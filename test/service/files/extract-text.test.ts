import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { extractText } from './extract-text.ts';
import { makePdf, makeZip } from './make-files.fixture.ts';
import { UnreadableFileError } from './unreadable-file.ts';

const makeWordFile = (...paragraphs: readonly string[]): Buffer =>
  makeZip({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<w:document><w:body>${paragraphs.join('')}</w:body></w:document>`,
  });

const createPdf = (content: string): Buffer =>
  Buffer.from(
    `%PDF-1.4\n1 0 obj\n<< /Length 9 >>\nstream\n${content}\nendstream\nendobj`,
    'latin1',
  );

describe('extractText', () => {
  test.each([
    [
      'a deflated PDF file',
      makePdf(['One (1)\nTwo \\ three', 'Next page']),
      'One (1)\nTwo \\ three\n\nNext page',
    ],
    ['a plain PDF file', makePdf(['Déjà vu'], false), 'Déjà vu'],
    [
      'a PDF file with kerned letters',
      createPdf('BT [(He) -20 (llo) -300 (you)] TJ ET'),
      'Hello you',
    ],
    [
      'a PDF file with horizontal moves',
      createPdf('BT (a) Tj 40 0 Td (b) Tj T* (c) Tj ET'),
      'a b\nc',
    ],
    ['a PDF file with escape sequences', createPdf('BT (\\101\\(\\)\\\nB) Tj ET'), 'A()B'],
    [
      'a PDF file with a character map',
      Buffer.concat([
        createPdf(
          '1 beginbfchar <0003> <0041> endbfchar 1 beginbfrange <0004> <0006> <00e4> endbfrange',
        ),
        createPdf('BT <00030004 0006> Tj ET'),
      ]),
      'Aäæ',
    ],
    [
      'a Word document',
      makeWordFile(
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Plan</w:t></w:r></w:p>',
        '<w:p><w:r><w:t xml:space="preserve">Tea </w:t></w:r><w:r><w:t>&amp; cake</w:t><w:tab/><w:t>4</w:t></w:r></w:p><w:p/>',
      ),
      '# Plan\n\nTea & cake\t4',
    ],
    [
      'slides in order',
      makeZip({
        'ppt/presentation.xml': '',
        'ppt/slides/slide10.xml': '<a:p><a:r><a:t>Ten</a:t></a:r></a:p>',
        'ppt/slides/slide2.xml': '<a:p><a:r><a:t>Two</a:t></a:r></a:p>',
      }),
      '## Slide 2\n\nTwo\n\n## Slide 10\n\nTen',
    ],
    [
      'a spreadsheet',
      makeZip({
        'xl/workbook.xml': '<sheets><sheet name="Costs &lt;EU&gt;" sheetId="1"/></sheets>',
        'xl/sharedStrings.xml': '<sst><si><t>Rent</t></si></sst>',
        'xl/worksheets/sheet1.xml':
          '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>7.5</v></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>Sum</t></is></c><c r="B2"/></row>',
      }),
      '## Costs <EU>\n\nRent\t7.5\nSum\t',
    ],
    [
      'a book in reading order',
      makeZip({
        'META-INF/container.xml': '<rootfile full-path="OEBPS/book.opf"/>',
        'OEBPS/book.opf':
          '<item id="b" href="b.xhtml"/><item id="a" href="a.xhtml"/><itemref idref="a"/><itemref idref="b"/>',
        'OEBPS/b.xhtml': '<html><body><p>Then</p></body></html>',
        'OEBPS/a.xhtml': '<html><head><title>x</title></head><body><h2>First</h2></body></html>',
      }),
      '## First\n\nThen',
    ],
    ['a text file', Buffer.from('\uFEFFa\r\nb'), 'a\nb'],
    ['a text file in UTF-16', Buffer.from('\uFEFFgrün', 'utf16le'), 'grün'],
    ['an empty file', Buffer.alloc(0), ''],
  ])('extracts the text of %s', (_, bytes, expected) => {
    // The last row has cells without text.
    expect(extractText(bytes)).toBe(expected.trim());
  });
});

const zip = makeZip({ 'word/document.xml': '<w:p><w:r><w:t>Hello</w:t></w:r></w:p>' });

/** Returns a copy of the archive with the byte at `offset` replaced. A negative offset counts from the end. */
function corruptArchive(offset: number, value: number): Buffer {
  const bytes = Buffer.from(zip);
  bytes[offset < 0 ? bytes.length + offset : offset] = value;
  return bytes;
}

describe('extractText with an unreadable file', () => {
  test.each([
    ['an encrypted PDF file', Buffer.from('%PDF-1.4\ntrailer << /Encrypt 5 0 R >>')],
    ['a scanned PDF file', createPdf('q 1 0 0 1 0 0 cm /Im0 Do Q')],
    ['a PDF file that ends early', Buffer.from('%PDF-1.4\n1 0 obj << >> stream\nBT (a) Tj')],
    [
      'a PDF file with an invalid stream',
      Buffer.from('%PDF-\n1 0 obj << /Filter /FlateDecode >>\nstream\nxyz\nendstream'),
    ],
    ['an archive without an office document', makeZip({ 'a.txt': 'a' })],
    ['a truncated archive', zip.subarray(0, -30)],
    ['an archive with an invalid offset', corruptArchive(-4, 0xff)],
    [
      'an archive with an unknown compression method',
      corruptArchive(zip.indexOf('PK\u0001\u0002') + 10, 99),
    ],
    ['an encrypted archive', corruptArchive(zip.indexOf('PK\u0001\u0002') + 8, 1)],
    ['an archive with damaged bytes', corruptArchive(48, 0xff)],
    ['an image', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])],
    ['a spreadsheet in the former format', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
    ['bytes that are not text', Buffer.from([0, 1, 2, 3])],
  ])('throws for %s', (_, bytes) => {
    expect(() => extractText(bytes)).toThrow(UnreadableFileError);
  });

  test('throws for an archive whose decompressed size exceeds the limit', () => {
    const oversizedArchive = makeZip({ 'word/document.xml': ' '.repeat(70 * 1024 * 1024) });
    expect(() => extractText(oversizedArchive)).toThrow(UnreadableFileError);
  });

  test('ignores a PDF stream whose decompressed size exceeds the limit', () => {
    const compressedStream = deflateSync(Buffer.alloc(70 * 1024 * 1024, 'BT (a) Tj ET ')).toString(
      'latin1',
    );
    const pdfStart = '%PDF-1.4\n1 0 obj << /Filter /FlateDecode >>\nstream\n';
    const bytes = Buffer.from(`${pdfStart}${compressedStream}\nendstream`, 'latin1');
    expect(() => extractText(bytes)).toThrow(UnreadableFileError);
  });
});
