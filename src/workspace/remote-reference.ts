/** Text of a file before and after a change. */
export interface TextChange {
  /** Text before the change; empty for a new file. */
  readonly before: string;
  readonly after: string;
}

/**
 * Checks whether a change adds a reference that editors fetch automatically from a remote address. Examples are
 * references to a JSON, YAML, TOML or XML schema, a document type, or an XML model. A request for such an address could
 * leak data in the address.
 *
 * Checks files of every type, because a file can be renamed later. Treats ambiguous references as remote.
 */
export function addsRemoteReference({ before, after }: TextChange): boolean {
  const found = findRemoteReferences(after);
  if (found.size === 0) return false;
  if (found.has(unresolvedAddress)) return true;
  const previous = findRemoteReferences(before);
  return [...found].some((reference) => !previous.has(reference));
}

/** Placeholder for an address that can't be determined from the text. */
const unresolvedAddress = '?';

/**
 * Maximum number of characters after a key in which its address is read. If the address may be farther away, the
 * reference counts as remote.
 */
const maxValueDistanceChars = 2_000;
/**
 * Maximum number of occurrences of reference keys, such as `$schema`, that are checked in a text. A text with more
 * occurrences always counts as adding a remote reference.
 */
const maxKeys = 20_000;

/**
 * Returns the remote addresses in a text. Each address is prefixed with its key, such as `$schema`. An address after
 * two different keys is therefore returned twice, because an editor fetches the address for each key.
 */
function findRemoteReferences(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const unescapedText = unescapeText(text);
  let keys = 0;
  for (const { 0: key, index } of unescapedText.matchAll(keyPattern)) {
    keys += 1;
    if (keys > maxKeys) return found.add(unresolvedAddress);
    const rest = unescapedText.slice(
      index + key.length,
      index + key.length + maxValueDistanceChars,
    );
    for (const address of readAddresses(key, rest)) {
      if (address === unresolvedAddress) found.add(unresolvedAddress);
      else if (isRemoteAddress(address)) found.add(`${key} ${address}`);
    }
  }
  return found;
}

const keyPattern =
  /\$(?:schema|ref)\b|#:schema(?=\s)|\b(?:noNamespaceS|s)chemaLocation(?=\s{0,100}=)|<!(?:doctype|entity)\b|<\?xml-(?:model|stylesheet)\b/giu;

function readAddresses(key: string, rest: string): string[] {
  if (key.startsWith('<')) return readQuotedStrings(rest.split('>', 1)[0] ?? '');
  if (/location$/iu.test(key)) return readLocations(rest);
  if (key.startsWith('#')) return [readFirstWord(rest)];
  return readValueAddresses(rest);
}

/** Decodes the escape sequences of JSON and YAML strings. */
function unescapeText(text: string): string {
  if (!text.includes('\\')) return text;
  return text
    .replaceAll(/\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|U([0-9A-Fa-f]{8}))/gu, (_, u, x, long) =>
      fromHexCode(String(u ?? x ?? long)),
    )
    .replaceAll(/\\\r?\n[ \t]*/gu, '')
    .replaceAll(String.raw`\/`, '/');
}

function fromHexCode(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** Matches white space and comments in JSON and YAML. */
const blankSource = String.raw`\s|\/\*(?:[^*]|\*(?!\/))*\*\/|#[^\n]*\n`;
const lineCommentSource = String.raw`\/\/[^\n]*\n`;
/** Matches tags, anchors and block scalar indicators before a YAML value. */
const yamlTagSource = String.raw`[&!>|]\S*\s`;

const createSkipPattern = (...parts: readonly string[]): RegExp =>
  new RegExp(`^(?:${parts.join('|')})*`, 'u');
const skippedTextPattern = createSkipPattern(blankSource, lineCommentSource);
const skippedBeforeValuePattern = createSkipPattern(blankSource, yamlTagSource);
const skippedWithCommentsPattern = createSkipPattern(blankSource, yamlTagSource, lineCommentSource);

/**
 * Returns the addresses that may be the value of a key, once with and once without skipping comments before the value.
 * Text that looks like a comment can be a remote address.
 */
function readValueAddresses(rest: string): string[] {
  const sign = rest.replace(/^["'`]/u, '').replace(skippedTextPattern, '');
  if (!/^[:=]/u.test(sign)) return isTruncated(sign, rest) ? [unresolvedAddress] : [];
  const value = sign.slice(1).replace(skippedBeforeValuePattern, '');
  const uncommented = value.replace(skippedWithCommentsPattern, '');
  if (uncommented.startsWith('*') || isTruncated(uncommented, rest)) return [unresolvedAddress];
  return [readFirstWord(value), readFirstWord(uncommented)];
}

/**
 * Checks whether the value of a key may begin after the searched range, because the range contains only white space or
 * comments.
 */
const isTruncated = (unreadText: string, rest: string): boolean =>
  rest.length === maxValueDistanceChars &&
  (unreadText === '' || /^(?:\/[*/]|#|[&!>|]\S*$)/u.test(unreadText));

const readFirstWord = (text: string): string => /^\s*["'`]?\s*([^\s"'`<>]*)/u.exec(text)?.[1] ?? '';

function readLocations(rest: string): string[] {
  const value = /^\s*=\s*(?:"([^"]*)"|'([^']*)')/u.exec(rest);
  if (value === null) return rest.length === maxValueDistanceChars ? [unresolvedAddress] : [];
  const text = value[1] ?? value[2] ?? '';
  return text.includes('&') ? [unresolvedAddress] : text.trim().split(/\s+/u);
}

/**
 * Returns the quoted strings of an XML declaration. Returns {@link unresolvedAddress} for a string with a character or
 * entity reference, because such references are not resolved.
 */
function readQuotedStrings(declaration: string): string[] {
  if (declaration.length === maxValueDistanceChars) return [unresolvedAddress];
  return (declaration.match(/"[^"]*"|'[^']*'/gu) ?? []).map((quoted) =>
    quoted.includes('&') ? unresolvedAddress : quoted.slice(1, -1).trim(),
  );
}

/** Detects web addresses, network shares, and URIs of remote file systems. */
const isRemoteAddress = (address: string): boolean =>
  /^https?:|^[\\/]{2}|^[a-z][a-z0-9+.-]*:[\\/]{2}[^\\/]/iu.test(address) &&
  !/^vscode:\/\/schemas\//iu.test(address);
