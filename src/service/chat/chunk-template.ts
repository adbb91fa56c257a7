import { isRecord, type JsonRecord, parseJson } from '../../base/json.ts';

/**
 * Parser for server-sent events that differ in only a few values, such as the chunks of a streamed answer. Compares an
 * event with the bytes of an earlier event and reads only the values that differ, which is faster than `JSON.parse`.
 * Rejects every event that it might read differently from `JSON.parse`.
 */
export class ChunkTemplate {
  /** Parsed event. Each call of `read` changes the same object. */
  readonly value: JsonRecord;
  /** Bytes of the event before its first slot (variable value), as Latin-1. */
  readonly #head: string;
  readonly #slots: readonly TemplateSlot[];

  private constructor(value: JsonRecord, head: string, slots: readonly TemplateSlot[]) {
    this.value = value;
    this.#head = head;
    this.#slots = slots;
  }

  /**
   * Creates a parser from a complete event, including its blank line. Answer texts become slots: values that
   * {@link read} replaces. Values that differ from `earlierEvent` also become slots. Returns undefined if the event is
   * too long or has an unsupported structure.
   */
  static create(event: Buffer, earlierEvent: Buffer | undefined): ChunkTemplate | undefined {
    if (event.length > maxEventBytes) return undefined;
    const source = event.toString('latin1');
    const start = eventPattern.exec(source)?.groups?.['field']?.length;
    const value = start === undefined ? undefined : parseJson(event.toString('utf8', start));
    if (start === undefined || !isRecord(value)) return undefined;
    const tokens = listTokens(source, start);
    const scalars = findScalars(tokens, value);
    if (scalars === undefined) return undefined;
    const earlierTexts =
      earlierEvent === undefined ? undefined : listTokenTexts(earlierEvent.toString('latin1'));
    const variableScalars = scalars.filter(
      ({ key, index, isText }) =>
        (isText && textKeys.has(key)) ||
        (earlierTexts?.length === tokens.length && earlierTexts[index] !== tokens[index]?.text),
    );
    const [firstScalar] = variableScalars;
    if (firstScalar === undefined || variableScalars.length > maxTemplateSlots) return undefined;
    const getStart = (scalar: JsonScalar | undefined): number | undefined =>
      scalar && tokens[scalar.index]?.start;
    const slots = variableScalars.map(({ parent, key, index, isText }, position) => ({
      parent,
      key,
      isText,
      literal: source.slice(tokens[index]?.end, getStart(variableScalars[position + 1])),
    }));
    return new ChunkTemplate(value, source.slice(0, getStart(firstScalar)), slots);
  }

  /**
   * Reads the event at `offset` into `value`. Returns the offset after the event, or -1 if the event is incomplete or
   * differs from the template outside of the slots.
   * @param text The same content as `bytes`, as Latin-1.
   */
  read(text: string, bytes: Buffer, offset: number): number {
    let position = skipLiteral(text, this.#head, offset);
    for (const slot of this.#slots) {
      if (position === -1) return -1;
      const end = slot.isText
        ? readString(slot, { text, bytes, start: position })
        : readInteger(slot, text, position);
      position = end === -1 ? -1 : skipLiteral(text, slot.literal, end);
    }
    return position;
  }
}

/** Value that differs between the events of a stream. */
interface TemplateSlot {
  /** Object in the parsed event that contains the value. */
  readonly parent: Record<string, unknown>;
  readonly key: string;
  /** True for a string, false for an integer. */
  readonly isText: boolean;
  /** Bytes between this value and the next slot, or between this value and the end of the event, as Latin-1. */
  readonly literal: string;
}

/** Maximum length in bytes of an event for which a template is created. Longer events are rare. */
const maxEventBytes = 16 * 1024;
/** Maximum number of slots (variable values) in a template. With more slots, `JSON.parse` is as fast. */
const maxTemplateSlots = 6;

/** Keys whose values are text of the answer. */
const textKeys = new Set(['content', 'reasoning_content', 'reasoning', 'text', 'arguments']);

/** Matches a server-sent event with exactly one line of JSON, such as `data: {"a":1}` followed by a blank line. */
const eventPattern = /^(?<field>data: ?)\{[^\r\n]*\}(?:\n\n|\r\n\r\n)$/u;

interface JsonToken {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const tokenPattern = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+/gu;

/** Lists the tokens of a valid JSON text. */
function listTokens(source: string, startOffset: number): readonly JsonToken[] {
  tokenPattern.lastIndex = startOffset;
  const tokens: JsonToken[] = [];
  for (let match = tokenPattern.exec(source); match; match = tokenPattern.exec(source)) {
    const [text] = match;
    tokens.push({ text, start: match.index, end: match.index + text.length });
  }
  return tokens;
}

/** Returns the text of each token of an event. Returns undefined unless the event has exactly one line of JSON. */
function listTokenTexts(event: string): readonly string[] | undefined {
  const field = eventPattern.exec(event)?.groups?.['field'];
  return field === undefined ? undefined : listTokens(event, field.length).map(({ text }) => text);
}

/** String or integer in an event. Becomes a slot of the template if its value varies between events. */
interface JsonScalar {
  readonly parent: Record<string, unknown>;
  readonly key: string;
  readonly isText: boolean;
  /** Position of the value in the list of tokens. */
  readonly index: number;
}

/**
 * Keys whose values may be lists. An event with any other list gets no template, because callers may retain the
 * elements of that list, and each call of `read` changes the parsed objects.
 */
const listKeys = new Set(['choices', 'tool_calls']);
const maxDepth = 6;
/**
 * Matches a quoted JSON key of printable ASCII without escapes, such as `"content"`. The text between the quotes equals
 * the property name.
 */
const plainKeyPattern = /^"[ !#-[\]-~]*"$/u;
const integerPattern = /^(?:0|[1-9]\d{0,14})$/u;

/**
 * Lists the strings and integers of an event. Returns undefined if the event has an unsupported structure: unusual or
 * repeated keys, too many levels, a list under a key that is not in {@link listKeys}, or a list of several elements.
 */
function findScalars(
  tokens: readonly JsonToken[],
  value: JsonRecord,
): readonly JsonScalar[] | undefined {
  const scalars: JsonScalar[] = [];
  let index = 0;
  const readNextToken = (): string => tokens[index++]?.text ?? '';

  const readObject = (parent: Record<string, unknown>, depth: number): boolean => {
    const keys = new Set<string>();
    for (let text = readNextToken(); text !== '}'; text = readNextToken()) {
      if (text === ',') continue;
      const key = text.slice(1, -1);
      if (!plainKeyPattern.test(text) || key === '__proto__' || keys.has(key)) return false;
      keys.add(key);
      index++;
      if (!readMember(parent, key, depth)) return false;
    }
    return true;
  };

  const readMember = (parent: Record<string, unknown>, key: string, depth: number): boolean => {
    const { [key]: member } = parent;
    const position = index;
    const text = readNextToken();
    if (text === '[') return listKeys.has(key) && readList(member, depth);
    if (text === '{')
      return isMutableRecord(member) && depth < maxDepth && readObject(member, depth + 1);
    const isText = text.startsWith('"');
    if (isText || integerPattern.test(text)) scalars.push({ parent, key, isText, index: position });
    return true;
  };

  const readList = (list: unknown, depth: number): boolean => {
    const text = readNextToken();
    if (text === ']') return true;
    const element: unknown = Array.isArray(list) && list.length === 1 ? list[0] : undefined;
    const isRead =
      text === '{' &&
      isMutableRecord(element) &&
      depth < maxDepth &&
      readObject(element, depth + 1);
    return isRead && readNextToken() === ']';
  };

  return readNextToken() === '{' && isMutableRecord(value) && readObject(value, 0)
    ? scalars
    : undefined;
}

const isMutableRecord = (value: unknown): value is Record<string, unknown> => isRecord(value);

/**
 * Returns the offset after `literal`, or -1 if the text at `offset` is not `literal`. Compares substrings, which is
 * faster than comparing characters.
 */
const skipLiteral = (text: string, literal: string, offset: number): number =>
  text.slice(offset, offset + literal.length) === literal ? offset + literal.length : -1;

const [quote, backslash, space, firstNonAscii] = [0x22, 0x5c, 0x20, 0x80];
/**
 * Minimum length, in characters, of a substring that V8 stores as a reference to the whole text. Such a substring would
 * keep the whole text in memory.
 */
const minSliceLength = 13;

/**
 * Reads the string at `start` and stores it in the object of a slot. Returns the offset after the string, or -1 if
 * there is no valid string.
 */
function readString(
  { parent, key }: TemplateSlot,
  { text, bytes, start }: { text: string; bytes: Buffer; start: number },
): number {
  if (text.charCodeAt(start) !== quote) return -1;
  let allBits = 0;
  let hasEscape = false;
  let end = start + 1;
  for (let code = text.charCodeAt(end); code !== quote; code = text.charCodeAt(++end)) {
    // `NaN` after the end of the text fails this comparison, too.
    if (!(code >= space)) return -1;
    allBits |= code;
    if (code !== backslash) continue;
    hasEscape = true;
    end++;
  }
  if (hasEscape) {
    const value = parseJson(bytes.toString('utf8', start, end + 1));
    if (typeof value !== 'string') return -1;
    parent[key] = value;
  } else if (allBits >= firstNonAscii) parent[key] = bytes.toString('utf8', start + 1, end);
  else if (end - start > minSliceLength) parent[key] = bytes.toString('latin1', start + 1, end);
  else parent[key] = text.slice(start + 1, end);
  return end + 1;
}

const [zeroByte, nineByte] = [0x30, 0x39];
/** Maximum number of digits of an integer that a JavaScript number always represents exactly. */
const maxIntegerDigits = 15;

/**
 * Reads the integer at `start` and stores it in the object of a slot. Returns the offset after the integer, or -1 if
 * there is no valid integer.
 */
function readInteger({ parent, key }: TemplateSlot, text: string, start: number): number {
  let end = start;
  for (
    let code = text.charCodeAt(end);
    code >= zeroByte && code <= nineByte;
    code = text.charCodeAt(end)
  )
    end++;
  const length = end - start;
  const hasLeadingZero = length > 1 && text.charCodeAt(start) === zeroByte;
  if (length === 0 || length > maxIntegerDigits || hasLeadingZero) return -1;
  parent[key] = Number(text.slice(start, end));
  return end;
}
