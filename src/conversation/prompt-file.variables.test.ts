import { expect, test } from 'vitest';
import { fillPromptVariables, parsePromptVariables } from './prompt-file.ts';

test('parsePromptVariables returns each variable of a prompt once, with the first hint', () => {
  const body = 'In ${file}: ${input:what:which change} and ${input:what}, ${selection}, ${file}.';
  expect(parsePromptVariables(body)).toEqual([
    { key: 'file' },
    { key: 'input:what', input: { name: 'what', hint: 'which change' } },
    { key: 'selection' },
  ]);
});

test.each([
  '${HOME}',
  '${file',
  '$file',
  '${env:HOME}',
  '${files}',
  '${input:}',
  '${input: }',
  '${input}',
  '${in\nput:x}',
  '{file}',
  '${constructor}',
])('parsePromptVariables finds no variable in the prompt %j', (body) => {
  expect(parsePromptVariables(body)).toEqual([]);
  expect(fillPromptVariables(body, new Map([['input:', 'x']]))).toBe(body);
});

test('fillPromptVariables replaces variables that have a value, and does not expand variables inside these values', () => {
  const values = new Map([
    ['file', 'src/$&${input:what}.ts'],
    ['input:what', '${file}'],
  ]);
  expect(fillPromptVariables('${file}, ${input:what:hint}, ${selection}', values)).toBe(
    'src/$&${input:what}.ts, ${file}, ${selection}',
  );
});

test('parsePromptVariables finds no variable in a long prompt with unclosed variables', () => {
  expect(parsePromptVariables('${input:'.repeat(4_000))).toEqual([]);
  expect(parsePromptVariables(`\${input:${'a:'.repeat(15_000)}`)).toEqual([]);
});
