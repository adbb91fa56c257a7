/** Value that JSON can encode without loss. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** JSON object from an untrusted source. The fields must be validated before use. */
export type JsonRecord = { readonly [key: string]: unknown };

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns `value` if it is a JSON object, otherwise an empty object. */
export const asRecord = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

export const readStringOr = <T>(value: unknown, fallback: T): string | T =>
  typeof value === 'string' ? value : fallback;

/** Returns a non-empty string, truncated to `maxLength` characters. Returns `undefined` for any other value. */
export const truncateString = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, maxLength) : undefined;

/** Returns `value` if it is a finite number, otherwise `fallback`. */
export const readNumberOr = <T>(value: unknown, fallback: T): number | T =>
  typeof value === 'number' && Number.isFinite(value) ? value : fallback;

/** Parses untrusted text as JSON. Returns `undefined` if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Line of a file that contains one JSON object per line. */
export interface JsonLine {
  /** Parsed object. Undefined if the line contains no JSON object. */
  readonly value: JsonRecord | undefined;
  /** True if the line contains no JSON object or invalid UTF-8. */
  readonly isDamaged: boolean;
}

/**
 * Parses a file that contains one JSON object per line. Skips empty lines. If the line break between two objects is
 * missing or damaged, still returns two separate objects. Replaces invalid UTF-8 with U+FFFD, so that the rest of the
 * line remains readable.
 */
export function parseJsonLines(content: string | Uint8Array): readonly JsonLine[] {
  return splitJsonLines(content).flatMap(({ text, isValid }): readonly JsonLine[] => {
    if (text === '') return [];
    const value = parseJson(text);
    if (isRecord(value)) return [{ value, isDamaged: !isValid }];
    const values = value === undefined ? parseJoinedObjects(text) : [];
    if (values.length === 0) return [{ value: undefined, isDamaged: true }];
    return values.map((object) => ({ value: object, isDamaged: !isValid }));
  });
}

/** Checks whether a file with one JSON object per line contains a damaged line. */
export const hasDamagedLine = (content: string | Uint8Array): boolean =>
  parseJsonLines(content).some(({ isDamaged }) => isDamaged);

function splitJsonLines(
  content: string | Uint8Array,
): readonly { text: string; isValid: boolean }[] {
  const text = typeof content === 'string' ? content : decodeUtf8(content);
  if (text !== undefined) return text.split('\n').map((line) => ({ text: line, isValid: true }));
  const lines: { text: string; isValid: boolean }[] = [];
  const bytes = content as Uint8Array;
  for (let start = 0; start <= bytes.length;) {
    const newlineIndex = bytes.indexOf(0x0a, start);
    const end = newlineIndex === -1 ? bytes.length : newlineIndex;
    const line = bytes.subarray(start, end);
    const validText = decodeUtf8(line);
    lines.push({
      text: validText ?? new TextDecoder().decode(line),
      isValid: validText !== undefined,
    });
    start = end + 1;
  }
  return lines;
}

/** Decodes UTF-8. Returns undefined for invalid UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Parses a line in which several JSON objects follow each other. Between two objects, there can be one other character,
 * but no line break. Returns an empty list if any part of the line is not a JSON object. Does not split before nested
 * objects, which follow a bracket, a colon or a comma.
 */
function parseJoinedObjects(line: string): readonly JsonRecord[] {
  const parts = line.split(/(?<=\})[^[,:]?(?=\{")/u);
  const objects = parts.map(parseJson).filter(isRecord);
  return parts.length > 1 && objects.length === parts.length ? objects : [];
}

/** Variant of the type `T`: each field that can be `undefined` becomes optional, and no longer accepts `undefined`. */
type WithoutUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * Returns a copy of the object without the fields whose value is `undefined`. Necessary, because optional properties do
 * not accept `undefined` (`exactOptionalPropertyTypes`).
 */
export function omitUndefined<T extends object>(fields: T): WithoutUndefined<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // An assignment to `__proto__` would set the prototype.
  return Object.fromEntries(entries) as WithoutUndefined<T>;
}

/**
 * Returns the entries of a stored list that a write must retain: those for which `isReplaced` returns false. Includes
 * objects of unknown formats, because a newer version of the extension may have written them. Omits all entries other
 * than objects and strings. Returns an empty list if `storedEntries` is not a list.
 */
export const listRetainedEntries = (
  storedEntries: unknown,
  isReplaced: (entry: unknown) => boolean,
): readonly unknown[] =>
  (Array.isArray(storedEntries) ? storedEntries : []).filter(
    (entry: unknown) => (isRecord(entry) || typeof entry === 'string') && !isReplaced(entry),
  );
