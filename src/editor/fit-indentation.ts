/** How the document indents. */
export interface Indentation {
  /** White space before the first line that is replaced. */
  readonly first: string;
  readonly usesTabs: boolean;
  /** In columns. */
  readonly tabSize: number;
}

/**
 * The lines of an answer with the document's indentation: what a model left out of it comes back, and spaces become
 * tabs where the document has tabs. What is indented deeper on purpose stays deeper. Blank lines become empty.
 */
export function fitIndentation(
  lines: readonly string[],
  indentation: Indentation,
): readonly string[] {
  const converted = indentation.usesTabs ? withTabs(lines, indentation.tabSize) : lines;
  const first = converted.find((line) => line.trim() !== '');
  const missing = first === undefined ? '' : missingIn(indentOf(first), indentation.first);
  return converted.map((line) => (line.trim() === '' ? '' : missing + line));
}

const indentOf = (line: string): string => /^[\t ]*/u.exec(line)?.[0] ?? '';

/** Empty when the answer's is the same, deeper, or of another kind. */
const missingIn = (indent: string, wanted: string): string =>
  wanted.endsWith(indent) ? wanted.slice(0, wanted.length - indent.length) : '';

function withTabs(lines: readonly string[], tabSize: number): readonly string[] {
  if (lines.some((line) => line.startsWith('\t'))) return lines;
  const widths = lines
    .filter((line) => line.trim() !== '')
    .map((line) => indentOf(line).length)
    .filter((width) => width > 1);
  const unit = Math.max(2, Math.min(...widths, tabSize));
  return lines.map((line) => {
    const width = indentOf(line).length;
    return '\t'.repeat(Math.floor(width / unit)) + ' '.repeat(width % unit) + line.slice(width);
  });
}
