import { describe, expect, test } from 'vitest';
import { ToolCallAssembly } from './tool-call-assembly.ts';

interface CallDelta {
  readonly index: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: string;
}

const assembleCalls = (...deltas: readonly CallDelta[]) => {
  const assembly = new ToolCallAssembly();
  for (const delta of deltas) assembly.add({ type: 'tool-call-delta', arguments: '', ...delta });
  return assembly.listCalls();
};

test('ToolCallAssembly assembles calls from interleaved deltas in any order', () => {
  const calls = assembleCalls(
    { index: 1, id: 'b', name: 'two', arguments: '{"x"' },
    { index: 0, id: 'a', name: 'one', arguments: '{' },
    { index: 1, arguments: ':1}' },
    { index: 0, arguments: '}' },
  );
  expect(calls).toEqual([
    { id: 'a', type: 'function', function: { name: 'one', arguments: '{}' } },
    { id: 'b', type: 'function', function: { name: 'two', arguments: '{"x":1}' } },
  ]);
});

describe('ids of assembled calls', () => {
  test.each<[why: string, ids: readonly (string | undefined)[]]>([
    ['missing ids', [undefined, undefined]],
    ['equal ids', ['x', 'x', 'x']],
    ['an id equal to a generated id', ['call_1', undefined]],
    ['ids with markup', ['<img src=x>', '../../etc']],
    ['overlong ids', ['x'.repeat(129)]],
  ])('are unique and valid even if the model sends %s', (_, ids) => {
    const calls = assembleCalls(
      ...ids.map((id, index) => ({ index, name: 'n', ...(id === undefined ? {} : { id }) })),
    );
    expect(new Set(calls.map(({ id }) => id)).size).toBe(ids.length);
    for (const { id } of calls) expect(id).toMatch(/^[\w.:-]{1,128}$/u);
  });
});

test.each<[why: string, piece: CallDelta, problem: RegExp]>([
  ['no name', { index: 0, id: 'a' }, /no name/u],
  ['a name with a space', { index: 0, id: 'a', name: 'rm -rf' }, /no tool with this name/u],
  [
    'a name with a Cyrillic letter',
    { index: 0, id: 'a', name: 'reаd_file' },
    /no tool with this name/u,
  ],
  [
    'arguments above the length limit',
    { index: 0, id: 'a', name: 'n', arguments: 'x'.repeat(1024 * 1024 + 1) },
    /too long/u,
  ],
])(
  'ToolCallAssembly reports a problem and removes the arguments for a call with %s',
  (_, delta, problem) => {
    const [call] = assembleCalls(delta);
    expect(call?.problem).toMatch(problem);
    expect(call?.function.arguments).toBe('{}');
    expect(call?.function.name).toMatch(/^[\w-]{1,64}$/u);
  },
);

test('ToolCallAssembly adds a single invalid call if several deltas belong to no call', () => {
  const assembly = new ToolCallAssembly();
  assembly.add({ type: 'tool-call-delta', index: 0, id: 'call_1', name: 'n', arguments: '{}' });
  assembly.addInvalidCall();
  assembly.addInvalidCall();
  const calls = assembly.listCalls();
  expect(calls.map(({ problem }) => problem !== undefined)).toEqual([false, true]);
  expect(calls[1]?.id).not.toBe('call_1');
});
