import { isRecord, parseJson, readStringOr } from '../base/json.ts';

/** Text of a file before and after a change. */
export interface TextChange {
  /** Text before the change; empty for a new file. */
  readonly before: string;
  readonly after: string;
  /** Texts of the Markdown cells of a notebook, if the change concerns cells. */
  readonly cells?: { readonly before: readonly string[]; readonly after: readonly string[] };
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
 * Checks whether a change of a notebook adds content that the notebook editor might fetch or run without a click. That
 * is a Markdown cell with a remote image or with HTML, or an output other than plain text and images. A cell counts as
 * new if its text changes.
 */
export function addsActiveNotebookContent({ before, after, cells }: TextChange): boolean {
  const parts = cells === undefined ? listActiveParts(after) : cells.after.filter(hasActiveMarkup);
  if (parts.length === 0) return false;
  const previousParts = new Set(cells === undefined ? listActiveParts(before) : cells.before);
  return parts.some((part) => !previousParts.has(part));
}

/** Returns the active cells and outputs of a notebook file. VS Code opens no notebook whose JSON is invalid. */
function listActiveParts(text: string): readonly string[] {
  const notebook = parseJson(text.replace(/^\uFEFF/u, ''));
  const cells = isRecord(notebook) ? notebook['cells'] : undefined;
  if (!Array.isArray(cells)) return [];
  return cells.filter(isRecord).flatMap(({ cell_type: type, source, outputs }) => {
    const markup = Array.isArray(source) ? source.join('') : readStringOr(source, '');
    return [
      ...(type === 'markdown' && hasActiveMarkup(markup) ? [markup] : []),
      ...(Array.isArray(outputs) ? outputs : [])
        .filter((output) => !isPassiveOutput(output))
        .map((output) => JSON.stringify(output)),
    ];
  });
}

const hasActiveMarkup = (text: string): boolean =>
  /!\[|<[a-z!?/]|mermaid|(?:`{3}|~{3})[^\n]*&/iu.test(
    text.replaceAll(passiveTagPattern, ' ').replaceAll(localImagePattern, ' '),
  );

/** Matches HTML tags that load nothing, links, and addresses in angle brackets. */
const passiveTagPattern =
  /<\/?(?:b|i|u|s|em|strong|small|sub|sup|br|hr|p|div|span|center|h[1-6]|ul|ol|li|code|pre|kbd|del|ins|mark|blockquote|details|summary|table|thead|tbody|tr|td|th)(?:\s+(?:align|class|colspan|rowspan|width|height)="[\w %-]*")*\s*\/?>|<\/a>|<a(?:\s+href="[\w:/.?=#%+-]*")?>|<https?:\/\/[\w:/.%+-]*(?:\?[\w:.=%+-]*)?>|<[\w.+-]+@[\w.-]+>/giu;

/** Matches images that are an attachment of the cell or a file at a plain relative path. */
const localImagePattern = /!\[[^[\]<>`~]*\]\((?:attachment:)?(?:\.{0,2}\/)?\w[\w./%@+-]*\)/gu;

function isPassiveOutput(output: unknown): boolean {
  if (!isRecord(output)) return false;
  const { output_type: type, data, traceback } = output;
  if (type === 'stream') return true;
  if (type === 'error') return !activeTracebackPattern.test(joinLines(traceback));
  return (
    (type === 'display_data' || type === 'execute_result') &&
    Object.keys(isRecord(data) ? data : {}).every((mediaType) => passiveTypePattern.test(mediaType))
  );
}

const joinLines = (lines: unknown): string =>
  Array.isArray(lines) ? lines.join('\n') : JSON.stringify(lines ?? '');

/**
 * Matches HTML in the text of an error, also after the escape sequences of terminals, which the editor removes, and a
 * quote in a file name, of which the editor makes a link.
 */
const activeTracebackPattern = /<(?![\s\d=])|File\s[^\n]*'[^\n]*:\d/iu;

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
