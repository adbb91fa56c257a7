import { describe, expect, test } from 'vitest';
import {
  createChatScope,
  createRules,
  createGrantStore,
  createFactsByName,
  createPlan,
  rememberCall,
  createTool,
} from './permission-rules.fixture.ts';
import type { Grant, GrantScope } from './grants.ts';
import { permissionLevels } from '../../conversation/protocol.ts';
import type { ToolResource, Tool } from '../tool.ts';
import type { PathFacts } from '../../workspace/path-rules.ts';

const createPathResource = (
  name: string,
  access: 'read' | 'write' | 'move' | 'delete',
): ToolResource => ({
  type: 'path',
  path: name,
  access,
});
const createCommandResource = (commandLine: string): ToolResource => ({
  type: 'command',
  commandLine,
  cwd: '',
});
const grantedCommand: Grant = {
  type: 'commands',
  commands: [{ folder: '.', words: ['npm', 'test'] }],
};
const unreviewedEdits = [
  { key: 'a', label: 'src/a.ts' },
  { key: 'b', label: 'src/b.ts' },
];

interface LevelCase {
  readonly tool: Tool;
  readonly resources: readonly ToolResource[];
  readonly grant?: Grant;
  /** Scope of the grant that the user chose for an earlier call of the same kind. */
  readonly answeredScope?: GrantScope;
  /** Decisions at the levels ask, apply edits and run commands, in this order. */
  readonly decisionsByLevel: readonly [string, string, string];
  readonly isReadOnlyAllowed?: boolean;
  readonly hasUnreviewedEdits?: boolean;
}

const editFileTool = createTool('edit_file', 'edit');
const createFileTool = createTool('create_file', 'edit');
const deleteFileTool = createTool('delete_file', 'edit');
const renameFileTool = createTool('rename_file', 'edit');
const readFileTool = createTool('read_file', 'read');
const runCommandTool = createTool('run_command', 'command');
const generateImageTool = createTool('generate_image', 'external');
const otherTool = createTool('other_tool', 'external');
const createPaidReadResources = (path: string): readonly ToolResource[] => [
  { type: 'external', ownTool: { host: 'images.example' } },
  { type: 'cost', price: '$0.01' },
  createPathResource(path, 'read'),
];
const askAtAllLevels = ['ask', 'ask', 'ask'] as const;
const allowAtAllLevels = ['allow', 'allow', 'allow'] as const;

const levelCases: Readonly<Record<string, LevelCase>> = {
  'a read in the workspace': {
    tool: readFileTool,
    resources: [createPathResource('src/a.ts', 'read')],
    decisionsByLevel: allowAtAllLevels,
  },
  'a reading command': {
    tool: runCommandTool,
    resources: [createCommandResource('ls src')],
    isReadOnlyAllowed: true,
    hasUnreviewedEdits: true,
    decisionsByLevel: allowAtAllLevels,
  },
  'a reading command after a change of folder': {
    tool: runCommandTool,
    resources: [createCommandResource('cd src && ls')],
    isReadOnlyAllowed: true,
    hasUnreviewedEdits: true,
    decisionsByLevel: allowAtAllLevels,
  },
  'a reading command without the setting': {
    tool: runCommandTool,
    resources: [createCommandResource('ls src')],
    decisionsByLevel: askAtAllLevels,
  },
  'an edit of a normal file in the workspace': {
    tool: editFileTool,
    resources: [createPathResource('src/a.ts', 'write')],
    decisionsByLevel: ['ask', 'allow', 'allow'],
  },
  'an edit with a stored grant': {
    tool: editFileTool,
    resources: [createPathResource('src/a.ts', 'write')],
    grant: { type: 'tool', key: 'edit_file' },
    decisionsByLevel: allowAtAllLevels,
  },
  'a new file': {
    tool: createFileTool,
    resources: [createPathResource('src/new.ts', 'write')],
    decisionsByLevel: ['ask', 'allow', 'allow'],
  },
  'a deletion': {
    tool: deleteFileTool,
    resources: [createPathResource('src/a.ts', 'delete')],
    grant: { type: 'tool', key: 'delete_file' },
    decisionsByLevel: askAtAllLevels,
  },
  'a move': {
    tool: renameFileTool,
    resources: [createPathResource('src/a.ts', 'move'), createPathResource('src/b.ts', 'move')],
    grant: { type: 'tool', key: 'rename_file' },
    decisionsByLevel: askAtAllLevels,
  },
  'a granted command': {
    tool: runCommandTool,
    resources: [createCommandResource('npm test')],
    grant: grantedCommand,
    decisionsByLevel: allowAtAllLevels,
  },
  'a granted command after unreviewed edits': {
    tool: runCommandTool,
    resources: [createCommandResource('npm test')],
    grant: grantedCommand,
    hasUnreviewedEdits: true,
    decisionsByLevel: ['ask', 'ask', 'allow'],
  },
  'a granted command that changes the repository after unreviewed edits': {
    tool: runCommandTool,
    resources: [createCommandResource('git add -A')],
    grant: { type: 'commands', commands: [{ folder: '.', words: ['git', 'add'] }] },
    hasUnreviewedEdits: true,
    decisionsByLevel: ['ask', 'ask', 'allow'],
  },
  'a granted reading command after unreviewed edits, without the setting': {
    tool: runCommandTool,
    resources: [createCommandResource('cat src/a.ts')],
    grant: { type: 'commands', commands: [{ folder: '.', words: ['cat'] }] },
    hasUnreviewedEdits: true,
    decisionsByLevel: allowAtAllLevels,
  },
  'a granted command with another command': {
    tool: runCommandTool,
    resources: [createCommandResource('npm test && npm run build')],
    grant: grantedCommand,
    decisionsByLevel: askAtAllLevels,
  },
  'a granted command that names a secret file': {
    tool: runCommandTool,
    resources: [createCommandResource('npm test config/.env')],
    grant: grantedCommand,
    decisionsByLevel: askAtAllLevels,
  },
  'a granted command that names a protected file': {
    tool: runCommandTool,
    resources: [createCommandResource('npm test package.json')],
    grant: grantedCommand,
    decisionsByLevel: askAtAllLevels,
  },
  'a granted command that names a file outside the workspace': {
    tool: runCommandTool,
    resources: [createCommandResource('npm test /other/a.ts')],
    grant: grantedCommand,
    decisionsByLevel: askAtAllLevels,
  },
  'a reading command that names a secret file': {
    tool: runCommandTool,
    resources: [createCommandResource('cat .env')],
    isReadOnlyAllowed: true,
    decisionsByLevel: askAtAllLevels,
  },
  'a reading command that names a file outside the workspace': {
    tool: runCommandTool,
    resources: [createCommandResource('cat /other/a.ts')],
    isReadOnlyAllowed: true,
    decisionsByLevel: askAtAllLevels,
  },
  'any other command after unreviewed edits': {
    tool: runCommandTool,
    resources: [createCommandResource('npm run build')],
    grant: grantedCommand,
    hasUnreviewedEdits: true,
    decisionsByLevel: askAtAllLevels,
  },
  'any other command': {
    tool: runCommandTool,
    resources: [createCommandResource('npm run build')],
    grant: grantedCommand,
    isReadOnlyAllowed: true,
    decisionsByLevel: askAtAllLevels,
  },
  'an edit of a protected file': {
    tool: editFileTool,
    resources: [createPathResource('package.json', 'write')],
    grant: { type: 'tool', key: 'edit_file' },
    decisionsByLevel: askAtAllLevels,
  },
  'an edit of a secret file': {
    tool: editFileTool,
    resources: [createPathResource('.env', 'write')],
    grant: { type: 'tool', key: 'edit_file' },
    decisionsByLevel: askAtAllLevels,
  },
  'a read of a secret file': {
    tool: readFileTool,
    resources: [createPathResource('.env', 'read')],
    decisionsByLevel: askAtAllLevels,
  },
  'a read outside the workspace': {
    tool: readFileTool,
    resources: [createPathResource('/other/a.ts', 'read')],
    decisionsByLevel: askAtAllLevels,
  },
  'an edit outside the workspace': {
    tool: editFileTool,
    resources: [createPathResource('/other/a.ts', 'write')],
    grant: { type: 'tool', key: 'edit_file' },
    decisionsByLevel: askAtAllLevels,
  },
  'an edit outside the workspace after a grant in the chat': {
    tool: editFileTool,
    resources: [createPathResource('/other/a.ts', 'write')],
    answeredScope: 'conversation',
    decisionsByLevel: allowAtAllLevels,
  },
  'an edit of a secret file outside the workspace': {
    tool: editFileTool,
    resources: [createPathResource('/other/.env', 'write')],
    answeredScope: 'conversation',
    decisionsByLevel: askAtAllLevels,
  },
  'an edit of a protected file outside the workspace': {
    tool: editFileTool,
    resources: [createPathResource('/other/package.json', 'write')],
    answeredScope: 'conversation',
    decisionsByLevel: askAtAllLevels,
  },
  'an edit of a personal settings file outside the workspace': {
    tool: editFileTool,
    resources: [createPathResource('/home/a/.profile', 'write')],
    answeredScope: 'conversation',
    decisionsByLevel: askAtAllLevels,
  },
  'a deletion outside the workspace': {
    tool: deleteFileTool,
    resources: [createPathResource('/other/a.ts', 'delete')],
    answeredScope: 'conversation',
    decisionsByLevel: askAtAllLevels,
  },
  'a read of a settings file outside the workspace after a grant in the chat': {
    tool: readFileTool,
    resources: [createPathResource('/etc/hosts', 'read')],
    answeredScope: 'conversation',
    decisionsByLevel: allowAtAllLevels,
  },
  'a read of a secret file outside the workspace': {
    tool: readFileTool,
    resources: [createPathResource('/home/a/.ssh/id_rsa', 'read')],
    answeredScope: 'conversation',
    decisionsByLevel: askAtAllLevels,
  },
  'a paid tool that reads a file outside the workspace': {
    tool: generateImageTool,
    resources: createPaidReadResources('/other/a.png'),
    decisionsByLevel: askAtAllLevels,
  },
  'a paid tool that reads a file outside the workspace after a grant in the chat': {
    tool: generateImageTool,
    resources: createPaidReadResources('/other/a.png'),
    answeredScope: 'conversation',
    decisionsByLevel: allowAtAllLevels,
  },
  'a paid tool': {
    tool: generateImageTool,
    resources: [
      { type: 'external', ownTool: {} },
      { type: 'cost', price: '$0.01' },
    ],
    decisionsByLevel: askAtAllLevels,
  },
  'a paid tool with a grant': {
    tool: generateImageTool,
    resources: [
      { type: 'external', ownTool: {} },
      { type: 'cost', price: '$0.01' },
    ],
    answeredScope: 'conversation',
    decisionsByLevel: allowAtAllLevels,
  },
  'a tool of another extension': {
    tool: otherTool,
    resources: [{ type: 'external' }],
    decisionsByLevel: askAtAllLevels,
  },
  'a tool of another extension with a stored grant': {
    tool: otherTool,
    resources: [{ type: 'external' }],
    answeredScope: 'always',
    decisionsByLevel: allowAtAllLevels,
  },
};

describe.each(Object.entries(levelCases))('the permission check for %s', (_, levelCase) => {
  test.each(
    permissionLevels.map((level, index) => [level, levelCase.decisionsByLevel[index]] as const),
  )('at the permission level "%s", returns the decision "%s"', async (level, decision) => {
    const { rules, grants } = createCaseRules(levelCase);
    if (levelCase.grant) await grants.addGrant(levelCase.grant, 'always', 'c1');
    if (levelCase.answeredScope)
      await rememberCall(
        rules,
        levelCase.tool,
        createPlan(...levelCase.resources),
        levelCase.answeredScope,
        createChatScope('c1', level),
      );
    const permission = await rules.evaluateCall(
      levelCase.tool,
      createPlan(...levelCase.resources),
      createChatScope('c1', level),
    );
    expect(permission.decision).toBe(decision);
    expect(
      permission.reasons.length > 0 || decision === 'allow' || levelCase.tool === otherTool,
    ).toBe(true);
  });
});

test.each([
  'a read outside the workspace',
  'a read of a settings file outside the workspace after a grant in the chat',
  'an edit outside the workspace after a grant in the chat',
  'a paid tool that reads a file outside the workspace',
  'a paid tool',
  'a tool of another extension',
])('%s runs without approval after a grant, but only in the chat of the grant', async (name) => {
  const row = levelCases[name];
  if (row === undefined) throw new Error(name);
  for (const level of permissionLevels) {
    const { rules } = createCaseRules(row);
    const resources = createPlan(...row.resources);
    await rememberCall(rules, row.tool, resources, 'conversation', createChatScope('c1', level));
    expect(
      (await rules.evaluateCall(row.tool, resources, createChatScope('c1', level))).decision,
    ).toBe('allow');
    expect(
      (await rules.evaluateCall(row.tool, resources, createChatScope('c2', level))).decision,
    ).toBe('ask');
  }
});

describe('a grant for a file outside the workspace', () => {
  const grantedCalls = {
    'an edit': [editFileTool, [createPathResource('/other/a.ts', 'write')]],
    'an image request': [generateImageTool, createPaidReadResources('/other/a.png')],
    'a read of a settings file': [readFileTool, [createPathResource('/etc/hosts', 'read')]],
    'a workspace edit that reads an outside file': [
      editFileTool,
      [createPathResource('src/a.ts', 'write'), createPathResource('/other/b.ts', 'read')],
    ],
  } as const;
  test.each<[keyof typeof grantedCalls, string, Tool, readonly ToolResource[]]>([
    [
      'an edit',
      'an edit of another file',
      editFileTool,
      [createPathResource('/other/b.ts', 'write')],
    ],
    [
      'an edit',
      'an edit of a second file in the same call',
      editFileTool,
      ['/other/a.ts', '/other/b.ts'].map((path) => createPathResource(path, 'write')),
    ],
    ['an edit', 'a read of the file', readFileTool, [createPathResource('/other/a.ts', 'read')]],
    ['an edit', 'its deletion', editFileTool, [createPathResource('/other/a.ts', 'delete')]],
    [
      'an edit',
      'the file behind a link',
      editFileTool,
      [createPathResource('/other/link.ts', 'write')],
    ],
    [
      'an image request',
      'another image',
      generateImageTool,
      createPaidReadResources('/other/b.png'),
    ],
    ['an image request', 'a workspace image', generateImageTool, createPaidReadResources('a.png')],
    [
      'an image request',
      'two outside images',
      generateImageTool,
      [...createPaidReadResources('/other/a.png'), createPathResource('/other/b.png', 'read')],
    ],
    ['an image request', 'a folder', generateImageTool, createPaidReadResources('/other/folder')],
    [
      'a read of a settings file',
      'another settings file',
      readFileTool,
      [createPathResource('/etc/passwd', 'read')],
    ],
    [
      'a read of a settings file',
      'an edit of the file',
      editFileTool,
      [createPathResource('/etc/hosts', 'write')],
    ],
    [
      'a workspace edit that reads an outside file',
      'a call that reads the workspace file and changes the outside file',
      editFileTool,
      [createPathResource('/other/b.ts', 'write'), createPathResource('src/a.ts', 'read')],
    ],
    [
      'a read of a settings file',
      'an outside file that contains no settings',
      readFileTool,
      [createPathResource('/other/a', 'read')],
    ],
  ])('that was stored for %s does not cover %s', async (grantedKind, _, otherTool, resources) => {
    const { rules } = createRules({ inspectPath: createLinkTestFacts });
    const [grantedTool, grantedResources] = grantedCalls[grantedKind];
    for (const level of permissionLevels) {
      const grantedPlan = createPlan(...grantedResources);
      await rememberCall(
        rules,
        grantedTool,
        grantedPlan,
        'conversation',
        createChatScope('c1', level),
      );
      expect(
        (await rules.evaluateCall(grantedTool, grantedPlan, createChatScope('c1', level))).decision,
      ).toBe('allow');
      const otherPermission = await rules.evaluateCall(
        otherTool,
        createPlan(...resources),
        createChatScope('c1', level),
      );
      expect(otherPermission.decision).toBe('ask');
    }
  });

  test.each<[string, readonly ToolResource[]]>([
    ['a settings file and a folder', ['/etc/hosts', '/other/folder'].map(createReadResource)],
    ['a folder and a settings file', ['/other/folder', '/etc/hosts'].map(createReadResource)],
  ])(
    'is not offered for a read of %s, and a grant for all outside files does not cover this read',
    async (_, resources) => {
      const { rules } = createRules({ inspectPath: createLinkTestFacts });
      for (const level of permissionLevels) {
        const scope = createChatScope('c1', level);
        const ordinaryPlan = createPlan(createReadResource('/other/a'));
        await rememberCall(rules, readFileTool, ordinaryPlan, 'conversation', scope);
        expect((await rules.evaluateCall(readFileTool, ordinaryPlan, scope)).decision).toBe(
          'allow',
        );
        expect(
          await rules.evaluateCall(readFileTool, createPlan(...resources), scope),
        ).toMatchObject({
          decision: 'ask',
          isRememberable: false,
          remember: [],
        });
      }
    },
  );

  test('does not cover a link after its target changes', async () => {
    let linkTarget = '/other/a.ts';
    const { rules } = createRules({
      inspectPath: async (path) => ({
        ...(await createFactsByName(path)),
        realPath: linkTarget,
        isRealPathInWorkspace: false,
      }),
    });
    const plan = createPlan(createPathResource('linked/a.ts', 'write'));
    await rememberCall(rules, editFileTool, plan, 'conversation', createChatScope('c1'));
    expect((await rules.evaluateCall(editFileTool, plan, createChatScope('c1'))).decision).toBe(
      'allow',
    );
    linkTarget = '/other/b.ts';
    expect((await rules.evaluateCall(editFileTool, plan, createChatScope('c1'))).decision).toBe(
      'ask',
    );
  });

  test.each<[string, Tool, readonly ToolResource[], string]>([
    [
      'an edit',
      editFileTool,
      [createPathResource('/other/a.ts', 'write')],
      'calls of edit_file for /other/a.ts',
    ],
    [
      'a paid read',
      generateImageTool,
      createPaidReadResources('/other/a.png'),
      'calls of generate_image for images.example, /other/a.png that cost $0.01 each',
    ],
    [
      'a read of a settings file',
      readFileTool,
      [createPathResource('/etc/hosts', 'read')],
      'calls of read_file for /etc/hosts',
    ],
  ])('is offered for %s only in the current chat, and names the file', async (_, ...row) => {
    const [calledTool, resources, rememberWhat] = row;
    const { rules } = createRules();
    const permission = await rules.evaluateCall(
      calledTool,
      createPlan(...resources),
      createChatScope('c1', 'runCommands'),
    );
    expect(permission).toMatchObject({ remember: ['conversation'], rememberWhat });
  });
});

const createReadResource = (path: string): ToolResource => createPathResource(path, 'read');

/** Returns facts about a path: `/other/link.ts` is a link to another file, and `/other/folder` is a folder. */
async function createLinkTestFacts(path: string): Promise<PathFacts> {
  const facts = await createFactsByName(path);
  if (path === '/other/link.ts') return { ...facts, realPath: '/other/target.ts' };
  return path === '/other/folder' ? { ...facts, kind: 'directory' } : facts;
}

describe.each(['a deletion', 'a move'])('the permission check for %s', (name) => {
  test.each(permissionLevels)(
    'requires approval each time at the level "%s", and offers no grant',
    async (level) => {
      const row = levelCases[name];
      if (row === undefined) throw new Error(name);
      const { rules, grants } = createCaseRules(row);
      const plan = createPlan(...row.resources);
      const grant: Grant = { type: 'tool', key: row.tool.name };
      for (const scope of ['conversation', 'always'] as const) {
        await grants.addGrant(grant, scope, 'c1');
        await rememberCall(rules, row.tool, plan, scope, createChatScope('c1', level));
      }
      const permission = await rules.evaluateCall(row.tool, plan, createChatScope('c1', level));
      expect(permission).toMatchObject({ decision: 'ask', isRememberable: false, remember: [] });
    },
  );
});

test('an approval request for a granted command does not list an unreviewed edit that an earlier request listed', async () => {
  const listedEdits = [...unreviewedEdits];
  const { rules, grants } = createRules({ unreviewedEdits: listedEdits });
  await grants.addGrant(grantedCommand, 'always', 'c1');
  const plan = createPlan(createCommandResource('npm test'));
  const firstPermission = await rules.evaluateCall(
    runCommandTool,
    plan,
    createChatScope('c1', 'applyEdits'),
  );
  expect(firstPermission).toMatchObject({ decision: 'ask', isRememberable: false, remember: [] });
  expect(firstPermission.reasons.map(({ text }) => text).join()).toMatch(/src\/a\.ts, src\/b\.ts/u);
  // A denied question is asked again.
  expect(
    (await rules.evaluateCall(runCommandTool, plan, createChatScope('c1', 'applyEdits'))).decision,
  ).toBe('ask');
  rules.recordConfirmedEdits(firstPermission);
  expect(
    (await rules.evaluateCall(runCommandTool, plan, createChatScope('c2', 'applyEdits'))).decision,
  ).toBe('allow');
  listedEdits.push({ key: 'c', label: 'src/c.ts' });
  const secondPermission = await rules.evaluateCall(
    runCommandTool,
    plan,
    createChatScope('c1', 'applyEdits'),
  );
  expect(secondPermission.reasons.map(({ text }) => text).join()).toMatch(/: src\/c\.ts\.$/u);
});

test('an approval request does not list a confirmed edit again after a restart', async () => {
  const confirmedEditStore = createGrantStore();
  const plan = createPlan(createCommandResource('npm test'));
  const restart = async () => {
    const { rules, grants } = createRules({ unreviewedEdits, confirmedEdits: confirmedEditStore });
    await grants.addGrant(grantedCommand, 'always', 'c1');
    return {
      rules,
      permission: await rules.evaluateCall(runCommandTool, plan, createChatScope('c1')),
    };
  };
  const { rules, permission } = await restart();
  expect(permission.decision).toBe('ask');
  rules.recordConfirmedEdits(permission);
  expect((await restart()).permission.decision).toBe('allow');
});

test('PermissionRules stores only the newest 5,000 confirmed edits, but omits all confirmed edits from requests until a restart', async () => {
  const confirmedEditStore = createGrantStore(['reviewed', 7, 'a'.repeat(20_000)]);
  const unreviewedEdits = Array.from({ length: 5_010 }, (_, index) => ({
    key: String(index),
    label: 'src/a.ts',
  }));
  const { rules, grants } = createRules({ unreviewedEdits, confirmedEdits: confirmedEditStore });
  await grants.addGrant(grantedCommand, 'always', 'c1');
  const plan = createPlan(createCommandResource('npm test'));
  rules.recordConfirmedEdits(await rules.evaluateCall(runCommandTool, plan, createChatScope('c1')));
  expect(confirmedEditStore.get()).toEqual(unreviewedEdits.slice(10).map(({ key }) => key));
  expect((await rules.evaluateCall(runCommandTool, plan, createChatScope('c1'))).decision).toBe(
    'allow',
  );
});

test('command prefixes that an earlier version of the extension stored cover only commands with known arguments', async () => {
  const storedPrefixes = ['npm run build', 'git commit', 'find', 'my-tool'];
  const { rules } = createRules({
    storedGrants: {
      version: 2,
      tools: [],
      commands: storedPrefixes.map((prefix) => ({ folder: '.', words: prefix.split(' ') })),
    },
  });
  const evaluateLine = (line: string) =>
    rules.evaluateCall(
      runCommandTool,
      createPlan(createCommandResource(line)),
      createChatScope('c1'),
    );
  for (const line of ['npm run build', 'git commit -m text', 'find src -name a.ts'])
    expect((await evaluateLine(line)).decision, line).toBe('allow');
  for (const line of ['git commit --amend', 'find src -delete', 'my-tool'])
    expect((await evaluateLine(line)).decision, line).toBe('ask');
  await rememberCall(
    rules,
    runCommandTool,
    createPlan(createCommandResource('git commit --amend')),
    'always',
    createChatScope('c1'),
  );
  expect((await evaluateLine('git commit --amend')).decision).toBe('allow');
});

test.each([1, 200, 202, 3_000])(
  'one approval covers all unreviewed edits and lists at most 200 of them by name (number of edits: %i)',
  async (count) => {
    const confirmedEditStore = createGrantStore();
    const unreviewedEdits = Array.from({ length: count }, (_, index) => ({
      key: String(index),
      label: `src/${index}.ts`,
    }));
    const { rules, grants } = createRules({ unreviewedEdits, confirmedEdits: confirmedEditStore });
    await grants.addGrant(grantedCommand, 'always', 'c1');
    const evaluateAgain = () =>
      rules.evaluateCall(
        runCommandTool,
        createPlan(createCommandResource('npm test')),
        createChatScope('c1'),
      );
    const permission = await evaluateAgain();
    const text = permission.reasons.map((reason) => reason.text).join();
    const ending = count > 200 ? `src/199.ts +${count - 200}.` : `src/${count - 1}.ts.`;
    expect(text.endsWith(ending)).toBe(true);
    rules.recordConfirmedEdits(permission);
    expect((await evaluateAgain()).decision).toBe('allow');
    const restartedFixture = createRules({ unreviewedEdits, confirmedEdits: confirmedEditStore });
    await restartedFixture.grants.addGrant(grantedCommand, 'always', 'c1');
    const plan = createPlan(createCommandResource('npm test'));
    expect(
      (await restartedFixture.rules.evaluateCall(runCommandTool, plan, createChatScope('c1')))
        .decision,
    ).toBe('allow');
  },
);

function createCaseRules(row: LevelCase) {
  return createRules({
    unreviewedEdits: row.hasUnreviewedEdits ? unreviewedEdits : [],
    isReadOnlyAllowed: row.isReadOnlyAllowed ?? false,
  });
}
