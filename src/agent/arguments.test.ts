import { expect, test } from 'vitest';
import { validateSchema } from './arguments.ts';

const pathSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    edits: {
      type: 'array',
      items: { type: 'object', properties: { search: { type: 'string' } }, required: ['search'] },
    },
  },
  required: ['path'],
  additionalProperties: false,
};

test.each([[{ path: 'a' }], [{ path: 'a', edits: [{ search: 'x' }] }]])(
  'validateSchema reports no problem for the valid arguments %j',
  (value) => {
    expect(validateSchema(pathSchema, value)).toEqual([]);
  },
);

test.each<[what: string, value: unknown, problem: RegExp]>([
  ['a missing path', {}, /path/u],
  ['a number as path', { path: 1 }, /^path: .*string/u],
  ['an empty path', { path: '' }, /^path: /u],
  ['an unknown property', { path: 'a', more: 1 }, /more/u],
  ['an edit without a search text', { path: 'a', edits: [{}] }, /^edits\/0: .*search/u],
  ['an array instead of an object', [], /^arguments: .*object/u],
  ['the property "__proto__"', JSON.parse('{"path":"a","__proto__":1}'), /__proto__/u],
])('validateSchema reports %s as a problem of the arguments', (_, value, problemPattern) => {
  expect(validateSchema(pathSchema, value).join('\n')).toMatch(problemPattern);
});

test('validateSchema does not change the schema, and accepts all arguments if the schema is unreadable', () => {
  const schemaText = JSON.stringify(pathSchema);
  validateSchema(pathSchema, { path: 'a' });
  expect(JSON.stringify(pathSchema)).toBe(schemaText);
  expect(validateSchema({ $ref: '#/nowhere' }, { path: 'a' })).toEqual([]);
});

test('validateSchema ignores the regular expressions in a schema, because a match could take too long', () => {
  const slowSchema = {
    type: 'object',
    properties: { pattern: { type: 'string', pattern: '^(a+)+$' } },
    patternProperties: { '^(a+)+$': { type: 'string' } },
    additionalProperties: true,
  };
  const text = `${'a'.repeat(60)}!`;
  expect(validateSchema(slowSchema, { pattern: text, [text]: 1 })).toEqual([]);
  // A property named `pattern` is still validated.
  expect(validateSchema(slowSchema, { pattern: 1 }).join()).toMatch(/^pattern: .*string/u);
});
