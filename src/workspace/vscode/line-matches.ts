/** Numbers of lines, counted from 0, and where in them the first match begins. */
export type LineMatches = ReadonlyMap<number, number>;

/** The lines of a text that match, `most` at most. `pattern` is global. */
export function matchLines(
  text: string,
  { pattern, eachLine, most }: { pattern: RegExp; eachLine: boolean; most: number },
): LineMatches {
  return eachLine ? matchEach(text, pattern, most) : matchWhole(text, pattern, most);
}

/** For expressions that never look past the end of a line: far faster than line by line. */
function matchWhole(text: string, pattern: RegExp, most: number): LineMatches {
  const found = new Map<number, number>();
  let line = 0;
  let lineStart = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    for (let end = text.indexOf('\n', lineStart); end >= 0 && end < match.index;) {
      line += 1;
      lineStart = end + 1;
      end = text.indexOf('\n', lineStart);
    }
    // The empty end of a text is no line.
    if (match.index === text.length && lineStart === text.length) break;
    found.set(line, match.index - lineStart);
    const end = text.indexOf('\n', match.index);
    if (end < 0 || found.size >= most) break;
    pattern.lastIndex = end + 1;
  }
  return found;
}

function matchEach(text: string, pattern: RegExp, most: number): LineMatches {
  const found = new Map<number, number>();
  for (let line = 0, start = 0; start < text.length && found.size < most; line++) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    pattern.lastIndex = 0;
    const match = pattern.exec(text.slice(start, text[end - 1] === '\r' ? end - 1 : end));
    if (match !== null) found.set(line, match.index);
    start = end + 1;
  }
  return found;
}
