import { parseJson } from '../../base/json.ts';

const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];
const [comma, colon] = [0x2c, 0x3a];

/** Maximum nesting depth of a string that is an image. */
const maxImageDepth = 3;

/** Tracks the position of a reader in a JSON text, to detect the strings that are images. */
export class JsonPosition {
  /** Number of objects and lists that are open at the position. */
  depth = 0;
  /** True if the next string is a field name. */
  isKeyNext = false;
  readonly #kinds: number[] = [];
  readonly #keys: string[] = [];

  /** Moves past a byte that is not part of a string. */
  processByte(byte: number): void {
    if (byte === openObject || byte === openList) this.#open(byte);
    else if (byte === closeObject || byte === closeList) this.#close();
    else if (byte === comma) this.isKeyNext = this.#kindAt(this.depth) === openObject;
    else if (byte === colon) this.isKeyNext = false;
  }

  /**
   * Moves into a field of the current object.
   * @param name Field name as in the JSON text, with escapes.
   */
  enterField(name: string): void {
    if (this.depth <= maxImageDepth) this.#keys[this.depth] = unescapeJson(name);
  }

  /** Checks whether a string value at the position is an image. */
  get isImage(): boolean {
    if (this.#kindAt(1) !== openObject || this.#kindAt(2) !== openList) return false;
    if (this.depth === 2) return this.#keys[1] === 'images';
    if (this.depth !== 3 || this.#kindAt(3) !== openObject) return false;
    return this.#keys[1] === 'data' && (this.#keys[3] === 'b64_json' || this.#keys[3] === 'url');
  }

  #open(byte: number): void {
    this.depth++;
    this.isKeyNext = byte === openObject;
    if (this.depth > maxImageDepth) return;
    this.#kinds[this.depth] = byte;
    this.#keys[this.depth] = '';
  }

  #close(): void {
    this.depth--;
    this.isKeyNext = false;
  }

  #kindAt(depth: number): number | undefined {
    return depth <= this.depth && depth <= maxImageDepth ? this.#kinds[depth] : undefined;
  }
}

/** Resolves the escapes in a field name. Returns an empty string if an escape is invalid. */
function unescapeJson(name: string): string {
  const value = name.includes('\\') ? parseJson(`"${name}"`) : name;
  return typeof value === 'string' ? value : '';
}

const [quote, backslash, slash] = [0x22, 0x5c, 0x2f];

/**
 * Decodes JSON strings with ASCII characters in chunks. Resolves escapes. Replaces each character outside of ASCII with
 * an invalid byte.
 */
export class JsonStringDecoder {
  /** Characters of an escape that is not complete. Empty between escapes. */
  #escape = '';

  /**
   * Decodes the bytes from offset `from` to the closing quote or to the end. `next` is the offset after the decoded
   * bytes and the quote.
   */
  read(bytes: Buffer, from: number): { text: Buffer; next: number; isEnd: boolean } {
    const end = indexOrEnd(bytes.indexOf(quote, from), bytes.length);
    const escape = bytes.indexOf(backslash, from);
    if (this.#escape !== '' || (escape >= 0 && escape < end)) return this.#unescape(bytes, from);
    const isEnd = end < bytes.length;
    return { text: bytes.subarray(from, end), next: isEnd ? end + 1 : end, isEnd };
  }

  #unescape(bytes: Buffer, from: number): { text: Buffer; next: number; isEnd: boolean } {
    const text = Buffer.allocUnsafe(bytes.length - from);
    let length = 0;
    let index = from;
    for (;;) {
      for (; this.#escape !== '' && index < bytes.length; index++) {
        const character = this.#continueEscape(bytes[index] ?? 0);
        if (character !== undefined) text[length++] = character;
      }
      // A separate inner loop for unescaped text is fast.
      let byte = bytes[index];
      for (; byte !== undefined && byte !== backslash && byte !== quote; byte = bytes[++index]) {
        text[length++] = byte;
      }
      if (byte !== backslash) break;
      this.#escape = '\\';
      index++;
    }
    const isEnd = index < bytes.length;
    return { text: text.subarray(0, length), next: isEnd ? index + 1 : index, isEnd };
  }

  #continueEscape(byte: number): number | undefined {
    // The escape `\/` is the most frequent escape in base64.
    if (byte === slash && this.#escape === '\\') {
      this.#escape = '';
      return slash;
    }
    this.#escape += String.fromCharCode(byte);
    if (this.#escape.startsWith('\\u') && this.#escape.length < 6) return undefined;
    const character = unescapeCharacter(this.#escape);
    this.#escape = '';
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

const indexOrEnd = (index: number, end: number): number => (index < 0 ? end : index);
