import { decodeLatin1 } from '../base/image-format.ts';

/** Document formats, except plain text, from which the service extracts text. */
export type DocumentFormat = 'pdf' | 'epub' | 'docx' | 'pptx' | 'xlsx' | 'xls';

/** Detects the format of a document from its content. Returns undefined for other files. */
export function detectDocumentFormat(bytes: Uint8Array): DocumentFormat | undefined {
  if (decodeLatin1(bytes, 0, 1_024).includes('%PDF-')) return 'pdf';
  if (decodeLatin1(bytes, 0, 4) === 'PK\x03\x04') return detectZipFormat(bytes);
  return decodeLatin1(bytes, 0, 8) === compoundFileSignature && hasWorkbook(bytes)
    ? 'xls'
    : undefined;
}

/** Signature of OLE compound files, shared by all older Office formats. */
const compoundFileSignature = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';

/**
 * Detects the format of a document in a ZIP file: EPUB by the name and content of the first entry, an Office format by
 * the name of a folder. Returns undefined for other ZIP files.
 */
function detectZipFormat(bytes: Uint8Array): DocumentFormat | undefined {
  if (decodeLatin1(bytes, 30, 58) === 'mimetypeapplication/epub+zip') return 'epub';
  for (const name of readEntryNames(bytes)) {
    if (name.startsWith('word/')) return 'docx';
    if (name.startsWith('ppt/')) return 'pptx';
    if (name.startsWith('xl/')) return 'xlsx';
  }
  return undefined;
}

const maxEntries = 10_000;
const endRecordLength = 22;
const entryHeaderLength = 46;

/** Yields the file names in the central directory of a ZIP file. Stops at the first malformed entry. */
function* readEntryNames(bytes: Uint8Array): Generator<string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const endOffset = findEndRecordOffset(view);
  if (endOffset === undefined) return;
  let offset = view.getUint32(endOffset + 16, true);
  for (let count = 0; count < maxEntries && offset + entryHeaderLength <= endOffset; count += 1) {
    if (view.getUint32(offset, true) !== 0x02014b50) return;
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((fieldOffset) =>
      view.getUint16(offset + fieldOffset, true),
    );
    yield decodeLatin1(
      bytes,
      offset + entryHeaderLength,
      offset + entryHeaderLength + (nameLength ?? 0),
    );
    offset += entryHeaderLength + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
}

/**
 * Returns the offset of the end-of-central-directory record; undefined if the file contains no such record. A comment
 * of up to 64 KB can follow the record.
 */
function findEndRecordOffset(view: DataView): number | undefined {
  const lastOffset = view.byteLength - endRecordLength;
  for (let offset = lastOffset; offset >= Math.max(0, lastOffset - 65_535); offset -= 1) {
    if (view.getUint32(offset, true) === 0x06054b50) return offset;
  }
  return undefined;
}

/**
 * Checks whether a compound file contains a spreadsheet, that is, a stream with the UTF-16 name `Workbook` or `Book`.
 */
function hasWorkbook(bytes: Uint8Array): boolean {
  for (let offset = findDirectoryOffset(bytes); offset + 128 <= bytes.length; offset += 128) {
    const name = decodeLatin1(bytes, offset, offset + 64).replaceAll('\0', '');
    if (name === 'Workbook' || name === 'Book') return true;
    if (name === '') return false;
  }
  return false;
}

/**
 * Returns the offset of the directory in an OLE compound file. Returns the file length if the header is invalid, so
 * that no directory entry is read.
 */
function findDirectoryOffset(bytes: Uint8Array): number {
  if (bytes.length < 512) return bytes.length;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sectorShift = view.getUint16(30, true);
  if (sectorShift !== 9 && sectorShift !== 12) return bytes.length;
  return (view.getUint32(48, true) + 1) * 2 ** sectorShift;
}

/** Image formats that requests can contain. The chat page converts images of other formats. */
export type SentImageFormat = 'png' | 'jpeg' | 'webp';

interface MediaFormat {
  readonly mediaType: string;
  readonly extension: string;
}

const officeMediaType = 'application/vnd.openxmlformats-officedocument.';

export const mediaFormats: Readonly<Record<SentImageFormat | DocumentFormat, MediaFormat>> = {
  png: { mediaType: 'image/png', extension: '.png' },
  jpeg: { mediaType: 'image/jpeg', extension: '.jpg' },
  webp: { mediaType: 'image/webp', extension: '.webp' },
  pdf: { mediaType: 'application/pdf', extension: '.pdf' },
  epub: { mediaType: 'application/epub+zip', extension: '.epub' },
  docx: { mediaType: `${officeMediaType}wordprocessingml.document`, extension: '.docx' },
  pptx: { mediaType: `${officeMediaType}presentationml.presentation`, extension: '.pptx' },
  xlsx: { mediaType: `${officeMediaType}spreadsheetml.sheet`, extension: '.xlsx' },
  xls: { mediaType: 'application/vnd.ms-excel', extension: '.xls' },
};
