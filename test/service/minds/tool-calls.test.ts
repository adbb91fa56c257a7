import { expect, test } from 'vitest';
import { Catalogue } from '../catalogue/catalogue.ts';
import { readCall } from '../chat/call.ts';
import { ask } from '../harness.ts';
import { Vocabulary } from '../vocabulary.ts';
import { useTools } from './tool-calls.ts';

const world = { words: new Vocabulary('service'), catalogue: new Catalogue(), seed: 1 };

const object = (properties: object, ...required: string[]) => ({
  type: 'object',
  properties,
  required,
});

const tools = [
  ['read_file', 'Reads a file', object({ path: { type: 'string' } }, 'path')],
  ['runCommand', 'Runs a shell command', object({ command: { type: 'string' } }, 'command')],
  [
    'get_weather',
    'Current weather of a city',
    object({ city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } }, 'city'),
  ],
  [
    'write_file',
    'Writes a file',
    object({ path: { type: 'string' }, overwrite: { type: 'boolean' } }, 'path', 'overwrite'),
  ],
].map(([name, description, parameters]) => ({
  type: 'function',
  function: { name, description, parameters },
}));

function calls(text: string, more: object = {}): string[] {
  const call = readCall(ask(text, { tools, ...more }), world);
  return (useTools(call, () => 0.5)?.toolCalls ?? []).map(
    (each) => `${each.name} ${each.arguments}`,
  );
}

test.each([
  ['Read the file src/a.ts', ['read_file {"path":"src/a.ts"}']],
  ['Please run the command `npm test`', ['runCommand {"command":"npm test"}']],
  ['What is the weather in Oslo?', ['get_weather {"city":"Oslo"}']],
  [
    'What is the weather in Oslo in fahrenheit?',
    ['get_weather {"city":"Oslo","unit":"fahrenheit"}'],
  ],
  ['Write the file b.ts but do not overwrite it', ['write_file {"path":"b.ts","overwrite":false}']],
  [
    'Read the file a.ts and read the file b.ts',
    ['read_file {"path":"a.ts"}', 'read_file {"path":"b.ts"}'],
  ],
  ['Read the file a.ts, then run the command `x`', ['read_file {"path":"a.ts"}']],
  ['What is a monad?', []],
  ['<attachment: read_file.ts>\n```ts\nread_file()\n```\n</attachment>\n\nThoughts?', []],
])('%s', (text, expected) => {
  expect(calls(text)).toEqual(expected);
});

test('the request decides whether, which and how many', () => {
  const twice = 'Read the file a.ts and read the file b.ts';
  expect(calls(twice, { tool_choice: 'none' })).toEqual([]);
  expect(calls(twice, { parallel_tool_calls: false })).toEqual(['read_file {"path":"a.ts"}']);
  expect(calls('What is a monad?', { tool_choice: 'required' })).toHaveLength(1);
  const tool_choice = { type: 'function', function: { name: 'runCommand' } };
  expect(calls('"ls"', { tool_choice })).toEqual(['runCommand {"command":"ls"}']);
});
