import { linePrefix, type Snapshot } from '../snapshot.ts';

/**
 * Detects an answer that begins by repeating text before the cursor: the word, the line, the last lines or
 * everything. Takes constant time per character.
 */
export class EchoDetector {
  readonly #prefix: string;
  /** Offsets in the prefix of the candidates that match the answer so far. */
  #starts: readonly number[];
  /** Matches the next character when white space separates the prefix's last word from the cursor. */
  readonly #next: RegExp | undefined;
  #length = 0;
  #matched = 0;
  /** True while a fully matched candidate waits for white space. */
  #isOpen = false;

  /** @param starts result of {@link findEchoStarts} */
  constructor({ prefix }: Snapshot, starts: readonly number[]) {
    this.#prefix = prefix.trimEnd();
    const space = prefix.slice(this.#prefix.length);
    if (space !== '') this.#next = space.includes('\n') ? /\n/u : /\s/u;
    this.#starts = starts;
  }

  /** Returns the length of the echo, `no`, or `maybe` while undecided. */
  push(character: string): 'no' | 'maybe' | { readonly length: number } {
    if (this.#isOpen) {
      this.#isOpen = false;
      if (this.#next?.test(character)) this.#matched = this.#length;
    }
    const prefix = this.#prefix;
    this.#starts = this.#starts.filter((start) => prefix[start + this.#length] === character);
    this.#length += 1;
    const isWhole = this.#starts.includes(prefix.length - this.#length);
    if (isWhole && this.#next !== undefined) this.#isOpen = true;
    else if (isWhole) this.#matched = this.#length;
    const last = prefix.length - this.#length;
    this.#starts = this.#starts.filter((start) => start < last);
    if (this.#starts.length > 0 || this.#isOpen) return 'maybe';
    return this.#matched > 0 ? { length: this.#matched } : 'no';
  }

  /** Ends the answer and returns the length of the echo, or `no`. */
  end(): 'no' | { readonly length: number } {
    if (this.#isOpen) return { length: this.#length };
    return this.#matched > 0 ? { length: this.#matched } : 'no';
  }
}

/** Maximum number of preceding lines that are checked. */
const maxLines = 40;

/** Returns the prefix offsets where repeated text may begin. */
export function findEchoStarts(snapshot: Snapshot): readonly number[] {
  const prefix = snapshot.prefix.trimEnd();
  const line = linePrefix(snapshot).trimEnd();
  const starts = line.trim() === '' ? [] : wordStarts(snapshot.prefix, line);
  const lines = lineStarts(prefix).filter((start) => !mayRepeatByChance(prefix.slice(start)));
  const contentStart = prefix.search(/\S/u);
  return [...new Set([...starts, ...lines, ...(contentStart < 0 ? [] : [contentStart])])];
}

/** Returns the offsets of the last lines, after their indentation. */
function lineStarts(prefix: string): number[] {
  const starts: number[] = [];
  let end = prefix.length;
  while (starts.length < maxLines && end > 0) {
    const start = prefix.lastIndexOf('\n', end - 1) + 1;
    const content = prefix.slice(start, end).search(/\S/u);
    if (content >= 0) starts.push(start + content);
    end = start - 1;
  }
  return starts;
}

/**
 * Checks whether a line can repeat by chance because it contains only brackets, operators or one
 * quote. Triple-quoted strings begin with repeated quotes.
 */
const mayRepeatByChance = (line: string): boolean =>
  line.length < 2 || !/[\p{L}\p{N}\-#*/"'<@$]/u.test(line.slice(0, 1_000));

/** Returns the offsets of the word and of the dotted path before the cursor. */
function wordStarts(prefix: string, line: string): number[] {
  if (!prefix.endsWith(line)) return [];
  const tail = line.slice(-maxWordLength);
  const lastWord = /[\p{L}\p{N}_$]{3,}$/u.exec(tail)?.[0];
  const path = /[\p{L}\p{N}_$.]{3,}$/u.exec(tail)?.[0];
  return [lastWord, path]
    .filter((word) => word !== undefined && word.length < maxWordLength)
    .map((word) => prefix.length - (word ?? '').length);
}

const maxWordLength = 80;
