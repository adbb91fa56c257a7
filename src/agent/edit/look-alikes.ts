const groups: readonly (readonly [plain: string, lookAlikes: RegExp])[] = [
  ["'", /[\u2018\u2019\u201A\u201B\u2032\u02BC\uFF07]/g],
  ['"', /[\u201C\u201D\u201E\u201F\u2033\uFF02]/g],
  ['-', /[\u2010-\u2015\u2212\uFE63\uFF0D]/g],
  [' ', /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g],
];

/** Quotes, dashes and spaces as a keyboard types them. The text keeps its length, so offsets stay what they are. */
export function withoutLookAlikes(text: string): string {
  if (isPlain(text)) return text;
  return groups.reduce((plain, [to, from]) => plain.replace(from, to), text);
}

/**
 * Whether a text is of printable ASCII, tabs and line ends alone. By hand: a large text is looked at once, before an
 * engine has made a regular expression fast.
 */
export function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 126 || (code < 32 && code !== 9 && code !== 10 && code !== 13)) return false;
  }
  return true;
}
