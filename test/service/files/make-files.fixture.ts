import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

/** Builds a zip archive from texts by file name. Every second file is stored without compression. */
export function makeZip(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  const records: Buffer[] = [];
  let offset = 0;
  for (const [index, [name, text]] of Object.entries(files).entries()) {
    const bytes = Buffer.from(text);
    const method = index % 2 === 0 ? 8 : 0;
    const compressed = method === 8 ? deflateRawSync(bytes) : bytes;
    const sizes = [crc32(bytes), compressed.length, bytes.length];
    const file = Buffer.from(name);
    const localHeader = createHeader(0x04034b50, [20, 0, method, 0, 0], sizes, [file.length, 0]);
    const entry = createHeader(0x02014b50, [20, 20, 0, method, 0, 0], sizes, [
      file.length,
      0,
      0,
      0,
      0,
    ]);
    const offsetField = Buffer.alloc(8);
    offsetField.writeUInt32LE(offset, 4);
    records.push(entry, offsetField, file);
    parts.push(localHeader, file, compressed);
    offset += localHeader.length + file.length + compressed.length;
  }
  const directory = Buffer.concat(records);
  const count = Object.keys(files).length;
  const end = createHeader(0x06054b50, [0, 0, count, count], [directory.length, offset], [0]);
  return Buffer.concat([...parts, directory, end]);
}

function createHeader(
  signature: number,
  fixedFields: readonly number[],
  sizes: readonly number[],
  after: readonly number[],
): Buffer {
  const bytes = Buffer.alloc(4 + 2 * fixedFields.length + 4 * sizes.length + 2 * after.length);
  let offset = bytes.writeUInt32LE(signature, 0);
  for (const value of fixedFields) offset = bytes.writeUInt16LE(value, offset);
  for (const value of sizes) offset = bytes.writeUInt32LE(value >>> 0, offset);
  for (const value of after) offset = bytes.writeUInt16LE(value, offset);
  return bytes;
}

/** Builds a PDF file with one page per text, and one drawing operation per line. */
export function makePdf(pages: readonly string[], isDeflated = true): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, n) => `${4 + 2 * n} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((text, n) => [
      createPageObject(5 + 2 * n),
      createStreamObject(formatDrawingOperators(text), isDeflated),
    ]),
  ];
  const starts: number[] = [];
  let file = '%PDF-1.4\n';
  for (const [index, object] of objects.entries()) {
    starts.push(file.length);
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const rows = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows}`;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(`${file}${table}${trailer}`, 'latin1');
}

const createPageObject = (content: number): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${content} 0 R >>`;

function createStreamObject(content: string, isDeflated: boolean): string {
  const bytes = isDeflated
    ? deflateSync(Buffer.from(content, 'latin1')).toString('latin1')
    : content;
  const filter = isDeflated ? ' /Filter /FlateDecode' : '';
  return `<< /Length ${bytes.length}${filter} >>\nstream\n${bytes}\nendstream`;
}

function formatDrawingOperators(text: string): string {
  const lines = text.split('\n').map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj 0 -16 Td`);
  return `BT /F1 12 Tf 72 770 Td ${lines.join('\n')} ET`;
}
