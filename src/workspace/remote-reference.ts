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
  const references = findRemoteReferences(after);
  if (references.size === 0) return false;
  if (references.has(unresolvedAddress)) return true;
  const previousReferences = findRemoteReferences(before);
  return [...references].some((reference) => !previousReferences.has(reference));
}

/**
 * Checks whether a change of a notebook adds content that the notebook editor can fetch or run without a click: images,
 * HTML with addresses or scripts, and outputs with HTML or scripts. Only images that clearly are local are exempt.
 */
export function addsActiveNotebookContent({ before, after }: TextChange): boolean {
  const parts = findActiveNotebookParts(after);
  if (parts.size === 0) return false;
  if (parts.has(unresolvedAddress)) return true;
  const previousParts = findActiveNotebookParts(before);
  return [...parts].some((part) => !previousParts.has(part));
}

/** Returns the image addresses, HTML tags and beginnings of outputs that the notebook editor can fetch or run. */
function findActiveNotebookParts(text: string): ReadonlySet<string> {
  const parts = new Set<string>();
  let keyCount = 0;
  const unescapedText = unescapeText(text);
  for (const { 0: key, index } of unescapedText.matchAll(notebookKeyPattern)) {
    keyCount += 1;
    if (keyCount > maxKeys) return parts.add(unresolvedAddress);
    const followingText = unescapedText.slice(
      index + key.length,
      index + key.length + maxValueDistanceChars,
    );
    for (const part of readActiveParts(key, followingText)) parts.add(`${key}${part}`);
  }
  return parts;
}

/** Matches the start of an image or a link definition in Markdown, of an HTML tag, and of an output with HTML or scripts. */
const notebookKeyPattern =
  /!\[|^[ \t">]*\[[^\n]*?\]:|<[a-z][\w:-]*|"(?:text\/html|image\/svg\+xml|application\/(?!json"|pdf")[^"\n]*)"\s*:/gimu;

function readActiveParts(key: string, followingText: string): readonly string[] {
  if (key.endsWith(']:')) return [readFirstWord(followingText)].filter(isPossiblyRemote);
  if (key === '![') {
    const addresses = followingText.matchAll(/\]\((?:\s|\\n",?|"|<)*(?<address>[^\s)>]*)/gu);
    return [...addresses].map(({ groups }) => groups?.['address'] ?? '').filter(isPossiblyRemote);
  }
  if (!key.startsWith('<')) return [followingText.slice(0, maxOutputStartChars)];
  if (activeTagPattern.test(key)) return [followingText.split(`</${key.slice(1)}`, 1)[0] ?? ''];
  const tag = /^(?:[^>"']|"[^"]*"|'[^']*')*/u.exec(followingText)?.[0] ?? '';
  const content = followingText[tag.length] === '>' ? tag : followingText;
  return activeAttributePattern.test(key === '<a' ? content.replace(/\shref\s*=/iu, '') : content)
    ? [content]
    : [];
}

/** Length of the beginning of an output, in characters, that identifies the output. Tools can't edit an output. */
const maxOutputStartChars = 300;

const activeTagPattern = /^<(?:base|embed|iframe|link|meta|object|script|style|svg)$/iu;
const activeAttributePattern =
  /[\s"'/](?:src\w*|[\w-]*:?href|poster|data|style|background|action|formaction|on[a-z]+)\s*=/iu;

/** Checks whether the address of an image is anything else than an attachment or a plain relative path. */
const isPossiblyRemote = (address: string): boolean =>
  address !== '' && !/^(?:attachment:)?(?:\.{0,2}\/)?[\w%@+-][\w./%@+-]*$/u.test(address);

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
