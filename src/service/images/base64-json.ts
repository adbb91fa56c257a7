import * as l10n from '@vscode/l10n';
import { createUnexpectedResponseError } from '../http/response.ts';
import type { ImageEvent } from './image-types.ts';
import { BoundedBuffer, ImageTextDecoder } from './base64-text.ts';
import { parseJson } from '../../base/json.ts';

export type ImageDataEvent = Extract<
  ImageEvent,
  { type: 'image-start' | 'image-bytes' | 'image-end' }
>;

/** Maximum number of strings, including empty strings, in the fields of a response that can contain images. */
const maxStringsInImageFields = 16;
/**
 * Maximum length in bytes of a stored string that is not an image. A longer string, such as a copy of an image in the
 * request, is replaced with an empty string.
 */
const maxStringLength = 16 * 1024;
/** Maximum number of bytes of the response to store, excluding images. */
const maxStoredBytes = 256 * 1024;
/**
 * Maximum number of bytes of the response to process, excluding images and replaced strings. Limits the processing time
 * of a response with many small values.
 */
const maxProcessedBytes = 2 * 1024 * 1024;
const maxKeyLength = 64;

const [quote, backslash, slash, space] = [0x22, 0x5c, 0x2f, 0x20];

export interface ImageLimits {
  /** Number of requested images. */
  readonly maxImages: number;
  readonly maxImageBytes: number;
}

/** State of a string that is not an image, while it is received. */
interface PlainString {
  /** Text received so far if the string is a field name; undefined if the string is a value. */
  key: string | undefined;
  /** Offset of the string in the stored bytes. */
  readonly start: number;
  length: number;
  isEscaped: boolean;
}

/** State of an image while it is received. */
interface ImageString {
  readonly json: JsonStringDecoder;
  readonly text: ImageTextDecoder;
  hasBegun: boolean;
}

/**
 * Reads a JSON response with images in chunks. Images are strings in `images[]` (spec §2.5), or the fields `b64_json`
 * or `url` of objects in `data[]` (spec §4.7). Decodes images immediately and stores only other values, so memory use
 * does not depend on the image size. Ignores empty image strings. Stops when an image beyond the requested number
 * starts.
 */
export class ImageJsonReader {
  readonly #limits: ImageLimits;
  readonly #restBuffer = new BoundedBuffer(maxStoredBytes);
  readonly #position = new JsonPosition();
  readonly #events: ImageDataEvent[] = [];
  #plainString: PlainString | undefined;
  #imageString: ImageString | undefined;
  #imageStringCount = 0;
  #imageIndex = 0;
  #processedByteCount = 0;
  #isAfterSpace = false;
  #hasMore = false;

  constructor(limits: ImageLimits) {
    this.#limits = limits;
  }

  /** True if the bytes received so far are a complete JSON value. */
  get isComplete(): boolean {
    return (
      this.#plainString === undefined &&
      this.#imageString === undefined &&
      this.#position.depth <= 0
    );
  }

  /** True if reading stopped because the response contains more images than requested. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** Number of images received completely. */
  get receivedImageCount(): number {
    return this.#imageIndex;
  }

  /**
   * Reads bytes and yields their events. Yields each event before it processes the bytes that follow.
   * @throws ServiceError `unexpected-response` if an image is invalid, or if the other data exceeds a size limit
   */
  *feed(chunk: Uint8Array): Generator<ImageDataEvent> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let offset = 0; offset < bytes.length && !this.#hasMore;) {
      if (this.#imageString !== undefined)
        offset = this.#readImage(this.#imageString, bytes, offset);
      else if (this.#plainString !== undefined)
        offset = this.#readString(this.#plainString, bytes, offset);
      else offset = this.#readStructure(bytes, offset);
      yield* this.#events.splice(0);
    }
  }

  /**
   * JSON text of the response, with an empty string in place of each image. Undefined if the size limit was exceeded.
   */
  get remainingJson(): string | undefined {
    return this.#restBuffer.text;
  }

  #readStructure(bytes: Buffer, startOffset: number): number {
    for (let offset = startOffset; offset < bytes.length; offset++) {
      const byte = bytes[offset] ?? 0;
      this.#countProcessedByte();
      if (byte === quote) {
        this.#beginString();
        return offset + 1;
      }
      this.#position.processByte(byte);
      const isSpace = byte === space || byte === 0x0a || byte === 0x0d || byte === 0x09;
      if (!isSpace) this.#restBuffer.addByte(byte);
      else if (!this.#isAfterSpace) this.#restBuffer.addByte(space);
      this.#isAfterSpace = isSpace;
    }
    return bytes.length;
  }

  #beginString(): void {
    const { isKeyNext, isImage } = this.#position;
    this.#isAfterSpace = false;
    if (isKeyNext || !isImage) {
      const start = this.#restBuffer.length;
      this.#plainString = { key: isKeyNext ? '' : undefined, start, length: 0, isEscaped: false };
      this.#restBuffer.addByte(quote);
      return;
    }
    if (++this.#imageStringCount > maxStringsInImageFields) throw createTooMuchDataError();
    this.#hasMore = this.#imageIndex === this.#limits.maxImages;
    const text = new ImageTextDecoder(this.#limits.maxImageBytes);
    this.#imageString = { json: new JsonStringDecoder(), text, hasBegun: false };
  }

  #readString(string: PlainString, bytes: Buffer, startOffset: number): number {
    for (let offset = startOffset; offset < bytes.length; offset++) {
      const byte = bytes[offset] ?? 0;
      if (byte === quote && !string.isEscaped) {
        this.#endString(string);
        return offset + 1;
      }
      string.isEscaped = byte === backslash && !string.isEscaped;
      if (++string.length <= maxStringLength) {
        this.#restBuffer.addByte(byte);
        this.#countProcessedByte();
      }
      if (string.key !== undefined && string.length <= maxKeyLength) {
        string.key += String.fromCharCode(byte);
      }
    }
    return bytes.length;
  }

  #endString({ key, start, length }: PlainString): void {
    if (length > maxStringLength) this.#restBuffer.truncateTo(start + 1);
    this.#restBuffer.addByte(quote);
    this.#countProcessedByte();
    if (key !== undefined) this.#position.enterField(length > maxKeyLength ? '' : key);
    this.#plainString = undefined;
  }

  #countProcessedByte(): void {
    if (++this.#processedByteCount > maxProcessedBytes) throw createTooMuchDataError();
  }

  #readImage(image: ImageString, bytes: Buffer, startOffset: number): number {
    const { text, nextOffset, isEnd } = image.json.read(bytes, startOffset);
    this.#emitBytes(image, image.text.feed(text));
    if (isEnd) this.#endImage(image);
    return nextOffset;
  }

  #endImage(image: ImageString): void {
    this.#emitBytes(image, image.text.end());
    if (image.hasBegun) this.#events.push({ type: 'image-end', index: this.#imageIndex++ });
    this.#restBuffer.addByte(quote);
    this.#restBuffer.addByte(quote);
    this.#imageString = undefined;
  }

  /** Emits decoded bytes. Emits `image-start` with the first byte, because an empty string is not an image. */
  #emitBytes(image: ImageString, bytes: Buffer): void {
    if (bytes.length === 0) return;
    const index = this.#imageIndex;
    if (!image.hasBegun) this.#events.push({ type: 'image-start', index });
    image.hasBegun = true;
    this.#events.push({ type: 'image-bytes', index, bytes });
  }
}

const createTooMuchDataError = () =>
  createUnexpectedResponseError(l10n.t('The reply is larger than expected.'));

const [objectStart, objectEnd, listStart, listEnd] = [0x7b, 0x7d, 0x5b, 0x5d];
const [comma, colon] = [0x2c, 0x3a];

/** Maximum nesting depth of an image string. */
const maxImageDepth = 3;

/** Tracks the nesting depth and field names at the read position of a JSON text, to detect image strings. */
export class JsonPosition {
  /** Number of objects and lists that are open at the position. */
  depth = 0;
  /** True if the next string is a field name. */
  isKeyNext = false;
  readonly #kinds: number[] = [];
  readonly #keys: string[] = [];

  /** Moves past a byte that is not part of a string. */
  processByte(byte: number): void {
    if (byte === objectStart || byte === listStart) this.#openContainer(byte);
    else if (byte === objectEnd || byte === listEnd) this.#closeContainer();
    else if (byte === comma) this.isKeyNext = this.#getContainerKind(this.depth) === objectStart;
    else if (byte === colon) this.isKeyNext = false;
  }

  /**
   * Records that the value of a field of the current object follows.
   * @param name Field name as in the JSON text, with escapes.
   */
  enterField(name: string): void {
    if (this.depth <= maxImageDepth) this.#keys[this.depth] = unescapeJson(name);
  }

  /** Checks whether a string value at the position is an image. */
  get isImage(): boolean {
    if (this.#getContainerKind(1) !== objectStart || this.#getContainerKind(2) !== listStart)
      return false;
    if (this.depth === 2) return this.#keys[1] === 'images';
    if (this.depth !== 3 || this.#getContainerKind(3) !== objectStart) return false;
    return this.#keys[1] === 'data' && (this.#keys[3] === 'b64_json' || this.#keys[3] === 'url');
  }

  #openContainer(byte: number): void {
    this.depth++;
    this.isKeyNext = byte === objectStart;
    if (this.depth > maxImageDepth) return;
    this.#kinds[this.depth] = byte;
    this.#keys[this.depth] = '';
  }

  #closeContainer(): void {
    this.depth--;
    this.isKeyNext = false;
  }

  #getContainerKind(depth: number): number | undefined {
    return depth <= this.depth && depth <= maxImageDepth ? this.#kinds[depth] : undefined;
  }
}

/** Resolves the escapes in a field name. Returns an empty string if an escape is invalid. */
function unescapeJson(name: string): string {
  const value = name.includes('\\') ? parseJson(`"${name}"`) : name;
  return typeof value === 'string' ? value : '';
}

/**
 * Decodes JSON strings of ASCII characters in chunks and resolves escapes. Replaces each character outside of ASCII
 * with an invalid byte, so that the base64 decoder rejects it.
 */
export class JsonStringDecoder {
  /** Characters of an escape that is not complete. Empty between escapes. */
  #partialEscape = '';

  /**
   * Decodes the bytes from `startOffset` to the closing quote or to the end. `nextOffset` is the offset after
   * the decoded bytes and the quote.
   */
  read(bytes: Buffer, startOffset: number): { text: Buffer; nextOffset: number; isEnd: boolean } {
    const end = getIndexOrEnd(bytes.indexOf(quote, startOffset), bytes.length);
    const escapeOffset = bytes.indexOf(backslash, startOffset);
    if (this.#partialEscape !== '' || (escapeOffset >= 0 && escapeOffset < end))
      return this.#unescapeBytes(bytes, startOffset);
    const isEnd = end < bytes.length;
    return { text: bytes.subarray(startOffset, end), nextOffset: isEnd ? end + 1 : end, isEnd };
  }

  #unescapeBytes(
    bytes: Buffer,
    startOffset: number,
  ): { text: Buffer; nextOffset: number; isEnd: boolean } {
    const text = Buffer.allocUnsafe(bytes.length - startOffset);
    let length = 0;
    let index = startOffset;
    for (;;) {
      for (; this.#partialEscape !== '' && index < bytes.length; index++) {
        const characterCode = this.#continueEscape(bytes[index] ?? 0);
        if (characterCode !== undefined) text[length++] = characterCode;
      }
      // A separate inner loop for unescaped text is fast.
      let byte = bytes[index];
      for (; byte !== undefined && byte !== backslash && byte !== quote; byte = bytes[++index]) {
        text[length++] = byte;
      }
      if (byte !== backslash) break;
      this.#partialEscape = '\\';
      index++;
    }
    const isEnd = index < bytes.length;
    return { text: text.subarray(0, length), nextOffset: isEnd ? index + 1 : index, isEnd };
  }

  #continueEscape(byte: number): number | undefined {
    // The escape `\/` is the most frequent escape in base64.
    if (byte === slash && this.#partialEscape === '\\') {
      this.#partialEscape = '';
      return slash;
    }
    this.#partialEscape += String.fromCharCode(byte);
    if (this.#partialEscape.startsWith('\\u') && this.#partialEscape.length < 6) return undefined;
    const character = unescapeCharacter(this.#partialEscape);
    this.#partialEscape = '';
    return character;
  }
}

const nonAsciiByte = 0xff;

function unescapeCharacter(escape: string): number {
  if (escape.startsWith('\\u')) {
    const code = Number(`0x${escape.slice(2)}`);
    return code < 0x80 ? code : nonAsciiByte;
  }
  return simpleEscapes.get(escape) ?? nonAsciiByte;
}

const simpleEscapes = new Map(
  Object.entries({
    '\\/': '/',
    '\\"': '"',
    '\\\\': '\\',
    '\\b': '\b',
    '\\f': '\f',
    '\\n': '\n',
    '\\r': '\r',
    '\\t': '\t',
  }).map(([escape, character]) => [escape, character.charCodeAt(0)]),
);

const getIndexOrEnd = (index: number, end: number): number => (index < 0 ? end : index);
