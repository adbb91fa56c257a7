/** The lines of a document, of which single ones are looked at without going through the others. */
export interface Lines {
  readonly lineCount: number;
  lineAt(line: number): { readonly text: string };
}

export interface Place {
  readonly line: number;
  readonly character: number;
}

/**
 * At most `limit` UTF-16 units directly before a place, with `\n` as line ends. Looks at no more lines than `limit`,
 * and never cuts a character in two.
 */
export function textBefore(lines: Lines, { line, character }: Place, limit: number): string {
  const pieces = [lines.lineAt(line).text.slice(Math.max(0, character - limit), character)];
  let length = Math.min(character, limit);
  for (let at = line - 1; at >= 0 && length < limit; at -= 1) {
    const { text } = lines.lineAt(at);
    const piece = text.slice(Math.max(0, text.length - (limit - length - 1)));
    pieces.push(limit - length > 1 ? `${piece}\n` : '\n');
    length += Math.min(text.length, limit - length - 1) + 1;
  }
  const text = pieces.reverse().join('');
  return isSecondHalf(text.charCodeAt(0)) && length >= limit ? text.slice(1) : text;
}

/** At most `limit` UTF-16 units directly behind a place, as {@link textBefore}. */
export function textBehind(lines: Lines, { line, character }: Place, limit: number): string {
  const pieces = [lines.lineAt(line).text.slice(character, character + limit)];
  let length = pieces[0]?.length ?? 0;
  for (let at = line + 1; at < lines.lineCount && length < limit; at += 1) {
    const piece = `\n${lines.lineAt(at).text.slice(0, limit - length - 1)}`;
    pieces.push(piece);
    length += piece.length;
  }
  const text = pieces.join('');
  return isFirstHalf(text.charCodeAt(text.length - 1)) && length >= limit
    ? text.slice(0, -1)
    : text;
}

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
