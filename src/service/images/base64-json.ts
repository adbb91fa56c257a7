import * as l10n from '@vscode/l10n';
import { unexpectedResponseError } from '../http/response.ts';
import type { ImageEvent } from './image-types.ts';
import { JsonPosition, JsonStringDecoder } from './json-position.ts';
import { BoundedBuffer, ImageTextDecoder } from './base64-text.ts';

export type ImageDataEvent = Extract<
  ImageEvent,
  { type: 'image-start' | 'image-bytes' | 'image-end' }
>;

/** Maximum number of strings at image positions, including empty ones. */
const maxImageStrings = 16;
/** Maximum length of other strings. Longer strings, such as a request image that the response repeats, become empty. */
const maxStringLength = 16 * 1024;
/** Maximum number of stored bytes, excluding images. */
const maxRestBytes = 256 * 1024;
/**
 * Maximum number of processed bytes outside of images and truncated strings. Limits the processing time of many small
 * values.
 */
const maxSmallBytes = 2 * 1024 * 1024;
const maxKeyLength = 64;

const [quote, backslash, space] = [0x22, 0x5c, 0x20];

export interface ImageLimits {
  /** Number of requested images. */
  readonly maxImages: number;
  /** Maximum bytes of one image. */
  readonly maxImageBytes: number;
}

/** A partially received string that is not an image. */
interface PlainString {
  /** Text of the string if it is a field name. */
  key: string | undefined;
  /** Start offset in the stored bytes. */
  readonly start: number;
  length: number;
  escaped: boolean;
}

/** A partially received image. */
interface ImageString {
  readonly json: JsonStringDecoder;
  readonly text: ImageTextDecoder;
  hasBegun: boolean;
}

/**
 * Incremental reader of a JSON response with images: `images[]` of strings (spec §2.5), or `data[]` of objects with
 * `b64_json` or `url` (spec §4.7). Decodes images chunk by chunk and stores the rest in a small buffer, so memory use does
 * not depend on image size. Empty strings are not images. Stops when an image beyond the requested number starts.
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

  /** Checks whether the received bytes can be the complete response. */
  get isComplete(): boolean {
    return this.#string === undefined && this.#image === undefined && this.#position.depth <= 0;
  }

  /** Checks whether another image started after all requested images were complete. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** Number of complete images. */
  get count(): number {
    return this.#imageIndex;
  }

  /**
   * Yields the events of the next bytes, each before the following bytes are processed.
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

  /** The response with empty strings in place of its images; `undefined` if it exceeded the limit. */
  get rest(): string | undefined {
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

  /** Emits image bytes. An image starts with its first byte, because an empty string is not an image. */
  #emitBytes(image: ImageString, bytes: Buffer): void {
    if (bytes.length === 0) return;
    const index = this.#imageIndex;
    if (!image.hasBegun) this.#events.push({ type: 'image-start', index });
    image.hasBegun = true;
    this.#events.push({ type: 'image-bytes', index, bytes });
  }
}

const tooMuchDataError = () =>
  unexpectedResponseError(l10n.t('The reply has too much beside its pictures.'));
