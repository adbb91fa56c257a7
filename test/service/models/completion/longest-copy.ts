/** A position where a text repeats the end of the prefix. */
export interface Copy {
  /** The line in which, or at whose start, the repeated part ends. */
  readonly line: string;
  /** The remainder of that line and all lines after it. */
  readonly rest: string;
  readonly shift: Shift;
}

/** Indentation of the same line in the copy (`from`) and in the document (`to`), and one step of each. */
export interface Shift {
  readonly from: string;
  readonly to: string;
  readonly fromUnit: string;
  readonly toUnit: string;
}

/** Shorter matches are coincidences. */
const minMatch = 3;
/** Longest part of the prefix that is compared, in characters. */
const maxTail = 600;

/**
 * Finds the longest copy of the end of `prefix` that has text after it, ignoring indentation. The first of equal
 * copies wins.
 */
export function longestCopy(prefix: string, sources: readonly string[]): Copy | undefined {
  const tail = flatten(prefix.slice(-maxTail)).flat;
  // The prefix is a source too, except for the copy that ends at the cursor.
  const found = [...sources, prefix.slice(0, -1)].map((source) => bestIn(flatten(source), tail));
  const best = found.reduce((longest, candidate) =>
    candidate.length > longest.length ? candidate : longest,
  );
  if (best.at === undefined || tail.slice(-best.length).trim().length < minMatch) return undefined;
  return copyAt(best.source, best.at + best.length, prefix);
}

/** A text with and without indentation. */
interface Flat {
  readonly text: string;
  readonly lines: readonly string[];
  readonly flat: string;
}

function flatten(text: string): Flat {
  const lines = text.split('\n');
  return {
    text,
    lines,
    flat: lines.map((line) => line.slice(leadingWhitespace(line).length)).join('\n'),
  };
}

interface Found {
  readonly source: Flat;
  readonly length: number;
  readonly at: number | undefined;
}

/** Bisects the length: a longer tail occurs only where the shorter one does. */
function bestIn(source: Flat, tail: string): Found {
  let low = 0;
  let high = tail.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (occurrence(source, tail.slice(-middle)) !== undefined) low = middle;
    else high = middle - 1;
  }
  return { source, length: low, at: low === 0 ? undefined : occurrence(source, tail.slice(-low)) };
}

/** Returns the index of `part` if text follows it. */
function occurrence({ flat }: Flat, part: string): number | undefined {
  const index = flat.indexOf(part);
  return index < 0 || flat.slice(index + part.length).trim() === '' ? undefined : index;
}

function copyAt(source: Flat, end: number, prefix: string): Copy {
  const { lines } = source;
  let start = 0;
  let index = 0;
  for (; index < lines.length - 1; index++) {
    const next = start + lines[index]!.length - leadingWhitespace(lines[index]!).length + 1;
    if (next > end) break;
    start = next;
  }
  const line = lines[index] ?? '';
  // At the start of a line its indentation is part of what follows.
  const column = end === start ? 0 : end - start + leadingWhitespace(line).length;
  const rest = [line.slice(column), ...lines.slice(index + 1)].join('\n');
  const written = prefix.split('\n');
  const from = column === 0 ? lines.slice(0, index) : [line];
  const to = column === 0 ? written.slice(0, -1) : written.slice(-1);
  const fromUnit = indentUnit(source.text) ?? indentUnit(prefix) ?? '  ';
  const toUnit = indentUnit(prefix) ?? fromUnit;
  return {
    line,
    rest,
    shift: { from: lastIndent(from), to: lastIndent(to), fromUnit, toUnit },
  };
}

const lastIndent = (lines: readonly string[]): string =>
  leadingWhitespace(lines.findLast((line) => line.trim() !== '') ?? '');

export const leadingWhitespace = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? '';

/**
 * Returns one indentation step of a text: a tab, or the smallest step of 2, 4 or 8 spaces; undefined without
 * indentation.
 */
export function indentUnit(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.some((line) => line.startsWith('\t'))) return '\t';
  const widths = lines.map((line) => leadingWhitespace(line).length);
  const steps = widths.map((width, index) => width - (widths[index - 1] ?? 0));
  const step = [2, 4, 8].find((width) => steps.includes(width));
  return step === undefined ? undefined : ' '.repeat(step);
}

/** Moves a line of the copy to the indentation of the document. */
export function shiftLine(line: string, { from, to, fromUnit, toUnit }: Shift): string {
  if (line.trim() === '') return line.trim();
  const indent = leadingWhitespace(line);
  const text = line.slice(indent.length);
  if (indent.startsWith(from) && (indent === from || fromUnit === toUnit)) {
    return to + indent.slice(from.length) + text;
  }
  const steps = stepsOf(indent, fromUnit) - stepsOf(from, fromUnit) + stepsOf(to, toUnit);
  return toUnit.repeat(Math.max(0, Math.round(steps))) + text;
}

const stepsOf = (indent: string, unit: string): number => indent.length / unit.length;
