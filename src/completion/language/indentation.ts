/** The white space that a line begins with. */
export const indentationOf = (line: string): string => /^[\t ]*/u.exec(line)?.[0] ?? '';

/** How many columns white space takes. A tab goes to the next multiple of `tab`. */
export function columnsOf(whiteSpace: string, tab: number): number {
  let columns = 0;
  for (const character of whiteSpace)
    columns = character === '\t' ? (Math.floor(columns / tab) + 1) * tab : columns + 1;
  return columns;
}

/** Columns of a tab, as far as the step of indentation tells. */
export const tabColumns = (indentUnit: string): number =>
  indentUnit.startsWith('\t') ? 4 : Math.max(1, indentUnit.length);
