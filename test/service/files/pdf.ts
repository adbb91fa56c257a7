import { inflateSync } from 'node:zlib';
import { extractDrawnText } from './pdf-content.ts';
import { UnreadableFileError } from './unreadable-file.ts';

const maxStreamBytes = 64 * 1024 * 1024;

/**
 * Extracts the text of a PDF file in the order of its pages in the file.
 * @throws UnreadableFileError if the file is encrypted, or contains no text (as a scan does)
 */
export function extractPdfText(bytes: Buffer): string {
  const fileText = bytes.toString('latin1');
  if (/\/Encrypt\s/.test(fileText)) throw new UnreadableFileError('The PDF file is encrypted');
  const streams = readStreams(fileText);
  const characterMap = readCharacterMaps(streams);
  const text = streams
    .filter((stream) => /\bBT\b/.test(stream))
    .map((stream) => extractDrawnText(stream, characterMap))
    .filter(Boolean)
    .join('\n\n');
  if (text === '') throw new UnreadableFileError('The PDF file has no text that can be read');
  return text;
}

/** Returns the content of uncompressed and deflated streams. Skips streams with other encodings, such as images. */
function readStreams(file: string): readonly string[] {
  const streams: string[] = [];
  const streamStartPattern = /\bstream\r?\n/g;
  let remainingBytes = maxStreamBytes;
  for (
    let match = streamStartPattern.exec(file);
    match !== null && remainingBytes > 0;
    match = streamStartPattern.exec(file)
  ) {
    const start = streamStartPattern.lastIndex;
    const dictionary = file.slice(file.lastIndexOf(' obj', match.index), match.index);
    const end = file.indexOf('endstream', start);
    if (end < 0) break;
    const stream = decodeStream(file.slice(start, end), dictionary, remainingBytes);
    remainingBytes -= stream.length;
    streams.push(stream);
    streamStartPattern.lastIndex = end + 'endstream'.length;
  }
  return streams;
}

function decodeStream(rawContent: string, dictionary: string, maxBytes: number): string {
  if (!/\/Filter\b/.test(dictionary)) return rawContent;
  const filters = dictionary.match(/\/\w+Decode\b/g) ?? [];
  if (filters.length !== 1 || filters[0] !== '/FlateDecode') return '';
  try {
    const bytes = inflateSync(Buffer.from(rawContent, 'latin1'), { maxOutputLength: maxBytes });
    return bytes.toString('latin1');
  } catch {
    return '';
  }
}

/** Reads the character maps of all fonts, which map hexadecimal codes to characters. */
function readCharacterMaps(streams: readonly string[]): ReadonlyMap<string, string> {
  const characterMap = new Map<string, string>();
  for (const stream of streams) {
    for (const [table] of stream.matchAll(/beginbfchar.*?endbfchar/gs))
      for (const [, code = '', characterHex = ''] of table.matchAll(
        /<([\da-f]+)>\s*<([\da-f]+)>/gi,
      ))
        characterMap.set(code.toLowerCase(), decodeUtf16(characterHex));
    for (const [table] of stream.matchAll(/beginbfrange.*?endbfrange/gs))
      addCharacterRanges(characterMap, table);
  }
  return characterMap;
}

const maxRangeLength = 65_536;

function addCharacterRanges(characterMap: Map<string, string>, table: string): void {
  const ranges = table.matchAll(/<([\da-f]+)>\s*<([\da-f]+)>\s*<([\da-f]+)>/gi);
  for (const [, firstCode = '', lastCode = '', characterHex = ''] of ranges) {
    const count = Math.min(maxRangeLength, parseInt(lastCode, 16) - parseInt(firstCode, 16) + 1);
    const start = parseInt(characterHex, 16);
    for (let offset = 0; offset < count; offset++) {
      const code = (parseInt(firstCode, 16) + offset).toString(16).padStart(firstCode.length, '0');
      characterMap.set(code, decodeUtf16((start + offset).toString(16).padStart(4, '0')));
    }
  }
}

const decodeUtf16 = (digits: string): string =>
  String.fromCharCode(...(digits.match(/.{4}/g) ?? []).map((unit) => parseInt(unit, 16)));
