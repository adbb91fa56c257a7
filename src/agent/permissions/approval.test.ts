import { expect, test, vi } from 'vitest';
import { checkPermission, PendingRequests, type PlannedCall } from './approval.ts';
import type { UnreviewedEdit } from './permission-rules.ts';
import {
  createRules,
  createFactsByName,
  createPlan,
  createTool,
} from './permission-rules.fixture.ts';
import type { PermissionLevel } from '../../conversation/protocol.ts';

const runCommandTool = createTool('run_command', 'command');

const createCall = (
  onWait: () => void,
  getLevel: PlannedCall['getLevel'] = () => 'applyEdits',
): PlannedCall => ({
  context: {
    conversationId: 'c1',
    messageId: 'm1',
    callId: 'call1',
    signal: new AbortController().signal,
  } as PlannedCall['context'],
  call: { id: 'call1', type: 'function', function: { name: 'run_command', arguments: '{}' } },
  tool: runCommandTool,
  plan: createPlan({ type: 'command', commandLine: 'npm test', cwd: '' }),
  getLevel,
  onWait,
});

async function createGrantedRules(unreviewedEdits: readonly UnreviewedEdit[]) {
  const { rules, grants } = createRules({ unreviewedEdits });
  const commands = [{ folder: '.', words: ['npm', 'test'] }];
  await grants.addGrant({ type: 'commands', commands }, 'conversation', 'c1');
  return { rules, storeGrant: vi.spyOn(rules, 'storeGrant') };
}

test('checkPermission requests approval again, and stores no grant, if a file is edited while the first request is open', async () => {
  const edits = [{ key: 'a 1', label: 'a.ts' }];
  const { rules, storeGrant } = await createGrantedRules(edits);
  let lastId = 0;
  const pendingRequests = new PendingRequests(() => `${++lastId}`);
  const shownReasons: string[] = [];
  pendingRequests.onDidChange(() => {
    for (const request of pendingRequests.items) {
      if (request.kind !== 'approval') continue;
      shownReasons.push(request.reasons.join(' '));
      if (shownReasons.length === 1) edits.push({ key: 'b 1', label: 'b.ts' });
      queueMicrotask(() => pendingRequests.answerApproval(request.id, { answer: 'once' }));
    }
  });
  const onWait = vi.fn<() => void>();
  const result = await checkPermission(createCall(onWait), {
    permissions: rules,
    pendingRequests,
  });
  expect(result).toEqual({ level: 'applyEdits', isApproved: true });
  expect(shownReasons).toEqual([
    'It runs after edits that you have not reviewed: a.ts.',
    'It runs after edits that you have not reviewed: b.ts.',
  ]);
  expect(onWait).toHaveBeenCalledTimes(2);
  expect(storeGrant).not.toHaveBeenCalled();
  // Earlier questions have listed all edits.
  expect(
    await checkPermission(createCall(onWait), { permissions: rules, pendingRequests }),
  ).toEqual({
    level: 'applyEdits',
  });
  expect(shownReasons).toHaveLength(2);
});

test('checkPermission does not store the listed edits as confirmed if the user denies the call', async () => {
  const { rules } = await createGrantedRules([{ key: 'a 1', label: 'a.ts' }]);
  const pendingRequests = new PendingRequests(() => '1');
  const answers: string[] = [];
  pendingRequests.onDidChange(() => {
    for (const { id } of pendingRequests.items) {
      answers.push(id);
      queueMicrotask(() => pendingRequests.answerApproval(id, { answer: 'deny', reason: 'No.' }));
    }
  });
  for (let count = 1; count <= 2; count += 1) {
    const { refusal } = await checkPermission(
      createCall(() => {}),
      { permissions: rules, pendingRequests },
    );
    expect(refusal).toMatchObject({ status: 'denied' });
    expect(answers).toHaveLength(count);
  }
});

test('checkPermission checks a call again if the user changes the permission level during the check', async () => {
  const { rules } = createRules({ unreviewedEdits: [] });
  const levels: string[] = [];
  let level: PermissionLevel = 'applyEdits';
  const evaluateCall = rules.evaluateCall.bind(rules);
  vi.spyOn(rules, 'evaluateCall').mockImplementation((checkedTool, checkedPlan, scope, signal) => {
    levels.push(scope.level);
    level = 'ask';
    return evaluateCall(checkedTool, checkedPlan, scope, signal);
  });
  const pendingRequests = new PendingRequests(() => '1');
  pendingRequests.onDidChange(() => {
    for (const { id } of pendingRequests.items)
      queueMicrotask(() => pendingRequests.answerApproval(id, { answer: 'deny', reason: '' }));
  });
  const editCall = {
    ...createCall(
      () => {},
      () => level,
    ),
    tool: createTool('edit_file', 'edit'),
    plan: createPlan({ type: 'path', path: 'src/a.ts', access: 'write' }),
  };
  const result = await checkPermission(editCall, { permissions: rules, pendingRequests });
  expect(levels).toEqual(['applyEdits', 'ask']);
  expect(result.refusal?.status).toBe('denied');
});

test('checkPermission uses the level that the user selects while an approval request about edits is open', async () => {
  const edits = [{ key: 'a 1', label: 'a.ts' }];
  const { rules } = await createGrantedRules(edits);
  let level: PermissionLevel = 'applyEdits';
  const pendingRequests = new PendingRequests(() => '1');
  let shownCount = 0;
  pendingRequests.onDidChange(() => {
    for (const { id } of pendingRequests.items) {
      shownCount += 1;
      // The new edit requires another question, except at the level that runs allowed commands.
      edits.push({ key: 'b 1', label: 'b.ts' });
      level = 'runCommands';
      queueMicrotask(() => pendingRequests.answerApproval(id, { answer: 'once' }));
    }
  });
  const plannedCall = createCall(
    () => {},
    () => level,
  );
  const result = await checkPermission(plannedCall, { permissions: rules, pendingRequests });
  expect(result).toEqual({ level: 'runCommands', isApproved: true });
  expect(shownCount).toBe(1);
});

test('checkPermission stores the grant that the approval request showed, even if a link target changes before the answer', async () => {
  let linkTarget = '/other/a.ts';
  const { rules } = createRules({
    inspectPath: async (path) => ({
      ...(await createFactsByName(path)),
      realPath: linkTarget,
      isRealPathInWorkspace: false,
    }),
  });
  const pendingRequests = new PendingRequests(() => '1');
  const shownReasons: string[] = [];
  pendingRequests.onDidChange(() => {
    for (const request of pendingRequests.items) {
      if (request.kind !== 'approval') continue;
      shownReasons.push(request.rememberWhat);
      linkTarget = '/other/b.ts';
      const answer = shownReasons.length === 1 ? 'conversation' : 'once';
      queueMicrotask(() => pendingRequests.answerApproval(request.id, { answer }));
    }
  });
  const edit = {
    ...createCall(() => {}),
    tool: createTool('edit_file', 'edit'),
    plan: createPlan({ type: 'path', path: 'linked/a.ts', access: 'write' }),
  };
  for (let count = 1; count <= 2; count += 1)
    await checkPermission(edit, { permissions: rules, pendingRequests });
  expect(shownReasons).toEqual([
    'calls of edit_file for /other/a.ts',
    'calls of edit_file for /other/b.ts',
  ]);
  linkTarget = '/other/a.ts';
  expect(await checkPermission(edit, { permissions: rules, pendingRequests })).toEqual({
    level: 'applyEdits',
  });
});

test.each([
  [
    '"changes-files" and "network", then "compound", then "command"',
    ['compound', 'network', 'command', 'changes-files'],
    ['changes-files. network.', 'compound.', 'command.'],
  ],
  ['"network", then "syntax"', ['syntax', 'network'], ['network.', 'syntax.']],
  ['"unreviewed", then "command"', ['command', 'unreviewed'], ['unreviewed.', 'command.']],
])(
  'checkPermission shows the reasons for an approval in a fixed order: %s',
  async (_, codes, expected) => {
    const { rules } = createRules();
    const evaluateCall = rules.evaluateCall.bind(rules);
    vi.spyOn(rules, 'evaluateCall').mockImplementation(async (...parameters) => ({
      ...(await evaluateCall(...parameters)),
      reasons: codes.map((code) => ({ code, text: `${code}.` })),
    }));
    const pendingRequests = new PendingRequests(() => '1');
    const shownReasons: (readonly string[])[] = [];
    pendingRequests.onDidChange(() => {
      for (const request of pendingRequests.items) {
        if (request.kind === 'approval') shownReasons.push(request.reasons);
        queueMicrotask(() =>
          pendingRequests.answerApproval(request.id, { answer: 'deny', reason: '' }),
        );
      }
    });
    const call = createCall(() => {});
    await checkPermission(call, { permissions: rules, pendingRequests });
    expect(shownReasons).toEqual([expected]);
  },
);
