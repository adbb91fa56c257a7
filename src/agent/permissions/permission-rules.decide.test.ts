import { fc } from '../../../test/support/property.ts';
import { expect, test } from 'vitest';
import type { ToolResource, ToolKind } from '../tool.ts';
import { decidePermission, type DecisionRequest } from './permission-rules.ts';
import { type CommandGrant, Grants } from './grants.ts';
import { permissionLevels } from '../../conversation/protocol.ts';
import { allowedVerdict, type Verdict } from '../../workspace/verdict.ts';

const askVerdict: Verdict = {
  decision: 'ask',
  reasons: [{ code: 'write', text: 'It changes a file.' }],
  isRememberable: true,
};
const askEachTimeVerdict: Verdict = {
  decision: 'ask',
  reasons: [{ code: 'sensitive', text: 'Sensitive.' }],
  isRememberable: false,
};
const refuseVerdict: Verdict = {
  decision: 'refuse',
  reasons: [{ code: 'link', text: 'A link.' }],
  isRememberable: false,
};

const createPathResource = (access: 'read' | 'write' | 'delete'): ToolResource => ({
  type: 'path',
  path: 'a.ts',
  access,
});
const commandResource: ToolResource = { type: 'command', commandLine: 'npm test', cwd: '' };

const ownProcessResource: ToolResource = { type: 'own-process' };

const toRootGrants = (prefixes: readonly (readonly string[])[]): CommandGrant[] =>
  prefixes.map((words) => ({ folder: '.', words }));

const createEmptyGrants = (): Grants => new Grants({ get: () => undefined, set: () => {} });
const createEditRequest = (fields: Partial<DecisionRequest> = {}): DecisionRequest => ({
  tool: { name: 'edit_file', kind: 'edit' },
  toolKey: 'edit_file',
  resources: [createPathResource('write')],
  verdicts: [askVerdict],
  outsideFiles: [],
  commands: [],
  grants: createEmptyGrants(),
  conversationId: 'c1',
  level: 'ask',
  editsToConfirm: [],
  ...fields,
});
const createRunRequest = (fields: Partial<DecisionRequest> = {}): DecisionRequest =>
  createEditRequest({
    tool: { name: 'run_command', kind: 'command' },
    toolKey: 'run_command',
    resources: [commandResource],
    commands: toRootGrants([['npm', 'test']]),
    ...fields,
  });

test('decidePermission allows a read inside the workspace without approval', () => {
  const readRequest = createEditRequest({
    tool: { name: 'read_file', kind: 'read' },
    resources: [createPathResource('read')],
    verdicts: [allowedVerdict],
  });
  expect(decidePermission(readRequest)).toMatchObject({
    decision: 'allow',
    reasons: [],
    remember: [],
  });
});

test('decidePermission requires approval for a change and offers a grant', () => {
  expect(decidePermission(createEditRequest())).toEqual({
    ...askVerdict,
    remember: ['conversation', 'always'],
    rememberWhat: 'calls of edit_file inside the workspace',
    grant: { type: 'tool', key: 'edit_file' },
    editKeys: [],
  });
});

test('decidePermission allows stopping a background command of the same conversation', () => {
  const stopRequest = createRunRequest({
    resources: [ownProcessResource],
    verdicts: [allowedVerdict],
    commands: [],
  });
  expect(decidePermission(stopRequest)).toMatchObject({
    decision: 'allow',
    remember: [],
    grant: undefined,
  });
});

test('decidePermission allows a call of a granted tool without approval', async () => {
  for (const scope of ['conversation', 'always'] as const) {
    const grants = new Grants(createMemoryStore());
    await grants.addGrant({ type: 'tool', key: 'edit_file' }, scope, 'c1');
    expect(decidePermission(createEditRequest({ grants })).decision).toBe('allow');
    const otherDecision = decidePermission(
      createEditRequest({ grants, conversationId: 'c2' }),
    ).decision;
    expect(otherDecision).toBe(scope === 'always' ? 'allow' : 'ask');
  }
});

test.each([
  ['a rule that no setting overrides', [askVerdict, askEachTimeVerdict], 'ask'],
  ['a forbidden command', [askVerdict, refuseVerdict], 'refuse'],
  [
    'a rule that no setting overrides, together with a forbidden command',
    [refuseVerdict, askEachTimeVerdict],
    'refuse',
  ],
] as const)(
  'decidePermission does not let the grant of a tool override %s',
  async (_, verdicts, decision) => {
    const grants = await createFullGrants();
    const permission = decidePermission(createEditRequest({ grants, verdicts: [...verdicts] }));
    expect(permission).toMatchObject({
      decision,
      isRememberable: false,
      remember: [],
      rememberWhat: '',
    });
    expect(permission.grant).toBeUndefined();
  },
);

test('decidePermission requires approval for each deletion', async () => {
  const request = createEditRequest({
    resources: [createPathResource('write'), createPathResource('delete')],
  });
  expect(decidePermission(request)).toMatchObject({ isRememberable: false, remember: [] });
  const grants = new Grants(createMemoryStore());
  await grants.addGrant({ type: 'tool', key: 'edit_file' }, 'always', 'c1');
  await grants.addGrant({ type: 'tool', key: 'edit_file' }, 'conversation', 'c1');
  for (const level of permissionLevels)
    expect(decidePermission({ ...request, grants, level }).decision).toBe('ask');
});

test('decidePermission offers a grant for reads outside the workspace only for the conversation', () => {
  const readRequest = createEditRequest({
    tool: { name: 'read_file', kind: 'read' },
    toolKey: 'read_file',
    resources: [createPathResource('read')],
  });
  expect(decidePermission(readRequest)).toMatchObject({
    remember: ['conversation'],
    rememberWhat: 'calls of read_file outside the workspace',
  });
});

test('decidePermission offers a grant for the first words of a command', () => {
  const commands = toRootGrants([
    ['npm', 'test'],
    ['git', 'commit'],
  ]);
  expect(decidePermission(createRunRequest({ commands }))).toMatchObject({
    remember: ['conversation', 'always'],
    rememberWhat:
      'commands in the workspace folder itself that begin with "npm test" or "git commit"',
    grant: { type: 'commands', commands },
  });
});

test.each([
  ['without known prefixes', undefined],
  ['with empty prefixes', []],
  [
    'with a secret in a prefix',
    [
      ['npm', 'test'],
      ['psql', 'password=s3cret'],
    ],
  ],
])('decidePermission offers no grant for a command %s', (_, prefixes) => {
  const permission = decidePermission(
    createRunRequest({ commands: prefixes && toRootGrants(prefixes) }),
  );
  expect(permission).toMatchObject({ decision: 'ask', isRememberable: false, remember: [] });
  expect(JSON.stringify(permission)).not.toContain('s3cret');
});

test('decidePermission does not grant the command tool as a whole', async () => {
  const grants = await createFullGrants();
  expect(decidePermission(createRunRequest({ grants })).decision).toBe('ask');
});

test.each<[string, ToolKind, readonly ToolResource[]]>([
  ['edits without resources', 'edit', []],
  ['edits but declares a read', 'edit', [createPathResource('read')]],
  ['runs commands without resources', 'command', []],
  ['runs commands but declares a write', 'command', [createPathResource('write')]],
  ['belongs to another extension and declares nothing', 'external', []],
  ['reads but writes', 'read', [createPathResource('read'), createPathResource('write')]],
  ['reads but deletes', 'read', [createPathResource('delete')]],
  ['edits but also runs a command', 'edit', [createPathResource('write'), commandResource]],
  ['runs commands but also deletes', 'command', [commandResource, createPathResource('delete')]],
  ['only shows files but runs a command', 'editor', [commandResource]],
  ['reads but ends a command', 'read', [ownProcessResource]],
  ['edits but also ends a command', 'edit', [createPathResource('write'), ownProcessResource]],
  [
    'ends a command but also deletes',
    'command',
    [ownProcessResource, createPathResource('delete')],
  ],
  ['asks the user but writes', 'question', [createPathResource('write')]],
])(
  'decidePermission requires approval each time for a tool that %s',
  async (_, kind, resources) => {
    const grants = await createFullGrants();
    const tool = { name: 'edit_file', kind };
    const permission = decidePermission(
      createEditRequest({ tool, resources, grants, verdicts: [allowedVerdict] }),
    );
    expect(permission).toMatchObject({ decision: 'ask', isRememberable: false, remember: [] });
  },
);

test('decidePermission reports each reason only once', () => {
  const { reasons } = decidePermission(
    createEditRequest({ verdicts: [askVerdict, askVerdict, askEachTimeVerdict, askVerdict] }),
  );
  expect(reasons.map(({ code }) => code)).toEqual(['write', 'sensitive']);
});

test.each(['requires_approval', 'requiresApproval', 'safe', 'approved', 'decision', 'auto'])(
  'decidePermission ignores the argument `%s` of a call',
  (name) => {
    const claims = { [name]: name === 'decision' ? 'allow' : name !== 'requires_approval' };
    const request = createEditRequest({
      resources: [{ ...createPathResource('write'), ...claims }],
    });
    expect(decidePermission({ ...request, ...claims })).toEqual(
      decidePermission(createEditRequest()),
    );
  },
);

test('decidePermission applies no grant to a call that requires approval each time', async () => {
  const grants = await createFullGrants();
  const anyVerdicts = fc.array(
    fc.constantFrom(allowedVerdict, askVerdict, askEachTimeVerdict, refuseVerdict),
    {
      maxLength: 6,
    },
  );
  const anyRequest = fc.constantFrom(createEditRequest({ grants }), createRunRequest({ grants }));
  fc.assert(
    fc.property(anyRequest, anyVerdicts, (request, verdicts) => {
      const { decision } = decidePermission({ ...request, verdicts });
      if (verdicts.includes(refuseVerdict)) expect(decision).toBe('refuse');
      else if (verdicts.includes(askEachTimeVerdict)) expect(decision).toBe('ask');
    }),
  );
});

test('decidePermission never returns a more lenient decision when verdicts are added', () => {
  const decisionRanks = { allow: 0, ask: 1, refuse: 2 };
  const anyVerdicts = fc.array(
    fc.constantFrom(allowedVerdict, askVerdict, askEachTimeVerdict, refuseVerdict),
    {
      maxLength: 5,
    },
  );
  fc.assert(
    fc.property(anyVerdicts, anyVerdicts, (someVerdicts, addedVerdicts) => {
      const [before, after] = [someVerdicts, [...someVerdicts, ...addedVerdicts]].map((verdicts) =>
        decidePermission(createEditRequest({ verdicts })),
      );
      expect(decisionRanks[after?.decision ?? 'allow']).toBeGreaterThanOrEqual(
        decisionRanks[before?.decision ?? 'refuse'],
      );
    }),
  );
});

function createMemoryStore(): { get: () => unknown; set: (value: unknown) => void } {
  let storedValue: unknown;
  return { get: () => storedValue, set: (value) => void (storedValue = value) };
}

/** Creates grants for every tool of these tests, for the conversation and permanently. */
async function createFullGrants(): Promise<Grants> {
  const grants = new Grants(createMemoryStore());
  for (const key of ['edit_file', 'run_command', 'read_file']) {
    await grants.addGrant({ type: 'tool', key }, 'always', 'c1');
    await grants.addGrant({ type: 'tool', key }, 'conversation', 'c1');
  }
  return grants;
}
