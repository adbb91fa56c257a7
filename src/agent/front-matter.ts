/**
 * Values in the header of a file, by lowercase key, and the text after the header. The value of a nested map is an
 * empty string.
 */
export interface FrontMatter {
  readonly values: ReadonlyMap<string, string | readonly string[]>;
  /** Text after the header. */
  readonly body: string;
}

const keyPattern = /^(?<key>[A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(?<value>.*))?$/su;

/** Maximum number of lines in a header. Limited because parsing can take quadratic time. */
const maxHeaderLines = 200;
/** Maximum length of a header in characters. */
const maxHeaderLength = 16_384;

/**
 * Parses the YAML header of a Markdown file: strings, block scalars and lists at the top level. Accepts a file without
 * a header.
 * @returns the number of the first malformed line, starting at 1, if the header cannot be parsed
 */
export function parseFrontMatter(text: string): FrontMatter | number {
  const lines = text.replace(/^\uFEFF/u, '').split(/\r\n|\n|\r/u);
  const isFence = (line: string): boolean => /^---[ \t]*$/u.test(line);
  if (!isFence(lines[0] ?? '')) return { values: new Map(), body: text };
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  const headerLength = lines.slice(1, end).join('\n').length;
  if (end < 0 || end - 1 > maxHeaderLines || headerLength > maxHeaderLength) return 1;
  const values = new Map<string, string | readonly string[]>();
  for (let index = 1; index < end;) {
    const line = lines[index] ?? '';
    if (isBlank(line)) {
      index += 1;
      continue;
    }
    const next = findNextEntry(lines, index + 1, end);
    const { key, value = '' } = keyPattern.exec(line.trimEnd())?.groups ?? {};
    if (key === undefined || values.has(key.toLowerCase())) return index + 1;
    const parsed = parseValue(value.trim(), lines.slice(index + 1, next));
    if (parsed === undefined) return index + 1;
    values.set(key.toLowerCase(), parsed);
    index = next;
  }
  return { values, body: lines.slice(end + 1).join('\n') };
}

/** Returns a header value that is a string; empty if the key is missing or its value is a list. */
export function readHeaderText({ values }: FrontMatter, key: string): string {
  const value = values.get(key) ?? '';
  return typeof value === 'string' ? value : '';
}

/** Returns a header value as a list; undefined if the key is missing. Splits a string at its commas. */
export function readHeaderList(
  { values }: FrontMatter,
  key: string,
): readonly string[] | undefined {
  const value = values.get(key);
  if (typeof value !== 'string') return value;
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

const isBlank = (line: string): boolean => /^\s*(?:#|$)/u.test(line);

/**
 * Returns the index of the next line that starts an entry; `end` if none exists. Blank and indented lines, comments,
 * list items and closing brackets start no entry.
 */
function findNextEntry(lines: readonly string[], from: number, end: number): number {
  let index = from;
  while (index < end && /^(?:\s|-(?:\s|$)|[\]}]|$|#)/u.test(lines[index] ?? '')) index += 1;
  return index;
}

/** Parses a value that continues on the lines `rest`; undefined if it is malformed. */
function parseValue(
  value: string,
  rest: readonly string[],
): string | readonly string[] | undefined {
  if (/^[|>][+-]?\d?[+-]?$/u.test(value)) return parseBlockText(value, rest);
  const lines = rest.filter((line) => !isBlank(line)).map((line) => line.trim());
  if (value.startsWith('[')) return parseFlowList([value, ...lines].join(' '));
  if (value.startsWith('{')) return [value, ...lines].join(' ').endsWith('}') ? '' : undefined;
  if (value === '' || value.startsWith('#')) return parseNestedValue(lines);
  return parseScalar([value, ...lines].join(' '));
}

/**
 * Parses the lines below a key without a value: a list, a string, or a nested map, for which it returns an empty
 * string. Returns undefined if the lines are malformed.
 */
function parseNestedValue(lines: readonly string[]): string | readonly string[] | undefined {
  const [first = ''] = lines;
  if (!/^-(?:\s|$)/u.test(first)) return keyPattern.test(first) ? '' : parseScalar(lines.join(' '));
  const items = lines.filter((line) => /^-(?:\s|$)/u.test(line));
  const texts = items.map((line) => parseScalar(line.slice(1).trim()));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

function parseBlockText(style: string, rest: readonly string[]): string {
  const indent = /^\s*/u.exec(rest.find((line) => line.trim() !== '') ?? '')?.[0].length ?? 0;
  const lines = rest.map((line) => line.slice(indent).trimEnd());
  const text = lines.join('\n').trimEnd();
  return style.startsWith('|') ? text : text.replaceAll(/(?<!\n)\n(?!\n)/gu, ' ');
}

function parseFlowList(text: string): readonly string[] | undefined {
  const inner = /^\[(?<inner>.*)\]\s*(?:#.*)?$/su.exec(text)?.groups?.['inner'];
  if (inner === undefined) return undefined;
  const items = inner.match(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,\s][^,]*/gsu) ?? [];
  const texts = items.map((item) => parseScalar(item.trim()));
  return texts.every((item) => item !== undefined) ? texts : undefined;
}

/** Parses a plain or quoted string; undefined if a quotation mark is not closed. */
function parseScalar(text: string): string | undefined {
  const quoted = /^(?:"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>(?:[^']|'')*)')\s*(?:#.*)?$/su.exec(
    text,
  )?.groups;
  if (quoted?.['double'] !== undefined) return unescapeText(quoted['double']);
  if (quoted?.['single'] !== undefined) return quoted['single'].replaceAll("''", "'");
  return /^["']/u.test(text) ? undefined : text.replace(/\s#.*$/su, '').trim();
}

const unescapeText = (text: string): string =>
  text.replaceAll(
    /\\(?<character>.)/gsu,
    (_, character: string) => escapeCharacters[character] ?? character,
  );

const escapeCharacters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
