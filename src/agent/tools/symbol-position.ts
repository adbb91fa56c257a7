/** How far from the line that a model names the symbol is looked for: they count badly. */
const nearLines = 3;

/**
 * Where a symbol stands, in the line or as near to it as possible, as a word of its own rather than in another one.
 * Of `a.b.c` it is the last name that is meant.
 * @param line 1-based, as is the result's; its column counts from 0.
 */
export function symbolPosition(
  lines: readonly string[],
  line: number,
  symbol: string,
): { readonly line: number; readonly column: number } | undefined {
  for (const isColumn of [wordColumn, anyColumn]) {
    for (let away = 0; away <= nearLines; away++) {
      for (const at of away === 0 ? [line] : [line - away, line + away]) {
        const column = isColumn(lines[at - 1] ?? '', symbol);
        if (column >= 0) return { line: at, column: column + lastName(symbol) };
      }
    }
  }
  return undefined;
}

const anyColumn = (text: string, symbol: string): number => text.indexOf(symbol);

function wordColumn(text: string, symbol: string): number {
  for (let at = text.indexOf(symbol); at >= 0; at = text.indexOf(symbol, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + symbol.length)];
    if (!isNamePart(before) && !isNamePart(after)) return at;
  }
  return -1;
}

const isNamePart = (character: string): boolean => /[\p{L}\p{N}_$]/u.test(character);

/** Where the last name of a chain begins. */
function lastName(symbol: string): number {
  const tail = /[\p{L}\p{N}_$#]+[^\p{L}\p{N}_$]*$/u.exec(symbol);
  return tail?.index ?? 0;
}
