import * as l10n from '@vscode/l10n';
import { createUnexpectedResponseError } from '../http/response.ts';

/**
 * Decodes base64 in chunks of any length. Accepts the standard and the URL-safe alphabet, white space and missing
 * padding. Rejects all other characters, and data after the padding.
 */
export class Base64Decoder {
  /** Characters of an incomplete group of four, at most three. */
  #incompleteGroup = '';
  #paddingLength = 0;

  /**
   * Decodes the next characters (Latin-1). Returns the bytes of all complete groups, possibly none.
   * @throws ServiceError `unexpected-response` if the text is not base64
   */
  feed(text: Buffer): Buffer {
    if (this.#paddingLength > 0) return this.#validateAndDecode(text.toString('latin1'));
    const length = this.#incompleteGroup.length + text.length;
    const takenLength = length < 4 ? 0 : length - (length % 4) - this.#incompleteGroup.length;
    const groups =
      takenLength === 0 ? '' : this.#incompleteGroup + text.toString('latin1', 0, takenLength);
    const bytes = Buffer.from(groups, 'base64');
    // Node.js skips invalid characters. A result of full length therefore proves that all characters are valid.
    if (bytes.length * 4 !== groups.length * 3) {
      return this.#validateAndDecode(text.toString('latin1'));
    }
    this.#incompleteGroup =
      takenLength === 0
        ? this.#incompleteGroup + text.toString('latin1')
        : text.toString('latin1', takenLength);
    return bytes;
  }

  /**
   * Decodes an incomplete last group. Returns the last bytes.
   * @throws ServiceError `unexpected-response` if the last group or its padding is invalid
   */
  end(): Buffer {
    const bytes = this.#validateAndDecode('');
    // One remaining character encodes only six bits, which is less than a byte.
    if (this.#incompleteGroup.length === 1) throw createDamagedImageError();
    return Buffer.concat([bytes, Buffer.from(this.#incompleteGroup, 'base64')]);
  }

  #validateAndDecode(text: string): Buffer {
    const match = /^([\w+/-]*)(=*)$/.exec(
      (this.#incompleteGroup + '='.repeat(this.#paddingLength) + text).replaceAll(
        /[\t\n\r ]+/g,
        '',
      ),
    );
    const [, data = '', padding = ''] = match ?? [];
    if (match === null || padding.length > 2) throw createDamagedImageError();
    const completeLength = data.length - (data.length % 4);
    this.#incompleteGroup = data.slice(completeLength);
    this.#paddingLength = padding.length;
    return Buffer.from(data.slice(0, completeLength), 'base64');
  }
}

const createDamagedImageError = () =>
  createUnexpectedResponseError(
    l10n.t(
      'The service sent something that is no PNG, JPEG or WebP image. Retry, or choose another model.',
    ),
  );

/** Number of characters at the start of a text that are needed to distinguish a URL from base64. */
const headLength = 8;
/** Maximum length in characters of the prefix of a data URL. */
const maxPrefixLength = 256;

/**
 * Decodes an image in chunks from base64 or a base64 data URL. Rejects network URLs, because the image must come from
 * the response itself.
 */
export class ImageTextDecoder {
  readonly #base64 = new Base64Decoder();
  readonly #maxBytes: number;
  /** Text received so far. Undefined after the start of the base64 text has been found. */
  #head: Buffer | undefined = Buffer.alloc(0);
  #decodedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Decodes the next characters (Latin-1). Returns the bytes that are complete, possibly none.
   * @throws ServiceError `unexpected-response` if the text is not a base64 image, or the image is too large
   */
  feed(text: Buffer): Buffer {
    if (this.#head === undefined) return this.#checkSize(this.#base64.feed(text));
    const head = Buffer.concat([this.#head, text]);
    const base64Start = findBase64Start(head);
    this.#head = base64Start === undefined ? head : undefined;
    return base64Start === undefined
      ? Buffer.alloc(0)
      : this.#checkSize(this.#base64.feed(head.subarray(base64Start)));
  }

  /**
   * Returns the last bytes. Call it after the last character.
   * @throws ServiceError `unexpected-response` if the text is not a complete base64 image, or the image is too large
   */
  end(): Buffer {
    const remainingText = this.#head ?? Buffer.alloc(0);
    if (/^data:/i.test(remainingText.toString('latin1'))) throw createNotBase64Error();
    return this.#checkSize(Buffer.concat([this.#base64.feed(remainingText), this.#base64.end()]));
  }

  #checkSize(bytes: Buffer): Buffer {
    this.#decodedBytes += bytes.length;
    if (this.#decodedBytes > this.#maxBytes) {
      throw createUnexpectedResponseError(l10n.t('The reply is larger than expected.'));
    }
    return bytes;
  }
}

/** Returns the offset of the first base64 character. Undefined if more text is needed to determine the offset. */
function findBase64Start(head: Buffer): number | undefined {
  if (head.length < headLength) return undefined;
  const headText = head.toString('latin1', 0, maxPrefixLength);
  if (/^https?:/i.test(headText)) throw createImageUrlError();
  if (!/^data:/i.test(headText)) return 0;
  const commaIndex = headText.indexOf(',');
  if (commaIndex < 0 && head.length < maxPrefixLength) return undefined;
  if (!/;base64$/i.test(headText.slice(0, Math.max(0, commaIndex)))) throw createNotBase64Error();
  return commaIndex + 1;
}

const createImageUrlError = () =>
  createUnexpectedResponseError(
    l10n.t(
      'The service answered with the address of an image instead of the image. Addresses are not followed. Choose another model.',
    ),
  );

const createNotBase64Error = () =>
  createUnexpectedResponseError(
    l10n.t(
      'The service sent something that is no PNG, JPEG or WebP image. Retry, or choose another model.',
    ),
  );

/** Buffer with a size limit. Discards its content when the limit is exceeded. */
export class BoundedBuffer {
  readonly #maxBytes: number;
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;
  #isExceeded = false;

  constructor(limit: number) {
    this.#maxBytes = limit;
  }

  get length(): number {
    return this.#length;
  }

  addByte(byte: number): void {
    if (this.#length === this.#bytes.length) this.#growBuffer();
    this.#bytes[this.#length++] = byte;
  }

  /** Truncates the buffer to the first `length` bytes. */
  truncateTo(length: number): void {
    this.#length = length;
  }

  /** Content as text. Undefined if the limit was exceeded. */
  get text(): string | undefined {
    const decoder = new TextDecoder();
    return this.#isExceeded ? undefined : decoder.decode(this.#bytes.subarray(0, this.#length));
  }

  #growBuffer(): void {
    if (this.#length >= this.#maxBytes) {
      this.#isExceeded = true;
      this.#length = 0;
      return;
    }
    const bytes = Buffer.allocUnsafe(this.#bytes.length * 2);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}
