const groups: Readonly<Record<string, string>> = {
  "'": '\u2018\u2019\u201A\u201B\u2032\u02BC\uFF07',
  '"': '\u201C\u201D\u201E\u201F\u2033\uFF02',
  '-': '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uFE63\uFF0D',
  ' ': '\u00A0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000',
};

const plain = new Map(
  Object.entries(groups).flatMap(([to, from]) => Array.from(from, (each) => [each, to] as const)),
);

const lookAlike = new RegExp(`[${Object.values(groups).join('')}]`, 'gu');

/** Quotes, dashes and spaces as a keyboard types them. The text keeps its length, so offsets stay what they are. */
export function withoutLookAlikes(text: string): string {
  return text.replace(lookAlike, (each) => plain.get(each) ?? each);
}
