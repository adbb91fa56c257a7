/** The white space a line begins with. */
export const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? '';

/** One step of the indentation of a text: a tab, or the smallest step of 2, 4 or 8 spaces; nothing when it has none. */
export function unitOf(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.some((line) => line.startsWith('\t'))) return '\t';
  const widths = lines.map((line) => indentOf(line).length);
  const steps = widths.map((width, index) => width - (widths[index - 1] ?? 0));
  const step = [2, 4, 8].find((each) => steps.includes(each));
  return step === undefined ? undefined : ' '.repeat(step);
}

/** How the lines of one text are indented in another. */
export interface Shift {
  /** Of the same line, in both. */
  readonly from: string;
  readonly to: string;
  /** One step, in both. */
  readonly fromUnit: string;
  readonly toUnit: string;
}

/** A line with the indentation it has in the other text. */
export function shifted(line: string, { from, to, fromUnit, toUnit }: Shift): string {
  if (line.trim() === '') return line.trim();
  const indent = indentOf(line);
  const text = line.slice(indent.length);
  if (indent.startsWith(from) && (indent === from || fromUnit === toUnit)) {
    return to + indent.slice(from.length) + text;
  }
  const steps = stepsOf(indent, fromUnit) - stepsOf(from, fromUnit) + stepsOf(to, toUnit);
  return toUnit.repeat(Math.max(0, Math.round(steps))) + text;
}

const stepsOf = (indent: string, unit: string): number => indent.length / unit.length;
