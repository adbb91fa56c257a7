/** A run of lines of a document, and the words that stand in it. */
export interface SnippetWindow {
  /** From 0; `end` is the first line that is not in it. */
  readonly start: number;
  readonly end: number;
  readonly words: ReadonlySet<string>;
}

/** A window is two of these. */
const step = 10;
/** Longer lines are data: only their beginnings are read, and shown. */
const longestLine = 200;

/** The lines of a text from `first` on, at most `most` of them, long ones cut. Takes linear time. */
export function linesOf(text: string, first: number, most: number): string[] {
  const lines: string[] = [];
  let at = 0;
  for (let line = 0; at >= 0 && lines.length < most; line += 1) {
    const end = text.indexOf('\n', at);
    if (line >= first) {
      const stop = Math.min(end < 0 ? text.length : end, at + longestLine);
      lines.push(text.slice(at, stop));
    }
    at = end < 0 ? -1 : end + 1;
  }
  return lines;
}

/** Windows over lines, each half over the one before. @param first The number of the first line. */
export function windowsOf(lines: readonly string[], first: number): SnippetWindow[] {
  const halves: Set<string>[] = [];
  for (let start = 0; start < lines.length; start += step) {
    halves.push(wordsIn(lines.slice(start, start + step).join('\n')));
  }
  // The last half is a window of its own only when it is alone.
  return halves.slice(0, Math.max(1, halves.length - 1)).map((words, index) => ({
    start: first + index * step,
    end: first + Math.min(lines.length, (index + 2) * step),
    words: words.union(halves[index + 1] ?? new Set()),
  }));
}

/** The names in a text, without those of one letter. */
export const wordsIn = (text: string): Set<string> => new Set(text.match(words));

const words = /[A-Za-z_$][\w$]+|[\u00C0-\uD7FF]{2,}/gu;
