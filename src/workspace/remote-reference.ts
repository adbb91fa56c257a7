/** A text of a file, and what becomes of it. */
export interface TextChange {
  /** Empty for a new file. */
  readonly before: string;
  readonly after: string;
}

/**
 * Whether a change makes a text refer to an address of another machine that editors fetch by themselves: schemas of
 * JSON, YAML, TOML and XML, document types, models. By fetching it they tell that machine whatever stands in the
 * address. Any kind of file counts: it can be renamed. What cannot be told for sure counts as one.
 *
 * Whole texts are compared, not lines, as key and address may stand on different ones.
 */
export function addsRemoteReference({ before, after }: TextChange): boolean {
  const found = remoteReferences(after);
  if (found.size === 0) return false;
  if (found.has(unclear)) return true;
  const known = remoteReferences(before);
  return [...found].some((each) => !known.has(each));
}

/** Stands for an address that cannot be known from the text. */
const unclear = '?';

/** How far behind a key its address is looked for, and how many keys: a longer way is not clear. In characters. */
const reach = 2_000;
const mostKeys = 20_000;

/** Each with what it is for: as another one the same address is fetched anew. */
function remoteReferences(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const plain = withoutEscapes(text);
  let keys = 0;
  for (const { 0: key, index } of plain.matchAll(keyPattern)) {
    keys += 1;
    if (keys > mostKeys) return found.add(unclear);
    const rest = plain.slice(index + key.length, index + key.length + reach);
    for (const address of addressesOf(key, rest)) {
      if (address === unclear) found.add(unclear);
      else if (isRemote(address)) found.add(`${key} ${address}`);
    }
  }
  return found;
}

const keyPattern =
  /\$(?:schema|ref)\b|#:schema(?=\s)|\b(?:noNamespaceS|s)chemaLocation(?=\s{0,100}=)|<!(?:doctype|entity)\b|<\?xml-(?:model|stylesheet)\b/giu;

function addressesOf(key: string, rest: string): string[] {
  if (key.startsWith('<')) return quoted(rest.split('>', 1)[0] ?? '');
  if (/location$/iu.test(key)) return locations(rest);
  if (key.startsWith('#')) return [firstWord(rest)];
  return valueOf(rest);
}

/** What strings of JSON and YAML write in other ways. */
function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text
    .replaceAll(/\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|U([0-9A-Fa-f]{8}))/gu, (_, u, x, long) =>
      characterOf(String(u ?? x ?? long)),
    )
    .replaceAll(/\\\r?\n[ \t]*/gu, '')
    .replaceAll(String.raw`\/`, '/');
}

function characterOf(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** White space and comments, of languages that have any. */
const blank = String.raw`\s|\/\*(?:[^*]|\*(?!\/))*\*\/|#[^\n]*\n`;
const lineComment = String.raw`\/\/[^\n]*\n`;
/** Tags, anchors and the marks of folded text stand in front of a value of YAML. */
const mark = String.raw`[&!>|]\S*\s`;

const gapOf = (...parts: readonly string[]): RegExp => new RegExp(`^(?:${parts.join('|')})*`, 'u');
const gap = gapOf(blank, lineComment);
const valueGap = gapOf(blank, mark);
const valueGapWithComments = gapOf(blank, mark, lineComment);

/** Behind a key, a sign and maybe a quote; what looks like a comment may be the address of another machine. */
function valueOf(rest: string): string[] {
  const sign = rest.replace(/^["'`]/u, '').replace(gap, '');
  if (!/^[:=]/u.test(sign)) return isCut(sign, rest) ? [unclear] : [];
  const value = sign.slice(1).replace(valueGap, '');
  const uncommented = value.replace(valueGapWithComments, '');
  if (uncommented.startsWith('*') || isCut(uncommented, rest)) return [unclear];
  return [firstWord(value), firstWord(uncommented)];
}

/** Whether a gap goes on beyond what is looked at. */
const isCut = (left: string, rest: string): boolean =>
  rest.length === reach && (left === '' || /^(?:\/[*/]|#|[&!>|]\S*$)/u.test(left));

const firstWord = (text: string): string => /^\s*["'`]?\s*([^\s"'`<>]*)/u.exec(text)?.[1] ?? '';

function locations(rest: string): string[] {
  const value = /^\s*=\s*(?:"([^"]*)"|'([^']*)')/u.exec(rest);
  if (value === null) return rest.length === reach ? [unclear] : [];
  const text = value[1] ?? value[2] ?? '';
  return text.includes('&') ? [unclear] : text.trim().split(/\s+/u);
}

/** The strings of a declaration. Names of character references are not resolved. */
function quoted(declaration: string): string[] {
  if (declaration.length === reach) return [unclear];
  return (declaration.match(/"[^"]*"|'[^']*'/gu) ?? []).map((each) =>
    each.includes('&') ? unclear : each.slice(1, -1).trim(),
  );
}

/** Also a share of another machine, or a file system that the editor reaches through the network. */
const isRemote = (address: string): boolean =>
  /^https?:|^[\\/]{2}|^[a-z][a-z0-9+.-]*:[\\/]{2}[^\\/]/iu.test(address) &&
  !/^vscode:\/\/schemas\//iu.test(address);
