/** Text in which everything quoted stands as one token, so that its words are not taken for the person's. */
export interface Masked {
  readonly text: string;
  readonly literals: readonly Literal[];
}

export interface Literal {
  readonly value: string;
  readonly kind: 'fence' | 'json' | 'code' | 'quote';
}

const open = '\u27e6';
const close = '\u27e7';

/** Matches one masked literal. */
export const mark = `${open}\\d+${close}`;

const fence = /(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n?\1/y;
const code = /`([^`\n]+)`/y;
const quote = /"([^"\n]*)"|“([^”\n]*)”/y;
const apostrophes = /'([^'\n]*)'(?=[\s.,;:!?)]|$)/y;

/** Masks fenced blocks, code, quotations and JSON objects. */
export function mask(text: string): Masked {
  const literals: Literal[] = [];
  let masked = '';
  for (let at = 0; at < text.length;) {
    const found = literalAt(text, at);
    if (found === undefined) masked += text[at++];
    else {
      masked += `${open}${literals.length}${close}`;
      literals.push(found.literal);
      at += found.length;
    }
  }
  return { text: masked, literals };
}

function literalAt(text: string, at: number): { literal: Literal; length: number } | undefined {
  const before = text[at - 1] ?? ' ';
  switch (text[at]) {
    case '`':
      return matchAt(fence, text, at, 'fence') ?? matchAt(code, text, at, 'code');
    case '~':
      return matchAt(fence, text, at, 'fence');
    case '"':
    case '“':
      return matchAt(quote, text, at, 'quote');
    case "'":
      return /[\s(]/.test(before) ? matchAt(apostrophes, text, at, 'quote') : undefined;
    case '{':
      return jsonAt(text, at);
    default:
      return undefined;
  }
}

function matchAt(
  pattern: RegExp,
  text: string,
  at: number,
  kind: Literal['kind'],
): { literal: Literal; length: number } | undefined {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const value = kind === 'fence' ? `${match[2] ?? ''}\n` : (match[1] ?? match[2] ?? '');
  return { literal: { value, kind }, length: match[0].length };
}

/** The shortest text from here that is a JSON object; at most 100,000 characters are looked at. */
function jsonAt(text: string, at: number): { literal: Literal; length: number } | undefined {
  let depth = 0;
  let quoted = false;
  for (let end = at; end < Math.min(text.length, at + 100_000); end++) {
    const character = text[end];
    if (quoted && character === '\\') end++;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === '{') depth++;
    else if (!quoted && character === '}' && --depth === 0) {
      const value = text.slice(at, end + 1);
      return { literal: { value, kind: 'json' }, length: value.length };
    }
  }
  return undefined;
}

/** The value of a literal's token; any other word without the punctuation around it. */
export function valueOf(token: string, { literals }: Masked): string {
  const index = new RegExp(`${open}(\\d+)${close}`).exec(token)?.[1];
  if (index !== undefined) return literals[Number(index)]?.value ?? '';
  return token.replace(/^[("'<]+|[.,;:!?)"'>]+$/g, '');
}

/** The text with its literals back in their places, quoted as code. */
export const unmask = (text: string, { literals }: Masked): string =>
  text.replaceAll(new RegExp(`${open}(\\d+)${close}`, 'g'), (_, index: string) => {
    const literal = literals[Number(index)];
    return literal?.kind === 'json' ? literal.value : `\`${literal?.value ?? ''}\``;
  });
