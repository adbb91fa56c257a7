import { latin1 } from '../base/image-format.ts';

/** Documents that the service turns into text (service facts §1.2). Text itself is none. */
export type DocumentFormat = 'pdf' | 'epub' | 'docx' | 'pptx' | 'xlsx' | 'xls';

/** What a file's bytes say it is; its name says nothing. */
export function documentFormat(bytes: Uint8Array): DocumentFormat | undefined {
  if (latin1(bytes, 0, 1_024).includes('%PDF-')) return 'pdf';
  if (latin1(bytes, 0, 4) === 'PK\x03\x04') return zipFormat(bytes);
  return latin1(bytes, 0, 8) === compoundStart && hasWorkbook(bytes) ? 'xls' : undefined;
}

/** How an older office document begins, of whichever program. */
const compoundStart = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';

/** An EPUB says what it is in its first entry; the others by the folder that their parts are in. */
function zipFormat(bytes: Uint8Array): DocumentFormat | undefined {
  if (latin1(bytes, 30, 58) === 'mimetypeapplication/epub+zip') return 'epub';
  for (const name of entryNames(bytes)) {
    if (name.startsWith('word/')) return 'docx';
    if (name.startsWith('ppt/')) return 'pptx';
    if (name.startsWith('xl/')) return 'xlsx';
  }
  return undefined;
}

const mostEntries = 10_000;
const endRecord = 22;
const entryHeader = 46;

/** The names in a ZIP's central directory; fewer where it is not as it should be. */
function* entryNames(bytes: Uint8Array): Generator<string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endOf(view);
  if (end === undefined) return;
  let at = view.getUint32(end + 16, true);
  for (let count = 0; count < mostEntries && at + entryHeader <= end; count += 1) {
    if (view.getUint32(at, true) !== 0x02014b50) return;
    const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    yield latin1(bytes, at + entryHeader, at + entryHeader + (name ?? 0));
    at += entryHeader + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
}

/** Where the record that ends a ZIP is; a comment of up to 64 KB may follow it. */
function endOf(view: DataView): number | undefined {
  const last = view.byteLength - endRecord;
  for (let at = last; at >= Math.max(0, last - 65_535); at -= 1) {
    if (view.getUint32(at, true) === 0x06054b50) return at;
  }
  return undefined;
}

/** The stream of a spreadsheet has one of two names, in UTF-16. */
function hasWorkbook(bytes: Uint8Array): boolean {
  for (let at = directoryAt(bytes); at + 128 <= bytes.length; at += 128) {
    const name = latin1(bytes, at, at + 64).replaceAll('\0', '');
    if (name === 'Workbook' || name === 'Book') return true;
    if (name === '') return false;
  }
  return false;
}

/** Where the directory of a compound file begins; behind its end where the file is not as it should be. */
function directoryAt(bytes: Uint8Array): number {
  if (bytes.length < 512) return bytes.length;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const power = view.getUint16(30, true);
  if (power !== 9 && power !== 12) return bytes.length;
  return (view.getUint32(48, true) + 1) * 2 ** power;
}

/** What pictures of a message are sent as; the others are converted to one of these. */
export type SentPictureFormat = 'png' | 'jpeg' | 'webp';

interface MediaFormat {
  readonly mediaType: string;
  readonly ending: string;
}

const office = 'application/vnd.openxmlformats-officedocument.';

export const mediaFormats: Readonly<Record<SentPictureFormat | DocumentFormat, MediaFormat>> = {
  png: { mediaType: 'image/png', ending: '.png' },
  jpeg: { mediaType: 'image/jpeg', ending: '.jpg' },
  webp: { mediaType: 'image/webp', ending: '.webp' },
  pdf: { mediaType: 'application/pdf', ending: '.pdf' },
  epub: { mediaType: 'application/epub+zip', ending: '.epub' },
  docx: { mediaType: `${office}wordprocessingml.document`, ending: '.docx' },
  pptx: { mediaType: `${office}presentationml.presentation`, ending: '.pptx' },
  xlsx: { mediaType: `${office}spreadsheetml.sheet`, ending: '.xlsx' },
  xls: { mediaType: 'application/vnd.ms-excel', ending: '.xls' },
};
