import { isRecord, type Json, type JsonRecord, readStringOr } from '../../../src/base/json.ts';

/** Text from which the value of a property can be taken, and the name of the property. */
interface ValueHint {
  readonly text: string;
  readonly name?: string;
  readonly description?: string;
}

/** Returns a value that is valid for the JSON Schema. If possible, the value comes from the text. */
export function createSchemaValue(schema: unknown, hint: ValueHint): Json {
  if (!isRecord(schema)) return hint.text;
  const options = schema['enum'];
  if (Array.isArray(options)) return selectOption(options as Json[], hint.text);
  if ('const' in schema) return schema['const'] as Json;
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(branches)) return createSchemaValue(branches[0], hint);
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type ?? (schema['properties'] ? 'object' : 'string')) {
    case 'object':
      return createObject(schema, hint.text);
    case 'array':
      return [createSchemaValue(schema['items'], hint)];
    case 'integer':
    case 'number':
      return findNumber(schema, hint);
    case 'boolean':
      return !/\b(?:no|not|don't|without|never)\b/i.test(hint.text);
    case 'null':
      return null;
    default:
      return findString(hint);
  }
}

/**
 * Creates an object with all required properties. Adds optional properties only if the text contains their name or an
 * allowed value.
 */
function createObject(schema: JsonRecord, text: string): Json {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const requiredNames = Array.isArray(schema['required']) ? schema['required'] : [];
  const filledEntries = Object.entries(properties).filter(
    ([name, property]) => requiredNames.includes(name) || isMentioned(name, property, text),
  );
  return Object.fromEntries(
    filledEntries.map(([name, property]) => {
      const description = isRecord(property) ? readStringOr(property['description'], '') : '';
      return [name, createSchemaValue(property, { text, name, description })];
    }),
  );
}

function isMentioned(name: string, property: unknown, text: string): boolean {
  const lowerCaseText = text.toLowerCase();
  const options = isRecord(property) && Array.isArray(property['enum']) ? property['enum'] : [];
  return (
    new RegExp(`\\b${escapeRegExp(splitWords(name))}\\b`).test(lowerCaseText) ||
    options.some((option) => lowerCaseText.includes(String(option).toLowerCase()))
  );
}

const splitWords = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase();

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const selectOption = (options: readonly Json[], text: string): Json =>
  options.find((option) =>
    text.toLowerCase().includes(JSON.stringify(option).replaceAll('"', '').toLowerCase()),
  ) ??
  options[0] ??
  null;

/**
 * Returns the number after the name of the property in the text, otherwise the first number. Limits it to the range of
 * the schema.
 */
function findNumber(schema: JsonRecord, { text, name }: ValueHint): number {
  const namedNumberPattern = new RegExp(
    `${escapeRegExp(splitWords(name ?? ''))}\\D{0,12}(-?\\d+(?:\\.\\d+)?)`,
    'i',
  );
  const digits =
    (name ? namedNumberPattern.exec(text)?.[1] : undefined) ?? /-?\d+(?:\.\d+)?/.exec(text)?.[0];
  const min = Number(schema['minimum'] ?? -Infinity);
  const max = Number(schema['maximum'] ?? Infinity);
  const value = Number(digits ?? Math.max(1, min));
  const roundedValue = schema['type'] === 'integer' ? Math.round(value) : value;
  return Math.min(max, Math.max(min, roundedValue));
}

const quotedPattern = /`([^`]+)`|"([^"]+)"|“([^”]+)”|'([^']+)'/;
const urlPattern = /https?:\/\/[^\s)>"'`]+/;
const pathPattern = /(?:[\w.-]+\/)*[\w-]*\.[A-Za-z]\w{0,9}\b|(?:[\w.-]+\/)+[\w.-]*|\/[\w./-]+/;
/**
 * Matches the words after a preposition or a verb such as "run", for example `Oslo` in "What is the weather in Oslo?".
 * These words are often the value that the request means.
 */
const objectPhrasePattern =
  /\b(?:for|about|of|in|run|named|called)\s+(?:the\s+)?([^.?!,;\n]+?)(?=\s+(?:in|with|at|on)\s|[.?!,;\n]|$)/i;

function findString({ text, name = '', description = '' }: ValueHint): string {
  const quote = quotedPattern
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined);
  if (/\b(?:url|uri|link)\b/i.test(`${splitWords(name)} ${description}`))
    return urlPattern.exec(text)?.[0] ?? quote ?? '';
  if (/\b(?:path|file|folder|directory)\b/.test(splitWords(name)))
    return pathPattern.exec(text)?.[0] ?? quote ?? '.';
  return quote ?? objectPhrasePattern.exec(text)?.[1]?.trim() ?? text.trim().slice(0, 200);
}
