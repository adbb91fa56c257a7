import { getLinePrefix } from '../language/cursor-context.ts';
import type { Snapshot } from '../snapshot.ts';

/**
 * Detects an answer that first repeats text before the cursor, such as the last word or the last lines. Takes constant
 * time per character.
 */
export class EchoDetector {
  readonly #prefix: string;
  /** Offsets in the text before the cursor at which the text that the answer repeats may start. */
  #starts: readonly number[];
  /** Matches the white space that follows a complete echo. Undefined if the cursor is directly after the last word. */
  readonly #nextPattern: RegExp | undefined;
  #length = 0;
  #matchedLength = 0;
  /** True after a complete echo, until the next character shows whether white space follows. */
  #isOpen = false;

  /** @param starts result of {@link findEchoStarts} */
  constructor({ prefix }: Snapshot, starts: readonly number[]) {
    this.#prefix = prefix.trimEnd();
    const space = prefix.slice(this.#prefix.length);
    if (space !== '') this.#nextPattern = space.includes('\n') ? /\n/u : /\s/u;
    this.#starts = starts;
  }

  /**
   * Adds the next character of the answer. Returns the length of the echo, `no`, or `maybe` if more characters are
   * needed.
   */
  push(character: string): 'no' | 'maybe' | { readonly length: number } {
    if (this.#isOpen) {
      this.#isOpen = false;
      if (this.#nextPattern?.test(character)) this.#matchedLength = this.#length;
    }
    const prefix = this.#prefix;
    this.#starts = this.#starts.filter((start) => prefix[start + this.#length] === character);
    this.#length += 1;
    const isWhole = this.#starts.includes(prefix.length - this.#length);
    if (isWhole && this.#nextPattern !== undefined) this.#isOpen = true;
    else if (isWhole) this.#matchedLength = this.#length;
    const last = prefix.length - this.#length;
    this.#starts = this.#starts.filter((start) => start < last);
    if (this.#starts.length > 0 || this.#isOpen) return 'maybe';
    return this.#matchedLength > 0 ? { length: this.#matchedLength } : 'no';
  }

  /** Ends the answer. Returns the length of the echo, or `no`. */
  end(): 'no' | { readonly length: number } {
    if (this.#isOpen) return { length: this.#length };
    return this.#matchedLength > 0 ? { length: this.#matchedLength } : 'no';
  }
}

/** Maximum number of lines before the cursor that an answer may repeat. */
const maxEchoLines = 40;

/** Returns the offsets in the prefix from which an answer may repeat the text up to the cursor. */
export function findEchoStarts(snapshot: Snapshot): readonly number[] {
  const prefix = snapshot.prefix.trimEnd();
  const line = getLinePrefix(snapshot).trimEnd();
  const starts = line.trim() === '' ? [] : findWordStarts(snapshot.prefix, line);
  const lines = findLineStarts(prefix).filter((start) => !mayRepeatByChance(prefix.slice(start)));
  const contentStart = prefix.search(/\S/u);
  return [...new Set([...starts, ...lines, ...(contentStart < 0 ? [] : [contentStart])])];
}

/** Returns the offset of the first non-blank character in each of the last lines. */
function findLineStarts(prefix: string): number[] {
  const starts: number[] = [];
  let end = prefix.length;
  while (starts.length < maxEchoLines && end > 0) {
    const start = prefix.lastIndexOf('\n', end - 1) + 1;
    const content = prefix.slice(start, end).search(/\S/u);
    if (content >= 0) starts.push(start + content);
    end = start - 1;
  }
  return starts;
}

/** Checks whether a line is not distinctive enough to detect an echo, such as a line that contains only brackets. */
const mayRepeatByChance = (line: string): boolean =>
  line.length < 2 || !/[\p{L}\p{N}\-#*/"'<@$]/u.test(line.slice(0, 1_000));

/** Returns the offsets where the last word and the last dotted name before the cursor start. */
function findWordStarts(prefix: string, line: string): number[] {
  if (!prefix.endsWith(line)) return [];
  const tail = line.slice(-maxEchoWordLength);
  const lastWord = /[\p{L}\p{N}_$]{3,}$/u.exec(tail)?.[0];
  const path = /[\p{L}\p{N}_$.]{3,}$/u.exec(tail)?.[0];
  return [lastWord, path]
    .filter((word) => word !== undefined && word.length < maxEchoWordLength)
    .map((word) => prefix.length - (word ?? '').length);
}

const maxEchoWordLength = 80;
