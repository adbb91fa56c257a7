/** A value that survives JSON unchanged. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A JSON object as it arrives from outside: every field unknown until read. */
export type JsonRecord = { readonly [key: string]: unknown };

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value itself if it is a JSON object, otherwise an empty one. */
export const asRecord = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

export const stringOr = <T>(value: unknown, fallback: T): string | T =>
  typeof value === 'string' ? value : fallback;

/** The first `maxLength` characters of a text; undefined for an empty text and for anything else. */
export const textUpTo = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, maxLength) : undefined;

/** `fallback` for anything but a finite number. */
export const numberOr = <T>(value: unknown, fallback: T): number | T =>
  typeof value === 'number' && Number.isFinite(value) ? value : fallback;

/** Parses text that may be anything; `undefined` when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is left of `T` when the fields that hold `undefined` are dropped. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy without the fields that are `undefined`, for types whose optional fields are absent rather than undefined. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}
