import { linePrefix, type Snapshot } from '../snapshot.ts';

/**
 * Finds out whether an answer begins with what stands before the cursor already: the word, the line, the last lines or
 * all of it. Constant time for each character.
 */
export class EchoDetector {
  readonly #prefix: string;
  /** Where in the prefix the candidates begin that the answer agrees with so far. */
  #starts: readonly number[];
  /** What must come next when white space stands between the prefix's last word and the cursor. */
  readonly #next: RegExp | undefined;
  #length = 0;
  #matched = 0;
  /** The candidate that was met whole wants white space next. */
  #isOpen = false;

  /** @param starts As {@link findEchoStarts} gives them. */
  constructor({ prefix }: Snapshot, starts: readonly number[]) {
    this.#prefix = prefix.trimEnd();
    const space = prefix.slice(this.#prefix.length);
    if (space !== '') this.#next = space.includes('\n') ? /\n/u : /\s/u;
    this.#starts = starts;
  }

  /** `yes` with the characters that are an echo; `maybe` while it is not known. */
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

  /** The answer is over. */
  end(): 'no' | { readonly length: number } {
    if (this.#isOpen) return { length: this.#length };
    return this.#matched > 0 ? { length: this.#matched } : 'no';
  }
}

/** So many lines can be told from chance and cost little. */
const mostLines = 40;

/** Where in the prefix that may begin which an answer says again. */
export function findEchoStarts(snapshot: Snapshot): readonly number[] {
  const prefix = snapshot.prefix.trimEnd();
  const line = linePrefix(snapshot).trimEnd();
  const starts = line.trim() === '' ? [] : wordStarts(snapshot.prefix, line);
  const lines = lineStarts(prefix).filter((start) => !isChance(prefix.slice(start)));
  const whole = prefix.search(/\S/u);
  return [...new Set([...starts, ...lines, ...(whole < 0 ? [] : [whole])])];
}

/** Where the last lines begin, behind their indentation. */
function lineStarts(prefix: string): number[] {
  const starts: number[] = [];
  let end = prefix.length;
  while (starts.length < mostLines && end > 0) {
    const start = prefix.lastIndexOf('\n', end - 1) + 1;
    const content = prefix.slice(start, end).search(/\S/u);
    if (content >= 0) starts.push(start + content);
    end = start - 1;
  }
  return starts;
}

/** Brackets and operators alone may well come twice, and so may a single quote, of which some strings begin with three. */
const isChance = (line: string): boolean =>
  line.length < 2 || !/[\p{L}\p{N}\-#*/"'<@$]/u.test(line.slice(0, 1_000));

/** Where the word directly before the cursor begins, and the path that it ends. */
function wordStarts(prefix: string, line: string): number[] {
  if (!prefix.endsWith(line)) return [];
  const tail = line.slice(-longestWord);
  const word = /[\p{L}\p{N}_$]{3,}$/u.exec(tail)?.[0];
  const path = /[\p{L}\p{N}_$.]{3,}$/u.exec(tail)?.[0];
  return [word, path]
    .filter((each) => each !== undefined && each.length < longestWord)
    .map((each) => prefix.length - (each ?? '').length);
}

const longestWord = 80;
