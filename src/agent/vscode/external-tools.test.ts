import { expect, test } from 'vitest';
import { Emitter } from '../../base/event.ts';
import { ContributedTools } from './external-tools.ts';

const manifest = (tools: unknown, isBuiltin = false): { packageJSON: unknown } => ({
  packageJSON: { isBuiltin, contributes: { languageModelTools: tools } },
});

test.each<[what: string, extension: { packageJSON: unknown }, names: string[]]>([
  ['that the user installed', manifest([{ name: 'a' }, { name: 'b' }]), ['a', 'b']],
  ['built into VS Code', manifest([{ name: 'a' }], true), []],
  ['with invalid names', manifest([{ name: 1 }, {}, null, 'a']), []],
  ['with an invalid tool list', manifest({ name: 'a' }), []],
  ['without tools', { packageJSON: { contributes: {} } }, []],
  ['without contributions', { packageJSON: {} }, []],
  ['without a manifest', { packageJSON: undefined }, []],
])(
  'ContributedTools returns the names of tools declared by an extension %s',
  (_, extension, names) => {
    const { event: onDidChange } = new Emitter<void>();
    expect([...new ContributedTools({ all: [extension], onDidChange }).names]).toEqual(names);
  },
);

test('ContributedTools caches the names of tools until extensions change', () => {
  const onDidChangeEmitter = new Emitter<void>();
  let reads = 0;
  let extensions = [manifest([{ name: 'a' }])];
  const tools = new ContributedTools({
    get all() {
      reads += 1;
      return extensions;
    },
    onDidChange: onDidChangeEmitter.event,
  });
  expect([[...tools.names], [...tools.names], reads]).toEqual([['a'], ['a'], 1]);
  extensions = [manifest([{ name: 'b' }])];
  expect([...tools.names]).toEqual(['a']);
  onDidChangeEmitter.fire();
  expect([[...tools.names], [...tools.names], reads]).toEqual([['b'], ['b'], 2]);
  tools.dispose();
  onDidChangeEmitter.fire();
  expect([[...tools.names], reads]).toEqual([['b'], 2]);
});
