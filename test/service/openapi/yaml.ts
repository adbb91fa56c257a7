import type { Json } from '../../../src/base/json.ts';

/** Formats JSON as YAML 1.2 in block style. */
export const toYaml = (value: Json): string => `${formatBlock(value, 0).trimStart()}\n`;

/** Formats a value after a key or a dash: a scalar on the same line, other values as an indented block. */
function formatBlock(value: Json, depth: number): string {
  if (typeof value !== 'object' || value === null) return ` ${formatScalar(value)}`;
  const prefix = `\n${'  '.repeat(depth)}`;
  if (isList(value)) {
    if (value.length === 0) return ' []';
    return value.map((item) => `${prefix}-${formatItem(item, depth + 1)}`).join('');
  }
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  if (fields.length === 0) return ' {}';
  return fields
    .map(([name, field]) => `${prefix}${formatScalar(name)}:${formatBlock(field, depth + 1)}`)
    .join('');
}

/** Formats a list item. The first line of the item follows the dash. */
const formatItem = (item: Json, depth: number): string =>
  formatBlock(item, depth).replace(/^\n */, ' ');

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const plainTextPattern = /^[A-Za-z/][\w/]*$/;
const reservedWords = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n']);

/** Formats a scalar. Quotes strings that YAML would otherwise read as a value of another type. */
function formatScalar(value: Json): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const isPlain = plainTextPattern.test(value) && !reservedWords.has(value.toLowerCase());
  return isPlain ? value : JSON.stringify(value);
}
