import { isRecord } from '../../base/json.ts';

/** Position of a JSON value in a text, as UTF-16 offsets. `end` is exclusive. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** An item of a JSON array, or a member of a JSON object together with its name. */
export interface JsonEntry extends JsonSpan {
  /** Text between the previous entry and this one; undefined for the first entry. */
  readonly separator: string | undefined;
  /** Name of an object member; undefined for an array item. */
  readonly name: string | undefined;
  readonly value: JsonSpan;
}

/** Returns the position of the root value of a valid JSON text. */
export function findRootSpan(json: string): JsonSpan {
  const start = skipSpace(json, json.startsWith('\uFEFF') ? 1 : 0);
  return { start, end: findValueEnd(json, start) };
}

/** Returns the entries of an object or array in valid JSON; empty for any other value. */
export function listEntries(json: string, { start, end }: JsonSpan): JsonEntry[] {
  const isObject = json[start] === '{';
  if (!isObject && json[start] !== '[') return [];
  const entries: JsonEntry[] = [];
  for (let offset = skipSpace(json, start + 1); offset < end - 1;) {
    const previousEntry = entries.at(-1);
    const nameEnd = isObject ? findValueEnd(json, offset) : offset;
    const valueStart = isObject ? skipSpace(json, skipSpace(json, nameEnd) + 1) : offset;
    const value = { start: valueStart, end: findValueEnd(json, valueStart) };
    entries.push({
      start: offset,
      end: value.end,
      separator: previousEntry && json.slice(previousEntry.end, offset),
      name: isObject ? String(JSON.parse(json.slice(offset, nameEnd))) : undefined,
      value,
    });
    // Skips the comma, or ends at the closing bracket.
    offset = skipSpace(json, skipSpace(json, value.end) + 1);
  }
  return entries;
}

/** Returns the member that a JSON parser uses: the last one with this name; undefined if none exists. */
export const findMember = (members: readonly JsonEntry[], name: string): JsonEntry | undefined =>
  members.findLast((member) => member.name === name);

function skipSpace(json: string, startOffset: number): number {
  let offset = startOffset;
  while (offset < json.length && ' \t\n\r'.includes(json.charAt(offset))) offset += 1;
  return offset;
}

function findValueEnd(json: string, start: number): number {
  const firstCharacter = json[start];
  if (firstCharacter === '"') return findStringEnd(json, start);
  if (firstCharacter !== '{' && firstCharacter !== '[')
    return findNextMatch(/[,\]}\s]/gu, json, start);
  let depth = 0;
  for (let offset = start; offset < json.length;) {
    const character = json[offset];
    if (character === '"') offset = findStringEnd(json, offset);
    else {
      depth += character === '{' || character === '[' ? 1 : -1;
      offset += 1;
      if (depth === 0) return offset;
    }
    offset = findNextMatch(/["[\]{}]/gu, json, offset);
  }
  return json.length;
}

function findNextMatch(pattern: RegExp, json: string, startOffset: number): number {
  pattern.lastIndex = startOffset;
  return pattern.exec(json)?.index ?? json.length;
}

/**
 * Returns the offset after the JSON string that begins at `start`. Uses no regular expression, because strings can be
 * very long.
 */
function findStringEnd(json: string, start: number): number {
  for (
    let quoteIndex = json.indexOf('"', start + 1);
    quoteIndex >= 0;
    quoteIndex = json.indexOf('"', quoteIndex + 1)
  ) {
    let backslashCount = 0;
    while (json[quoteIndex - 1 - backslashCount] === '\\') backslashCount += 1;
    if (backslashCount % 2 === 0) return quoteIndex + 1;
  }
  return json.length;
}

/** Formatting of a JSON text. New values in the text are formatted in the same way. */
export interface JsonLayout {
  /** Line ending; empty for a text on one line. */
  readonly newline: '' | '\n' | '\r\n';
  /** Indentation of one nesting level. */
  readonly unit: string;
  /** Text between two entries on the same line. */
  readonly comma: string;
  /** Text between a member's name and its value. */
  readonly colon: string;
  /** True if the text escapes all non-ASCII characters. */
  readonly isAscii: boolean;
}

/** Detects the formatting of a JSON text from the members of its root object. */
export function detectLayout(json: string): JsonLayout {
  const rootSpan = findRootSpan(json);
  const [firstEntry, secondEntry] = listEntries(json, rootSpan);
  const leadingSpace = json.slice(rootSpan.start + 1, firstEntry?.start ?? rootSpan.start + 1);
  const newline = leadingSpace.includes('\r\n') ? '\r\n' : leadingSpace.includes('\n') ? '\n' : '';
  const nameEnd = firstEntry && findValueEnd(json, firstEntry.start);
  const isAscii = !/[^\0-\u007F]/u.test(json) && /\\u(?!00[0-7])[0-9a-f]{4}/iu.test(json);
  return {
    newline,
    unit: newline === '' ? '' : leadingSpace.slice(leadingSpace.lastIndexOf('\n') + 1),
    comma: newline === '' ? (secondEntry?.separator ?? ', ') : ', ',
    colon: firstEntry && nameEnd !== undefined ? json.slice(nameEnd, firstEntry.value.start) : ': ',
    isAscii,
  };
}

/**
 * Formats a value as JSON.
 * @param indent Indentation of the line on which the value starts.
 */
export function formatJson(value: unknown, layout: JsonLayout, indent: string): string {
  if (typeof value !== 'object' || value === null) return formatScalar(value, layout);
  const { newline, unit, comma, colon } = layout;
  const innerIndent = indent + unit;
  const entries = isRecord(value)
    ? Object.entries(value).map(
        ([name, member]) =>
          `${formatScalar(name, layout)}${colon}${formatJson(member, layout, innerIndent)}`,
      )
    : Object.values(value).map((item) => formatJson(item, layout, innerIndent));
  const [openingBracket, closingBracket] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0 || newline === '')
    return `${openingBracket}${entries.join(comma)}${closingBracket}`;
  const separator = `${newline}${innerIndent}`;
  return `${openingBracket}${separator}${entries.join(`,${separator}`)}${newline}${indent}${closingBracket}`;
}

function formatScalar(value: unknown, { isAscii }: JsonLayout): string {
  const json = JSON.stringify(value);
  if (!isAscii) return json;
  return json.replaceAll(
    /[^\0-\u007F]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Formats an object or array with a new list of entries. Copies each retained entry unchanged, with the text before it.
 * @param list Object or array, with its current entries from {@link listEntries}.
 * @param items Retained entries, and the JSON of new entries.
 */
export function rebuildList(
  json: string,
  list: JsonSpan & { readonly entries: readonly JsonEntry[]; readonly layout: JsonLayout },
  items: readonly (JsonEntry | string)[],
): string {
  const openingBracket = json.charAt(list.start);
  const closingBracket = json.charAt(list.end - 1);
  if (items.length === 0) return `${openingBracket}${closingBracket}`;
  const { prefix, separator, suffix } = getListSpacing(json, list);
  const entryTexts = items.map((item, index) => {
    const text = typeof item === 'string' ? item : json.slice(item.start, item.end);
    const ownSeparator = typeof item === 'string' ? undefined : item.separator;
    return `${index === 0 ? prefix : (ownSeparator ?? separator)}${text}`;
  });
  return `${openingBracket}${entryTexts.join('')}${suffix}${closingBracket}`;
}

/** Returns the text before the first entry, between entries, and after the last entry of a list. */
function getListSpacing(
  json: string,
  list: JsonSpan & { readonly entries: readonly JsonEntry[]; readonly layout: JsonLayout },
): { readonly prefix: string; readonly separator: string; readonly suffix: string } {
  const { entries, layout, start, end } = list;
  const [firstEntry, secondEntry] = entries;
  const lastEntry = entries.at(-1);
  if (firstEntry === undefined || lastEntry === undefined) {
    const { newline, unit, comma } = layout;
    if (newline === '') return { prefix: '', separator: comma, suffix: '' };
    const indent = getLineIndent(json, start);
    const prefix = `${newline}${indent}${unit}`;
    return { prefix, separator: `,${prefix}`, suffix: `${newline}${indent}` };
  }
  const prefix = json.slice(start + 1, firstEntry.start);
  const separator = secondEntry?.separator ?? (prefix.includes('\n') ? `,${prefix}` : layout.comma);
  return { prefix, separator, suffix: json.slice(lastEntry.end, end - 1) };
}

/** Returns the white space at the start of the line that contains the offset, up to the offset. */
export function getLineIndent(json: string, offset: number): string {
  const start = json.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/u.exec(json.slice(start, offset))?.[0] ?? '';
}
