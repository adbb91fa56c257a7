const longest = 60;

/** A conversation's first name: the first words of the first message, on one line. */
export function titleFrom(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  if (line.length <= longest) return line;
  const cut = line.slice(0, longest);
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > longest / 2 ? space : longest)}…`;
}
