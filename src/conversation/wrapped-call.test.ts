import { expect, test } from 'vitest';
import { unwrapCall } from './wrapped-call.ts';

const createCall = (args: unknown, name = 'more_tools') => ({
  id: 't0',
  type: 'function' as const,
  function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
});

test.each([
  ['an object', { path: 'a' }, '{"path":"a"}'],
  ['JSON text', '{"path":"a"}', '{"path":"a"}'],
  ['an array', [1], '[1]'],
  ['a number', 5, '5'],
  ['text that is not JSON', 'a', 'a'],
])('unwrapCall returns the inner call whose arguments are %s', (_, innerArguments, text) => {
  expect(unwrapCall(createCall({ tool: 'open_file', arguments: innerArguments }))).toEqual({
    id: 't0',
    type: 'function',
    function: { name: 'open_file', arguments: text },
  });
});

test.each([
  ['of another tool', createCall({ tool: 'open_file', arguments: {} }, 'read_file')],
  ['without arguments', createCall({ tool: 'open_file' })],
  ['with null as arguments', createCall({ tool: 'open_file', arguments: null })],
  ['with an invalid name', createCall({ tool: 'open file', arguments: {} })],
  ['with a name that is not text', createCall({ tool: ['open_file'], arguments: {} })],
  ['with malformed JSON', createCall('{"tool":"open_file","arguments":{}')],
  ['with arguments that are not an object', createCall('[]')],
])('unwrapCall does not change a call %s', (_, originalCall) => {
  expect(unwrapCall(originalCall)).toBe(originalCall);
});

test('unwrapCall uses the last value of a key that occurs several times', () => {
  const { function: innerFunction } = unwrapCall(
    createCall(
      '{"tool":"open_file","tool":"delete_file","arguments":{"a":1},"arguments":{"path":"b"}}',
    ),
  );
  expect(innerFunction).toEqual({ name: 'delete_file', arguments: '{"path":"b"}' });
});
