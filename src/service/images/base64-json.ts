import * as l10n from '@vscode/l10n';
import { unexpectedResponseError } from '../http/response.ts';
import type { ImageEvent } from './image-types.ts';
import { JsonPosition, JsonStringDecoder } from './json-position.ts';
import { BoundedBuffer, ImageTextDecoder } from './base64-text.ts';

export type ImageDataEvent = Extract<
  ImageEvent,
  { type: 'image-start' | 'image-bytes' | 'image-end' }
>;

/** Maximum number of strings in the fields for images, including empty strings. */
const maxImageStrings = 16;
/**
 * Maximum length in bytes of a string that is not an image. A longer string, such as a request image that the response
 * repeats, is replaced with an empty string.
 */
const maxStringLength = 16 * 1024;
/** Maximum number of stored bytes. Images are not stored. */
const maxRestBytes = 256 * 1024;
/**
 * Maximum number of processed bytes, excluding images and replaced strings. Limits the processing time for many small
 * values.
 */
const maxSmallBytes = 2 * 1024 * 1024;
const maxKeyLength = 64;

const [quote, backslash, space] = [0x22, 0x5c, 0x20];

export interface ImageLimits {
  /** Number of requested images. */
  readonly maxImages: number;
  /** Maximum size of one image in bytes. */
  readonly maxImageBytes: number;
}

/** State of a string that is not an image, while it is received. */
interface PlainString {
  /** Text received so far if the string is a field name. Undefined for other strings. */
  key: string | undefined;
  /** Offset of the string in the stored bytes. */
  readonly start: number;
  length: number;
  escaped: boolean;
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
  readonly #restBuffer = new BoundedBuffer(maxRestBytes);
  readonly #position = new JsonPosition();
  readonly #events: ImageDataEvent[] = [];
  #string: PlainString | undefined;
  #image: ImageString | undefined;
  #imageStrings = 0;
  #imageIndex = 0;
  #smallBytes = 0;
  #isAfterSpace = false;
  #hasMore = false;

  constructor(limits: ImageLimits) {
    this.#limits = limits;
  }

  /** True if the received bytes can be a complete response. */
  get isComplete(): boolean {
    return this.#string === undefined && this.#image === undefined && this.#position.depth <= 0;
  }

  /** True if the reader stopped because the response contains more images than requested. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** Number of images received completely. */
  get count(): number {
    return this.#imageIndex;
  }

  /**
   * Reads bytes and yields their events. Yields each event before it processes the bytes that follow.
   * @throws ServiceError `unexpected-response` for an invalid image, or for far more other data than the service sends.
   */
  *feed(chunk: Uint8Array): Generator<ImageDataEvent> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let offset = 0; offset < bytes.length && !this.#hasMore;) {
      if (this.#image !== undefined) offset = this.#readImage(this.#image, bytes, offset);
      else if (this.#string !== undefined) offset = this.#readString(this.#string, bytes, offset);
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

  #readStructure(bytes: Buffer, from: number): number {
    for (let offset = from; offset < bytes.length; offset++) {
      const byte = bytes[offset] ?? 0;
      this.#countSmallByte();
      if (byte === quote) {
        this.#beginString();
        return offset + 1;
      }
      this.#position.processByte(byte);
      const isSpace = byte === space || byte === 0x0a || byte === 0x0d || byte === 0x09;
      if (!isSpace) this.#restBuffer.add(byte);
      else if (!this.#isAfterSpace) this.#restBuffer.add(space);
      this.#isAfterSpace = isSpace;
    }
    return bytes.length;
  }

  #beginString(): void {
    const { isKeyNext, isImage } = this.#position;
    this.#isAfterSpace = false;
    if (isKeyNext || !isImage) {
      const start = this.#restBuffer.length;
      this.#string = { key: isKeyNext ? '' : undefined, start, length: 0, escaped: false };
      this.#restBuffer.add(quote);
      return;
    }
    if (++this.#imageStrings > maxImageStrings) throw tooMuchDataError();
    this.#hasMore = this.#imageIndex === this.#limits.maxImages;
    const text = new ImageTextDecoder(this.#limits.maxImageBytes);
    this.#image = { json: new JsonStringDecoder(), text, hasBegun: false };
  }

  #readString(string: PlainString, bytes: Buffer, from: number): number {
    for (let offset = from; offset < bytes.length; offset++) {
      const byte = bytes[offset] ?? 0;
      if (byte === quote && !string.escaped) {
        this.#endString(string);
        return offset + 1;
      }
      string.escaped = byte === backslash && !string.escaped;
      if (++string.length <= maxStringLength) {
        this.#restBuffer.add(byte);
        this.#countSmallByte();
      }
      if (string.key !== undefined && string.length <= maxKeyLength) {
        string.key += String.fromCharCode(byte);
      }
    }
    return bytes.length;
  }

  #endString({ key, start, length }: PlainString): void {
    if (length > maxStringLength) this.#restBuffer.truncate(start + 1);
    this.#restBuffer.add(quote);
    this.#countSmallByte();
    if (key !== undefined) this.#position.enterField(length > maxKeyLength ? '' : key);
    this.#string = undefined;
  }

  #countSmallByte(): void {
    if (++this.#smallBytes > maxSmallBytes) throw tooMuchDataError();
  }

  #readImage(image: ImageString, bytes: Buffer, from: number): number {
    const { text, next, isEnd } = image.json.read(bytes, from);
    this.#emitBytes(image, image.text.feed(text));
    if (isEnd) this.#endImage(image);
    return next;
  }

  #endImage(image: ImageString): void {
    this.#emitBytes(image, image.text.end());
    if (image.hasBegun) this.#events.push({ type: 'image-end', index: this.#imageIndex++ });
    this.#restBuffer.add(quote);
    this.#restBuffer.add(quote);
    this.#image = undefined;
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

const tooMuchDataError = () =>
  unexpectedResponseError(l10n.t('The reply has too much beside its images.'));
