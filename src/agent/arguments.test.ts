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

test.each<[value: unknown, problem: RegExp | undefined]>([
  [{ path: 'a' }, undefined],
  [{ path: 'a', edits: [{ search: 'x' }] }, undefined],
  [{}, /path/u],
  [{ path: 1 }, /^path: .*string/u],
  [{ path: '' }, /^path: /u],
  [{ path: 'a', more: 1 }, /more/u],
  [{ path: 'a', edits: [{}] }, /^edits\/0: .*search/u],
  [[], /^arguments: .*object/u],
  [JSON.parse('{"path":"a","__proto__":1}'), /__proto__/u],
])('validateSchema for the arguments %j reports the problem: %s', (value, problemPattern) => {
  const problems = validateSchema(pathSchema, value);
  if (problemPattern === undefined) expect(problems).toEqual([]);
  else expect(problems.join('\n')).toMatch(problemPattern);
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
