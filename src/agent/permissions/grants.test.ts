import { expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { type Grant, Grants, type GrantStore } from './grants.ts';

class MemoryGrantStore implements GrantStore {
  storedValue: unknown;
  get(): unknown {
    return this.storedValue;
  }
  set(value: Json): void {
    // Returns a copy, as VS Code's storage does.
    this.storedValue = JSON.parse(JSON.stringify(value));
  }
}

const allScopes = ['conversation', 'always'] as const;
const editGrant: Grant = { type: 'tool', key: 'edit_file' };
const npmTestGrant: Grant = {
  type: 'commands',
  commands: [{ folder: '.', words: ['npm', 'test'] }],
};

test('Grants allows nothing by default', () => {
  const grants = new Grants(new MemoryGrantStore());
  expect(grants.allowsTool('edit_file', 'c1', allScopes)).toBe(false);
  expect(grants.listPrefixes('c1', '.')).toEqual([]);
});

test('Grants limits a conversation grant to one conversation and never stores the grant', async () => {
  const store = new MemoryGrantStore();
  const grants = new Grants(store);
  await grants.addGrant(editGrant, 'conversation', 'c1');
  await grants.addGrant(npmTestGrant, 'conversation', 'c1');
  expect(grants.allowsTool('edit_file', 'c1', allScopes)).toBe(true);
  expect(grants.listPrefixes('c1', '.')).toEqual([['npm', 'test']]);
  expect(grants.allowsTool('edit_file', 'c2', allScopes)).toBe(false);
  expect(grants.listPrefixes('c2', '.')).toEqual([]);
  expect(store.storedValue).toBeUndefined();
  expect(new Grants(store).allowsTool('edit_file', 'c1', allScopes)).toBe(false);
});

test('Grants removes the grants of a deleted conversation', async () => {
  const grants = new Grants(new MemoryGrantStore());
  await grants.addGrant(editGrant, 'conversation', 'c1');
  await grants.addGrant(npmTestGrant, 'conversation', 'c1');
  grants.forgetConversation('c1');
  expect(grants.allowsTool('edit_file', 'c1', allScopes)).toBe(false);
  expect(grants.listPrefixes('c1', '.')).toEqual([]);
});

test('Grants limits a command grant to one folder', async () => {
  const grants = new Grants(new MemoryGrantStore());
  for (const scope of allScopes) await grants.addGrant(npmTestGrant, scope, 'c1');
  for (const folder of ['src', './', '', 'node_modules/evil']) {
    expect(grants.listPrefixes('c1', folder)).toEqual([]);
  }
});

test('Grants applies a permanent grant in every conversation and after a restart', async () => {
  const store = new MemoryGrantStore();
  await new Grants(store).addGrant(editGrant, 'always', 'c1');
  await new Grants(store).addGrant(npmTestGrant, 'always', 'c1');
  const reopenedGrants = new Grants(store);
  expect(reopenedGrants.allowsTool('edit_file', 'c9', allScopes)).toBe(true);
  expect(reopenedGrants.listPrefixes('c9', '.')).toEqual([['npm', 'test']]);
  expect(store.storedValue).toEqual({
    version: 2,
    tools: ['edit_file'],
    commands: [{ folder: '.', words: ['npm', 'test'] }],
  });
});

test('Grants ignores a grant whose scope is not among the requested scopes', async () => {
  const grants = new Grants(new MemoryGrantStore());
  await grants.addGrant(editGrant, 'always', 'c1');
  await grants.addGrant({ type: 'tool', key: 'create_file' }, 'conversation', 'c1');
  expect(grants.allowsTool('edit_file', 'c1', ['conversation'])).toBe(false);
  expect(grants.allowsTool('create_file', 'c1', ['always'])).toBe(false);
});

test('Grants does not apply a grant to another tool', async () => {
  const grants = new Grants(new MemoryGrantStore());
  await grants.addGrant({ type: 'tool', key: 'lookup#aa' }, 'always', 'c1');
  for (const key of ['lookup', 'lookup#ab', 'Lookup#aa', 'look', '']) {
    expect(grants.allowsTool(key, 'c1', allScopes)).toBe(false);
  }
});

test('Grants stores a repeated grant once', async () => {
  const grants = new Grants(new MemoryGrantStore());
  for (const grant of [editGrant, npmTestGrant, editGrant, npmTestGrant])
    await grants.addGrant(grant, 'always', 'c1');
  await grants.addGrant(npmTestGrant, 'conversation', 'c1');
  expect(grants.workspaceGrants).toEqual({
    tools: ['edit_file'],
    commands: [{ folder: '.', words: ['npm', 'test'] }],
  });
  expect(grants.listPrefixes('c1', '.')).toEqual([['npm', 'test']]);
});

test('Grants revokes a grant in all scopes and no other grant', async () => {
  const grants = new Grants(new MemoryGrantStore());
  const buildGrant: Grant = {
    type: 'commands',
    commands: [{ folder: '.', words: ['npm', 'run', 'build'] }],
  };
  for (const scope of allScopes) {
    for (const grant of [editGrant, npmTestGrant, buildGrant])
      await grants.addGrant(grant, scope, 'c1');
  }
  await grants.revokeGrant(editGrant);
  await grants.revokeGrant(npmTestGrant);
  expect(grants.allowsTool('edit_file', 'c1', allScopes)).toBe(false);
  expect(grants.listPrefixes('c1', '.')).toEqual([['npm', 'run', 'build']]);
  await grants.revokeAll();
  expect(grants.listPrefixes('c1', '.')).toEqual([]);
  expect(grants.workspaceGrants).toEqual({ tools: [], commands: [] });
});

test('Grants does not apply a grant that could not be stored', async () => {
  const store = new MemoryGrantStore();
  store.set = () => {
    throw new Error('full');
  };
  const grants = new Grants(store);
  await expect(grants.addGrant(editGrant, 'always', 'c1')).rejects.toThrow('full');
  expect(grants.allowsTool('edit_file', 'c1', allScopes)).toBe(false);
});

test.each([
  [['psql', 'PGPASSWORD=s3cret']],
  [['mysql', '--password=s3cret']],
  [['mysql', '--password', 's3cret']],
  [['login', 'ghp_0123456789abcdefghijABCDEFGHIJ012345']],
  [['login', 'AKIA0123456789ABCDEF']],
  [['login', 'aB3dE5fG7hJ9kL1mN3pQ']],
  [['open', 'https://me:s3cret@host.example']],
  [['call', 'Bearer abcdefgh12345678']],
  [['a', '']],
  [['a', 'b c']],
  [['a', 'b\n']],
  [['a', 'b\u200B']],
  [['a', 'b\u001B']],
  [['ä']],
  [['a', 'b'.repeat(101)]],
  [['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']],
  [[]],
])('Grants rejects a grant for the command words %j', async (words) => {
  const store = new MemoryGrantStore();
  const grants = new Grants(store);
  for (const scope of allScopes) {
    const commands = [['npm', 'test'], words].map((commandWords) => ({
      folder: '.',
      words: commandWords,
    }));
    await expect(grants.addGrant({ type: 'commands', commands }, scope, 'c1')).rejects.toThrow();
  }
  expect(grants.listPrefixes('c1', '.')).toEqual([]);
  expect(store.storedValue).toBeUndefined();
});

test('Grants allows no command after a grant with an empty command list', async () => {
  const grants = new Grants(new MemoryGrantStore());
  const emptyGrant: Grant = { type: 'commands', commands: [] };
  await expect(grants.addGrant(emptyGrant, 'always', 'c1')).rejects.toThrow();
});

test.each([
  undefined,
  null,
  'edit_file',
  [],
  ['edit_file'],
  { tools: ['edit_file'], commands: [['npm', 'test']] },
  { version: 1, tools: ['edit_file'], commands: [['npm', 'test']] },
  { version: 3, tools: ['edit_file'], commands: [] },
  { version: 2, tools: [], commands: [['npm', 'test'], { words: ['npm'] }] },
  { version: 2, tools: [], commands: [{ folder: 'a\u202E', words: ['npm'] }] },
  { version: '1', tools: ['edit_file'], commands: [['npm', 'test']] },
  { version: 2, tools: 'edit_file', commands: 'npm test' },
  { version: 2, tools: [['edit_file'], 7, null, { key: 'edit_file' }], commands: ['npm', 7, null] },
  { version: 2, tools: ['edit_file '], commands: [[], ['npm', 7], [['npm']], [''], ['npm test']] },
  { version: 2, tools: { 0: 'edit_file', length: 1 }, commands: { 0: ['npm'], length: 1 } },
])('Grants allows nothing if the stored value is %j', (value) => {
  const store = new MemoryGrantStore();
  store.storedValue = value;
  const grants = new Grants(store);
  expect(grants.workspaceGrants).toEqual({ tools: [], commands: [] });
  expect(grants.allowsTool('edit_file', 'c1', allScopes)).toBe(false);
});

test('Grants stores at most 500 command grants and drops the oldest', async () => {
  const grants = new Grants(new MemoryGrantStore());
  for (let index = 0; index < 505; index++) {
    await grants.addGrant({ type: 'tool', key: `tool-${index}` }, 'always', 'c1');
  }
  expect(grants.workspaceGrants.tools).toHaveLength(500);
  expect(grants.workspaceGrants.tools.at(-1)).toBe('tool-504');
});
