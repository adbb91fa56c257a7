import { isRecord, type Json, stringOr } from '../../../src/base/json.ts';

/** What a value is taken from: the text, and the name of the property it is for. */
export interface Hint {
  readonly text: string;
  readonly name?: string;
  readonly description?: string;
}

/** A value that satisfies the JSON Schema, filled from the text as far as it says something. */
export function valueFor(schema: unknown, hint: Hint): Json {
  if (!isRecord(schema)) return hint.text;
  const options = schema['enum'];
  if (Array.isArray(options)) return optionFor(options as Json[], hint.text);
  if ('const' in schema) return schema['const'] as Json;
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(branches)) return valueFor(branches[0], hint);
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type ?? (schema['properties'] ? 'object' : 'string')) {
    case 'object':
      return objectFor(schema, hint);
    case 'array':
      return [valueFor(schema['items'], hint)];
    case 'integer':
    case 'number':
      return numberFor(schema, hint, type === 'integer');
    case 'boolean':
      return !/\b(?:no|not|don't|without|never)\b/i.test(hint.text);
    case 'null':
      return null;
    default:
      return stringFor(hint);
  }
}

function objectFor(schema: Readonly<Record<string, unknown>>, { text }: Hint): Json {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const wanted = Object.entries(properties).filter(
    ([name, property]) => required.includes(name) || isMentioned(name, property, text),
  );
  return Object.fromEntries(
    wanted.map(([name, property]) => {
      const description = isRecord(property) ? stringOr(property['description'], '') : '';
      return [name, valueFor(property, { text, name, description })];
    }),
  );
}

/** An optional property is filled only when the text names it, or one of its options. */
function isMentioned(name: string, property: unknown, text: string): boolean {
  const lower = text.toLowerCase();
  const options = isRecord(property) && Array.isArray(property['enum']) ? property['enum'] : [];
  return (
    new RegExp(`\\b${escape(spaced(name))}\\b`).test(lower) ||
    options.some((option) => lower.includes(String(option).toLowerCase()))
  );
}

const spaced = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase();

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const optionFor = (options: readonly Json[], text: string): Json =>
  options.find((option) =>
    text.toLowerCase().includes(JSON.stringify(option).replaceAll('"', '').toLowerCase()),
  ) ??
  options[0] ??
  null;

function numberFor(
  schema: Readonly<Record<string, unknown>>,
  { text, name }: Hint,
  whole: boolean,
): number {
  const named = new RegExp(`${escape(spaced(name ?? ''))}\\D{0,12}(-?\\d+(?:\\.\\d+)?)`, 'i');
  const found = (name ? named.exec(text)?.[1] : undefined) ?? /-?\d+(?:\.\d+)?/.exec(text)?.[0];
  const low = Number(schema['minimum'] ?? -Infinity);
  const high = Number(schema['maximum'] ?? Infinity);
  const value = Number(found ?? Math.max(1, low));
  return Math.min(high, Math.max(low, whole ? Math.round(value) : value));
}

const patterns = {
  path: /(?:[\w.-]+\/)*[\w-]*\.[A-Za-z]\w{0,9}\b|(?:[\w.-]+\/)+[\w.-]*|\/[\w./-]+/,
  url: /https?:\/\/[^\s)>"'`]+/,
  quoted: /`([^`]+)`|"([^"]+)"|“([^”]+)”|'([^']+)'/,
  /** What follows the words that usually introduce the object of a request. */
  object:
    /\b(?:for|about|of|in|run|named|called)\s+(?:the\s+)?([^.?!,;\n]+?)(?=\s+(?:in|with|at|on)\s|[.?!,;\n]|$)/i,
};

function stringFor({ text, name = '', description = '' }: Hint): string {
  const about = `${spaced(name)} ${description.toLowerCase()}`;
  const quoted = firstGroup(patterns.quoted.exec(text));
  if (/\b(?:url|uri|link)\b/.test(about)) return patterns.url.exec(text)?.[0] ?? quoted ?? '';
  if (/\b(?:path|file|folder|directory)\b/.test(spaced(name))) {
    return patterns.path.exec(text)?.[0] ?? quoted ?? '.';
  }
  return quoted ?? firstGroup(patterns.object.exec(text))?.trim() ?? text.trim().slice(0, 200);
}

const firstGroup = (match: RegExpExecArray | null): string | undefined =>
  match?.slice(1).find((group) => group !== undefined);
