import { extractOfficeText } from './office.ts';
import { extractPdfText } from './pdf.ts';
import { UnreadableFileError } from './unreadable-file.ts';
import { Zip } from './zip.ts';

/** Maximum size of a file in bytes. */
export const maxFileBytes = 25 * 1024 * 1024;
const maxCharacters = 5_000_000;

/**
 * Extracts the text of a PDF, DOCX, PPTX, XLSX, EPUB or plain text file. Detects the format by the bytes.
 * @throws UnreadableFileError if the file has another format
 */
export function extractText(bytes: Buffer): string {
  return readText(bytes).replaceAll('\r\n', '\n').trim().slice(0, maxCharacters);
}

function readText(bytes: Buffer): string {
  if (bytes.subarray(0, 1024).includes('%PDF-')) return extractPdfText(bytes);
  if (bytes.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) {
    const text = extractOfficeText(new Zip(bytes));
    if (text !== undefined) return text;
    throw new UnreadableFileError('The archive is no document');
  }
  return decodeText(bytes);
}

function decodeText(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    const text = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\u0000')) return text;
  } catch {
    // The error below covers this case.
  }
  throw new UnreadableFileError('The file is no text');
}
