/**
 * The text of a JSON string as it comes, for strings that are plain ASCII: escapes are resolved, and what is not ASCII
 * becomes a byte that no such text has.
 */
export class JsonStringText {
  /** An escape of which the rest is still to come. */
  #escape = '';

  /** Reads from `from` up to the closing quote or the end of the bytes; `next` is where it stopped, past the quote. */
  read(bytes: Buffer, from: number): { text: Buffer; next: number; isEnd: boolean } {
    const quote = endOr(bytes.indexOf(0x22, from), bytes.length);
    const escape = bytes.indexOf(0x5c, from);
    if (this.#escape !== '' || (escape >= 0 && escape < quote)) return this.#unescape(bytes, from);
    const isEnd = quote < bytes.length;
    return { text: bytes.subarray(from, quote), next: isEnd ? quote + 1 : quote, isEnd };
  }

  #unescape(bytes: Buffer, from: number): { text: Buffer; next: number; isEnd: boolean } {
    const text = Buffer.allocUnsafe(bytes.length - from);
    let length = 0;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (this.#escape !== '') {
        const character = this.#continueEscape(byte);
        if (character !== undefined) text[length++] = character;
      } else if (byte === 0x5c) this.#escape = '\\';
      else if (byte === 0x22) return { text: text.subarray(0, length), next: at + 1, isEnd: true };
      else text[length++] = byte;
    }
    return { text: text.subarray(0, length), next: bytes.length, isEnd: false };
  }

  #continueEscape(byte: number): number | undefined {
    this.#escape += String.fromCharCode(byte);
    if (this.#escape.startsWith('\\u') && this.#escape.length < 6) return undefined;
    const character = escaped(this.#escape);
    this.#escape = '';
    return character;
  }
}

const notAscii = 0xff;

function escaped(escape: string): number {
  if (escape.startsWith('\\u')) {
    const code = Number(`0x${escape.slice(2)}`);
    return code < 0x80 ? code : notAscii;
  }
  return simpleEscapes.get(escape) ?? notAscii;
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

const endOr = (index: number, end: number): number => (index < 0 ? end : index);
