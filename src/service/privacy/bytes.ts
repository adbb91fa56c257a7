/** Decodes hexadecimal text, with or without `0x`. Returns `undefined` for other text. */
export function decodeHex(text: string): Uint8Array | undefined {
  const digits = text.startsWith('0x') ? text.slice(2) : text;
  if (digits.length % 2 !== 0 || !/^[0-9a-f]*$/iu.test(digits)) return undefined;
  return Uint8Array.from(Buffer.from(digits, 'hex'));
}

/** Decodes hexadecimal or base64 text. Returns `undefined` for other text. */
export function decodeHexOrBase64(text: string): Uint8Array | undefined {
  const trimmedText = text.trim();
  const decodedHex = decodeHex(trimmedText);
  if (decodedHex !== undefined) return decodedHex;
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/u.test(trimmedText)) return undefined;
  return Uint8Array.from(Buffer.from(trimmedText, 'base64'));
}

export const encodeHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Compares bytes. Not in constant time, which is safe because all compared values are public. */
export const areBytesEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  Buffer.from(a).equals(Buffer.from(b));

/** Reads consecutive fields from bytes. Integers are little-endian. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Number of remaining bytes. */
  get remainingBytes(): number {
    return this.#bytes.length - this.#offset;
  }

  /**
   * Reads `count` bytes.
   * @throws RangeError if fewer bytes remain.
   */
  read(count: number): Uint8Array {
    if (count > this.remainingBytes) throw new RangeError('truncated');
    const bytes = this.#bytes.subarray(this.#offset, this.#offset + count);
    this.#offset += count;
    return bytes;
  }

  /**
   * Reads an unsigned integer.
   * @throws RangeError if fewer bytes remain.
   */
  readNumber(byteCount: 2 | 4): number {
    return Buffer.from(this.read(byteCount)).readUIntLE(0, byteCount);
  }
}
