import * as vscode from 'vscode';
import { isRecord, parseJson } from '../../base/json.ts';
import {
  type ChatOptions,
  longestSchema,
  readChatOptions,
  type ResponseFormat,
} from '../../conversation/chat-options.ts';

/**
 * The options with another value of one field, as the page gave it. The empty value leaves it to the model.
 * @returns a sentence when the value cannot be
 */
export function withOption(
  options: ChatOptions,
  name: string,
  value: string,
): ChatOptions | string {
  const key = name === 'schema' ? 'responseFormat' : name;
  const { [key as keyof ChatOptions]: _before, ...others } = options;
  if (value === '') return others;
  const read = readChatOptions({ ...others, [key]: parsed(name, value) });
  return Object.hasOwn(read, key) ? read : problemOf(name);
}

function parsed(name: string, value: string): unknown {
  if (numbers.has(name)) return Number(value.replace(',', '.'));
  if (name === 'stop') return value.split('\n').filter((line) => line !== '');
  if (name === 'schema') return formatOf(value);
  if (name === 'responseFormat') {
    return value === 'json_schema' ? formatOf(anyObject) : { type: value };
  }
  if (value === 'true' || value === 'false') return value === 'true';
  return value;
}

const numbers: ReadonlySet<string> = new Set(['temperature', 'topP', 'maxTokens', 'seed']);

const formatOf = (schema: string): ResponseFormat => ({
  type: 'json_schema',
  name: nameOf(parseJson(schema)),
  schema,
});

const anyObject = '{\n  "type": "object"\n}';

/** Of the schema; the service takes letters, digits, `_` and `-`. */
function nameOf(schema: unknown): string {
  const title = isRecord(schema) && typeof schema['title'] === 'string' ? schema['title'] : '';
  return title.replaceAll(/[^\w-]+/gu, '_').slice(0, 64) || 'answer';
}

function problemOf(name: string): string {
  switch (name) {
    case 'temperature':
      return vscode.l10n.t('This must be a number from 0 to 2.');
    case 'topP':
      return vscode.l10n.t('This must be a number from 0 to 1.');
    case 'maxTokens':
    case 'seed':
      return vscode.l10n.t('This must be a whole number above 0.');
    case 'stop':
      return vscode.l10n.t('This takes up to four lines of up to 100 characters.');
    case 'schema':
      return vscode.l10n.t('This must be a JSON object of up to {0} characters.', longestSchema);
    default:
      return vscode.l10n.t('This cannot be chosen.');
  }
}
