/**
 * Converts an indentation of the hunk to that of the file; returns undefined when it cannot be
 * determined.
 */
export type Reindent = (indent: string) => string | undefined;

export const leadingWhitespace = (line: string): string => /^[ \t]*/u.exec(line)?.[0] ?? '';

/**
 * Returns a line with the file's indentation; undefined if it cannot be determined. A blank line
 * becomes empty.
 */
export function reindentLine(line: string, reindent: Reindent): string | undefined {
  const indent = leadingWhitespace(line);
  if (indent.length === line.trimEnd().length) return '';
  const to = reindent(indent);
  return to === undefined ? undefined : to + line.slice(indent.length);
}

export interface IndentSamples {
  /** Pairs of a hunk's line and the matching line of the file. Blank lines are omitted. */
  readonly pairs: readonly (readonly [hunk: string, file: string])[];
  /** Lines that show the indentation units of the hunk and the file. */
  readonly hunk: readonly string[];
  readonly file: readonly string[];
}

/**
 * Derives a rule that converts the hunk's indentation to the file's. The indentation can be equal,
 * differ by a constant prefix, or have other units, such as tabs in place of spaces. Returns
 * undefined if lines with equal indentation on one side have different indentation on the other
 * side.
 */
export function inferReindent({ pairs, hunk, file }: IndentSamples): Reindent | undefined {
  const indents = pairs.map(([a, b]) => [leadingWhitespace(a), leadingWhitespace(b)] as const);
  const mapping = new Map(indents);
  const hasSameShape =
    indents.every(([a, b]) => mapping.get(a) === b) &&
    new Set(mapping.values()).size === mapping.size;
  if (!hasSameShape) return undefined;
  const distinct = [...mapping];
  if (distinct.every(([a, b]) => a === b)) return (indent) => indent;
  const units = [detectUnit(hunk), detectUnit(file)] as const;
  const candidates =
    units[0] === units[1]
      ? [inferConstantShift(distinct)]
      : [inferUnitConversion(distinct, ...units), inferConstantShift(distinct)];
  const rule = candidates.find((candidate) => candidate !== undefined);
  return (indent) => mapping.get(indent) ?? rule?.(indent);
}

type Pairs = readonly (readonly [string, string])[];

/** Adds or removes a constant prefix. */
function inferConstantShift(pairs: Pairs): Reindent | undefined {
  const [[a, b] = ['', '']] = pairs;
  const added = b.endsWith(a) ? b.slice(0, b.length - a.length) : undefined;
  if (added !== undefined && pairs.every(([from, to]) => to === added + from)) {
    return (indent) => added + indent;
  }
  const removed = a.endsWith(b) ? a.slice(0, a.length - b.length) : undefined;
  if (removed !== undefined && pairs.every(([from, to]) => from === removed + to)) {
    return (indent) => (indent.startsWith(removed) ? indent.slice(removed.length) : undefined);
  }
  return undefined;
}

/**
 * Converts indentation levels and keeps the remainder, such as the single space before `*` in a
 * comment.
 */
function inferUnitConversion(pairs: Pairs, from: string, to: string): Reindent | undefined {
  const levels = pairs.map(([a, b]) => [splitLevels(a, from), splitLevels(b, to)] as const);
  const [
    [a, b] = [
      { level: 0, rest: '' },
      { level: 0, rest: '' },
    ],
  ] = levels;
  const added = b.level - a.level;
  const areConsistent = levels.every(
    ([left, right]) => right.level - left.level === added && right.rest === left.rest,
  );
  if (!areConsistent) return undefined;
  return (indent) => {
    const { level, rest } = splitLevels(indent, from);
    return level + added < 0 ? undefined : to.repeat(level + added) + rest;
  };
}

function splitLevels(indent: string, unit: string): { level: number; rest: string } {
  let level = 0;
  while (indent.startsWith(unit, level * unit.length)) level += 1;
  return { level, rest: indent.slice(level * unit.length) };
}

/** Detects the unit of indentation: a tab, or the most frequent number of spaces between levels. */
function detectUnit(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map(leadingWhitespace);
  const tabs = indents.filter((indent) => indent.startsWith('\t')).length;
  const spaces = indents.filter((indent) => indent.startsWith(' ')).length;
  if (tabs > 0 && tabs >= spaces) return '\t';
  const steps = new Map<number, number>();
  for (const [index, indent] of indents.entries()) {
    const step = Math.abs(indent.length - (indents[index - 1] ?? '').length);
    if (step > 1 && step <= 8) steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  const [[width] = [4]] = [...steps].sort(([a, i], [b, j]) => j - i || a - b);
  return ' '.repeat(width);
}
