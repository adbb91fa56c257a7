import * as l10n from '@vscode/l10n';
import { unexpectedResponseError } from '../http/response.ts';
import type { ImageEvent } from './image-types.ts';
import { JsonPosition, JsonStringDecoder } from './json-position.ts';
import { BoundedBuffer, ImageTextDecoder } from './base64-text.ts';

export type ImageDataEvent = Extract<
  ImageEvent,
  { type: 'image-start' | 'image-bytes' | 'image-end' }
>;

/** More strings than this where pictures stand, empty ones too, are the answer to no request. */
const maxImageStrings = 16;
/** A longer string elsewhere, such as a picture that the service repeats from the request, reads as empty. */
const maxStringLength = 16 * 1024;
/** What is kept of all but the pictures. */
const maxRestBytes = 256 * 1024;
/** What is read of all but the pictures and the ends of longer strings: a reply of small parts costs time for each. */
const maxSmallBytes = 2 * 1024 * 1024;
const maxKeyLength = 64;

const [quote, backslash, space] = [0x22, 0x5c, 0x20];

export interface ImageLimits {
  /** How many were asked for. */
  readonly maxImages: number;
  /** Most bytes of one. */
  readonly maxImageBytes: number;
}

/** A string that is no picture, of which a part has come. */
interface PlainString {
  /** Its own text when it is the name of a field. */
  key: string | undefined;
  /** Where it begins in what is kept. */
  readonly start: number;
  length: number;
  escaped: boolean;
}

/** A picture of which a part has come. */
interface PictureString {
  readonly json: JsonStringDecoder;
  readonly text: ImageTextDecoder;
  hasBegun: boolean;
}

/**
 * A JSON reply with pictures in it, read as it comes: `images[]` of strings (spec §2.5), or `data[]` of objects with
 * `b64_json` or `url` (spec §4.7). Pictures are decoded piece by piece; of the rest a small copy is kept. It needs the
 * same memory for pictures of any size. An empty string is no picture, and nothing is read past the pictures that were
 * asked for once another begins.
 */
export class ImageJsonReader {
  readonly #limits: ImageLimits;
  readonly #kept = new BoundedBuffer(maxRestBytes);
  readonly #place = new JsonPosition();
  readonly #events: ImageDataEvent[] = [];
  #string: PlainString | undefined;
  #picture: PictureString | undefined;
  #pictures = 0;
  #index = 0;
  #smallBytes = 0;
  #afterSpace = false;
  #hasMore = false;

  constructor(limits: ImageLimits) {
    this.#limits = limits;
  }

  /** Whether what came can be the whole reply. */
  get isWhole(): boolean {
    return this.#string === undefined && this.#picture === undefined && this.#place.depth <= 0;
  }

  /** Whether a picture began that was not asked for, after all that were came whole. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** How many pictures came whole. */
  get count(): number {
    return this.#index;
  }

  /**
   * What the next bytes bring, each event before the bytes after it are looked at.
   * @throws ServiceError `unexpected-response` for a string that is no picture where one stands, and for much more
   * beside the pictures than the service sends
   */
  *feed(chunk: Uint8Array): Generator<ImageDataEvent> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let at = 0; at < bytes.length && !this.#hasMore;) {
      if (this.#picture !== undefined) at = this.#readPicture(this.#picture, bytes, at);
      else if (this.#string !== undefined) at = this.#readString(this.#string, bytes, at);
      else at = this.#readStructure(bytes, at);
      yield* this.#events.splice(0);
    }
  }

  /** The reply with empty strings in place of its pictures; `undefined` when there is too much of it. */
  get rest(): string | undefined {
    return this.#kept.text;
  }

  #readStructure(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      this.#countSmall();
      if (byte === quote) {
        this.#beginString();
        return at + 1;
      }
      this.#place.see(byte);
      const isSpace = byte === space || byte === 0x0a || byte === 0x0d || byte === 0x09;
      if (!isSpace) this.#kept.add(byte);
      else if (!this.#afterSpace) this.#kept.add(space);
      this.#afterSpace = isSpace;
    }
    return bytes.length;
  }

  #beginString(): void {
    const { isKeyNext, isPicture } = this.#place;
    this.#afterSpace = false;
    if (isKeyNext || !isPicture) {
      const start = this.#kept.length;
      this.#string = { key: isKeyNext ? '' : undefined, start, length: 0, escaped: false };
      this.#kept.add(quote);
      return;
    }
    if (++this.#pictures > maxImageStrings) throw tooMuch();
    this.#hasMore = this.#index === this.#limits.maxImages;
    const text = new ImageTextDecoder(this.#limits.maxImageBytes);
    this.#picture = { json: new JsonStringDecoder(), text, hasBegun: false };
  }

  #readString(string: PlainString, bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === quote && !string.escaped) {
        this.#endString(string);
        return at + 1;
      }
      string.escaped = byte === backslash && !string.escaped;
      if (++string.length <= maxStringLength) {
        this.#kept.add(byte);
        this.#countSmall();
      }
      if (string.key !== undefined && string.length <= maxKeyLength) {
        string.key += String.fromCharCode(byte);
      }
    }
    return bytes.length;
  }

  #endString({ key, start, length }: PlainString): void {
    if (length > maxStringLength) this.#kept.cut(start + 1);
    this.#kept.add(quote);
    this.#countSmall();
    if (key !== undefined) this.#place.enterField(length > maxKeyLength ? '' : key);
    this.#string = undefined;
  }

  #countSmall(): void {
    if (++this.#smallBytes > maxSmallBytes) throw tooMuch();
  }

  #readPicture(picture: PictureString, bytes: Buffer, from: number): number {
    const { text, next, isEnd } = picture.json.read(bytes, from);
    this.#pass(picture, picture.text.feed(text));
    if (isEnd) this.#endPicture(picture);
    return next;
  }

  #endPicture(picture: PictureString): void {
    this.#pass(picture, picture.text.end());
    if (picture.hasBegun) this.#events.push({ type: 'image-end', index: this.#index++ });
    this.#kept.add(quote);
    this.#kept.add(quote);
    this.#picture = undefined;
  }

  /** A picture begins with its first byte: an empty string is none. */
  #pass(picture: PictureString, bytes: Buffer): void {
    if (bytes.length === 0) return;
    const index = this.#index;
    if (!picture.hasBegun) this.#events.push({ type: 'image-start', index });
    picture.hasBegun = true;
    this.#events.push({ type: 'image-bytes', index, bytes });
  }
}

const tooMuch = () =>
  unexpectedResponseError(l10n.t('The reply has too much beside its pictures.'));
