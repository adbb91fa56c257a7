import { stripEscapeSequences } from '../../../base/hidden-characters.ts';

/** Bytes that are kept of the beginning and of the end; what lies between is dropped while it comes. */
export interface OutputLimits {
  readonly head: number;
  readonly tail: number;
}

export const outputLimits: OutputLimits = { head: 64 * 1024, tail: 192 * 1024 };

/** What a command printed, in bounded memory however much it is. Positions count bytes from its start. */
export class ShellOutput {
  readonly #limits: OutputLimits;
  readonly #head: Buffer[] = [];
  #headLength = 0;
  readonly #tail: Buffer[] = [];
  #tailLength = 0;

  /** Bytes printed so far. */
  length = 0;

  constructor(limits = outputLimits) {
    this.#limits = limits;
  }

  /** Where the next read begins: not within a character whose end has not come. */
  get wholeLength(): number {
    const end = Buffer.concat([...this.#head.slice(-1), ...this.#tail.slice(-1)]).subarray(-3);
    return this.length - incomplete(end);
  }

  add(chunk: Buffer): void {
    this.length += chunk.length;
    const room = this.#limits.head - this.#headLength;
    const first = chunk.subarray(0, room);
    if (first.length > 0) append(this.#head, first);
    this.#headLength += first.length;
    this.#addToTail(chunk.subarray(first.length));
  }

  /** As a person would read it, from a position on; says how much is missing in the middle. */
  text(from = 0): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const tailStart = this.length - tail.length;
    const missing = tailStart - Math.max(from, head.length);
    const rest = readable(tail.subarray(Math.max(0, from - tailStart)));
    const start = from < head.length ? readable(head.subarray(from)) : '';
    if (missing <= 0) return readable(Buffer.concat([head, tail]).subarray(from));
    return `${start}\n[… ${missing.toLocaleString('en-US')} bytes left out …]\n${rest}`;
  }

  #addToTail(chunk: Buffer): void {
    if (chunk.length === 0) return;
    append(this.#tail, chunk);
    this.#tailLength += chunk.length;
    for (let excess; (excess = this.#tailLength - this.#limits.tail) > 0;) {
      const [first = chunk] = this.#tail;
      if (first.length <= excess) this.#tail.shift();
      else this.#tail[0] = first.subarray(excess);
      this.#tailLength -= Math.min(first.length, excess);
    }
  }
}

/** Few and larger pieces cost less memory than many small ones. */
function append(chunks: Buffer[], chunk: Buffer): void {
  const last = chunks.at(-1);
  if (last && last.length + chunk.length <= 4_096) {
    chunks[chunks.length - 1] = Buffer.concat([last, chunk]);
  } else chunks.push(chunk);
}

/** Bytes of UTF-8, cut anywhere, as text: no halves of characters at the ends, no escapes, no drawn-over lines. */
function readable(bytes: Buffer): string {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start])) start += 1;
  const decoder = new TextDecoder();
  // What is left in the decoder is the beginning of a character whose end has not come.
  return lastDrawn(stripEscapeSequences(decoder.decode(bytes.subarray(start), { stream: true })));
}

/** Bytes at the end that begin a character of UTF-8 and do not end it. */
function incomplete(end: Buffer): number {
  const lead = end.findLastIndex((byte) => !isContinuation(byte));
  const byte = end[lead] ?? 0;
  const expected = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
  const found = end.length - lead;
  return lead >= 0 && found < expected ? found : 0;
}

const isContinuation = (byte = 0): boolean => byte >= 0x80 && byte <= 0xbf;

/** Of a line that was drawn again and again, such as a progress bar, what stands there in the end. */
function lastDrawn(text: string): string {
  if (!text.includes('\r')) return text;
  const lines = text.replaceAll(/\r+\n/gu, '\n').split('\n');
  return lines.map((line) => line.split('\r').findLast((part) => part !== '') ?? '').join('\n');
}
