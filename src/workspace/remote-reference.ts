import { isRecord, parseJson, readStringOr } from '../base/json.ts';

/** Text of a file before and after a change. */
export interface TextChange {
  /** Text before the change; empty for a new file. */
  readonly before: string;
  readonly after: string;
  /** True for the text of a code cell, which the notebook editor does not render. */
  readonly isCode?: boolean;
}

/**
 * Checks whether a change adds a reference that editors fetch automatically from a remote address. Examples are
 * references to a JSON, YAML, TOML or XML schema, a document type, or an XML model. A request for such an address could
 * leak data in the address.
 *
 * Checks files of every type, because a file can be renamed later. Treats ambiguous references as remote.
 */
export function addsRemoteReference({ before, after }: TextChange): boolean {
  const references = findRemoteReferences(after);
  if (references.size === 0) return false;
  if (references.has(unresolvedAddress)) return true;
  const previousReferences = findRemoteReferences(before);
  return [...references].some((reference) => !previousReferences.has(reference));
}

/**
 * Checks whether a change of a notebook adds content that the notebook editor can fetch or run without a click: an
 * address in a Markdown cell with an image or HTML, or an output with HTML or scripts. Ambiguous addresses count.
 * @param change Text of the notebook file, or of one cell.
 */
export function addsActiveNotebookContent({ before, after, isCode }: TextChange): boolean {
  if (isCode === true) return false;
  const parts = listActiveNotebookParts(after);
  if (parts.length === 0) return false;
  const previousParts = new Set(listActiveNotebookParts(before));
  return parts.some((part) => !previousParts.has(part));
}

function listActiveNotebookParts(text: string): readonly string[] {
  const notebook = parseJson(text.replace(/^\uFEFF/u, ''));
  if (!isRecord(notebook) || !Array.isArray(notebook['cells']))
    return listActiveAddresses(unescapeText(text));
  return notebook['cells']
    .filter(isRecord)
    .flatMap((cell) => [
      ...(cell['cell_type'] === 'code' ? [] : listActiveAddresses(joinSource(cell['source']))),
      ...(Array.isArray(cell['outputs']) ? cell['outputs'] : []).flatMap(listActiveOutputs),
    ]);
}

const joinSource = (source: unknown): string =>
  Array.isArray(source) ? source.join('') : readStringOr(source, '');

/** Returns all words of a Markdown text that can be part of an address, if the text has an image or HTML. */
function listActiveAddresses(text: string): readonly string[] {
  if (!/!\[|<[a-z!?/]/iu.test(text)) return [];
  // Browsers remove line breaks and tabs from addresses.
  if (!/\/\/|[\\&]|(?:https?|wss?|ftp|file):/iu.test(text.replaceAll(/\s/gu, ''))) return [];
  return text.split(/\s+/u).filter((word) => /\/\/|[\\&:]/u.test(word));
}

/** Returns the values of an output that the editor does not show as plain text or as an image without scripts. */
function listActiveOutputs(output: unknown): readonly string[] {
  const data = isRecord(output) ? output['data'] : undefined;
  return Object.entries(isRecord(data) ? data : {}).flatMap(([type, value]) =>
    passiveTypePattern.test(type) ? [] : [`${type} ${JSON.stringify(value)}`],
  );
}

const passiveTypePattern = /^(?:text\/plain|image\/(?:png|jpeg|gif|webp)|application\/json)$/iu;

/** Placeholder for an address that can't be determined from the text. */
const unresolvedAddress = '?';

/**
 * Number of characters after a key, such as `$schema`, that are searched for its address. If the address may be
 * farther away, the reference counts as remote.
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
  const addresses = new Set<string>();
  const unescapedText = unescapeText(text);
  let keyCount = 0;
  for (const { 0: key, index } of unescapedText.matchAll(keyPattern)) {
    keyCount += 1;
    if (keyCount > maxKeys) return addresses.add(unresolvedAddress);
    const followingText = unescapedText.slice(
      index + key.length,
      index + key.length + maxValueDistanceChars,
    );
    for (const address of readAddresses(key, followingText)) {
      if (address === unresolvedAddress) addresses.add(unresolvedAddress);
      else if (isRemoteAddress(address)) addresses.add(`${key} ${address}`);
    }
  }
  return addresses;
}

const keyPattern =
  /\$(?:schema|ref)\b|#:schema(?=\s)|\b(?:noNamespaceS|s)chemaLocation(?=\s{0,100}=)|<!(?:doctype|entity)\b|<\?xml-(?:model|stylesheet)\b/giu;

function readAddresses(key: string, followingText: string): string[] {
  if (key.startsWith('<')) return readQuotedStrings(followingText.split('>', 1)[0] ?? '');
  if (/location$/iu.test(key)) return readLocations(followingText);
  if (key.startsWith('#')) return [readFirstWord(followingText)];
  return readValueAddresses(followingText);
}

/** Decodes the escape sequences of JSON and YAML strings. */
function unescapeText(text: string): string {
  if (!text.includes('\\')) return text;
  return text
    .replaceAll(
      /\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|U([0-9A-Fa-f]{8}))/gu,
      (_, shortCode, byteCode, longCode) =>
        decodeHexCode(String(shortCode ?? byteCode ?? longCode)),
    )
    .replaceAll(/\\\r?\n[ \t]*/gu, '')
    .replaceAll(String.raw`\/`, '/');
}

function decodeHexCode(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** Matches white space and comments in JSON and YAML, except `//` comments. */
const blankSource = String.raw`\s|\/\*(?:[^*]|\*(?!\/))*\*\/|#[^\n]*\n`;
const lineCommentSource = String.raw`\/\/[^\n]*\n`;
/** Matches a tag, anchor or block scalar indicator before a YAML value, for example `!!str `, `&base ` or `>- `. */
const yamlTagSource = String.raw`[&!>|]\S*\s`;

const createSkipPattern = (...parts: readonly string[]): RegExp =>
  new RegExp(`^(?:${parts.join('|')})*`, 'u');
const skippedTextPattern = createSkipPattern(blankSource, lineCommentSource);
const skippedBeforeValuePattern = createSkipPattern(blankSource, yamlTagSource);
const skippedWithCommentsPattern = createSkipPattern(blankSource, yamlTagSource, lineCommentSource);

/**
 * Returns the addresses that may be the value of a key. Reads the value twice: with and without skipping `//` comments
 * before it, because text that looks like such a comment can be a remote address, for example `//host/schema`.
 */
function readValueAddresses(followingText: string): string[] {
  const assignment = followingText.replace(/^["'`]/u, '').replace(skippedTextPattern, '');
  if (!/^[:=]/u.test(assignment))
    return isTruncated(assignment, followingText) ? [unresolvedAddress] : [];
  const value = assignment.slice(1).replace(skippedBeforeValuePattern, '');
  const uncommentedValue = value.replace(skippedWithCommentsPattern, '');
  if (uncommentedValue.startsWith('*') || isTruncated(uncommentedValue, followingText))
    return [unresolvedAddress];
  return [readFirstWord(value), readFirstWord(uncommentedValue)];
}

/**
 * Checks whether the value of a key may begin after the searched range, because the range contains only white space or
 * comments.
 */
const isTruncated = (unreadText: string, followingText: string): boolean =>
  followingText.length === maxValueDistanceChars &&
  (unreadText === '' || /^(?:\/[*/]|#|[&!>|]\S*$)/u.test(unreadText));

const readFirstWord = (text: string): string => /^\s*["'`]?\s*([^\s"'`<>]*)/u.exec(text)?.[1] ?? '';

function readLocations(followingText: string): string[] {
  const value = /^\s*=\s*(?:"([^"]*)"|'([^']*)')/u.exec(followingText);
  if (value === null)
    return followingText.length === maxValueDistanceChars ? [unresolvedAddress] : [];
  const text = value[1] ?? value[2] ?? '';
  return text.includes('&') ? [unresolvedAddress] : text.trim().split(/\s+/u);
}

/**
 * Returns the quoted strings of an XML declaration. Returns {@link unresolvedAddress} for a string with a character or
 * entity reference, because such references are not resolved.
 */
function readQuotedStrings(declaration: string): string[] {
  if (declaration.length === maxValueDistanceChars) return [unresolvedAddress];
  return (declaration.match(/"[^"]*"|'[^']*'/gu) ?? []).map((quotedText) =>
    quotedText.includes('&') ? unresolvedAddress : quotedText.slice(1, -1).trim(),
  );
}

/** Detects web addresses, network shares, and URIs of remote file systems. */
const isRemoteAddress = (address: string): boolean =>
  /^https?:|^[\\/]{2}|^[a-z][a-z0-9+.-]*:[\\/]{2}[^\\/]/iu.test(address) &&
  !/^vscode:\/\/schemas\//iu.test(address);
