import { indentOf, type Shift, unitOf } from './indentation.ts';

/** A place where a text says the same as what stands before the hole. */
export interface Copy {
  /** The whole line in which, or at whose start, the same ends. */
  readonly line: string;
  /** What follows there: the rest of that line and all lines after it. */
  readonly rest: string;
  readonly shift: Shift;
}

/** Fewer equal characters than this are chance. */
const minimumMatch = 3;
/** More equal characters than this are as good as all. */
const longestTail = 600;

/**
 * Finds the longest copy of the end of `prefix` that has something behind it, however its lines are indented: the first
 * of several that are as long.
 */
export function longestCopy(prefix: string, sources: readonly string[]): Copy | undefined {
  const tail = flatten(prefix.slice(-longestTail)).flat;
  // The prefix itself is a source too, except for the copy that ends at the cursor.
  const found = [...sources, prefix.slice(0, -1)].map((source) => bestIn(flatten(source), tail));
  const best = found.reduce((longest, each) => (each.length > longest.length ? each : longest));
  if (best.at === undefined || tail.slice(-best.length).trim().length < minimumMatch) {
    return undefined;
  }
  return copyAt(best.source, best.at + best.length, prefix);
}

/** A text without indentation, and where its lines are. */
interface Flat {
  readonly text: string;
  readonly lines: readonly string[];
  readonly flat: string;
}

function flatten(text: string): Flat {
  const lines = text.split('\n');
  return { text, lines, flat: lines.map((line) => line.slice(indentOf(line).length)).join('\n') };
}

interface Found {
  readonly source: Flat;
  readonly length: number;
  /** Absent when nothing is the same. */
  readonly at: number | undefined;
}

/** A longer tail occurs only where the shorter one does, so the length can be bisected. */
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

/** Where `part` stands with something behind it. */
function occurrence({ flat }: Flat, part: string): number | undefined {
  const at = flat.indexOf(part);
  return at < 0 || flat.slice(at + part.length).trim() === '' ? undefined : at;
}

function copyAt(source: Flat, end: number, prefix: string): Copy {
  const { lines } = source;
  let start = 0;
  let index = 0;
  for (; index < lines.length - 1; index++) {
    const next = start + lines[index]!.length - indentOf(lines[index]!).length + 1;
    if (next > end) break;
    start = next;
  }
  const line = lines[index] ?? '';
  // At the start of a line its indentation is part of what follows.
  const column = end === start ? 0 : end - start + indentOf(line).length;
  const rest = [line.slice(column), ...lines.slice(index + 1)].join('\n');
  const written = prefix.split('\n');
  const from = column === 0 ? lines.slice(0, index) : [line];
  const to = column === 0 ? written.slice(0, -1) : written.slice(-1);
  const fromUnit = unitOf(source.text) ?? unitOf(prefix) ?? '  ';
  return {
    line,
    rest,
    shift: {
      from: lastIndent(from),
      to: lastIndent(to),
      fromUnit,
      toUnit: unitOf(prefix) ?? fromUnit,
    },
  };
}

const lastIndent = (lines: readonly string[]): string =>
  indentOf(lines.findLast((line) => line.trim() !== '') ?? '');
