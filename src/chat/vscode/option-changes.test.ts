import { expect, test, vi } from 'vitest';
import { withOption } from './option-changes.ts';

vi.mock('vscode', () => ({ l10n: { t: (text: string) => text } }));

const before = { seed: 7, webSearch: 'on' } as const;

test.each([
  ['temperature', '0,5', { temperature: 0.5 }],
  ['seed', '8', { seed: 8 }],
  ['stop', 'one\n\ntwo', { stop: ['one', 'two'] }],
  ['stripThinking', 'true', { stripThinking: true }],
  ['responseFormat', 'json_object', { responseFormat: { type: 'json_object' } }],
  [
    'schema',
    '{"title":"Tide table!"}',
    {
      responseFormat: {
        type: 'json_schema',
        name: 'Tide_table_',
        schema: '{"title":"Tide table!"}',
      },
    },
  ],
])('withOption sets %s to the value %j', (name, value, options) => {
  expect(withOption(before, name, value)).toEqual({ ...before, ...options });
});

test('withOption removes an option if the value is empty', () => {
  expect(withOption(before, 'seed', '')).toEqual({ webSearch: 'on' });
});

test.each([
  ['temperature', '3', /from 0 to 2/u],
  ['topP', 'much', /from 0 to 1/u],
  ['maxTokens', '-1', /whole number/u],
  ['stop', 'a\nb\nc\nd\ne', /four lines/u],
  ['schema', '[]', /JSON object/u],
  ['__proto__', '{}', /cannot be chosen/u],
  ['constructor', 'x', /cannot be chosen/u],
])('withOption rejects the option %s with the value %j', (name, value, problem) => {
  expect(withOption(before, name, value)).toMatch(problem);
});
