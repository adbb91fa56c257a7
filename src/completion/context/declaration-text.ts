/** What a declaration shows of itself, at most. */
const limits = { lines: 14, characters: 1_000, lineCharacters: 200 } as const;

/**
 * The declaration that begins on a line: with what is indented more below it and the line that closes it, cut after
 * some lines. Empty where there is none.
 */
export function declarationText(lines: readonly string[], start: number): string {
  const first = lines[start];
  if (first === undefined || first.trim() === '') return '';
  const depth = indentOf(first);
  const taken = [first];
  for (let at = start + 1; at < lines.length && taken.length < limits.lines; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() !== '' && indentOf(line) <= depth) {
      if (isClosing(line)) taken.push(line);
      // An opening brace on a line of its own.
      else if (taken.length === 1 && line.trim() === '{') {
        taken.push(line);
        continue;
      }
      break;
    }
    taken.push(line);
  }
  return taken
    .map((line) => line.slice(depth, depth + limits.lineCharacters))
    .join('\n')
    .slice(0, limits.characters)
    .trimEnd();
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

const isClosing = (line: string): boolean => /^\s{0,200}(?:[)\]}]|end\b)/u.test(line);
