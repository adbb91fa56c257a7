import { describe, expect, test } from 'vitest';
import {
  createCallEvent,
  createAgentFixture,
  createTextDelta,
  createTool,
} from '../../../test/support/agent-fixture.ts';
import { listAnswerCosts } from '../../conversation/summary.ts';
import { readModel } from '../../service/read-model.ts';
import { getContinueLabel, getStopLabel } from '../agent.ts';
import type { PendingRequests } from '../permissions/approval.ts';
import { createAskUserTool } from './ask-user-tool.ts';
import { chooseDelegateModel, createDelegateTool } from './delegate-tool.ts';

const createDelegateCall = (task: string, index = 0) =>
  createCallEvent('delegate', { task }, index);

/**
 * Answers each waiting approval request or question with the next text of `answers`. The text `approve` allows a call.
 */
function answerRequestsInOrder(pendingRequests: PendingRequests, answers: string[]): void {
  const answeredIds = new Set<string>();
  pendingRequests.onDidChange(() => {
    const request = pendingRequests.items.find(({ id }) => !answeredIds.has(id));
    if (request === undefined) return;
    answeredIds.add(request.id);
    const answer = answers.shift() ?? '';
    queueMicrotask(() => {
      if (request.kind === 'question') pendingRequests.answerQuestion(request.id, answer);
      else pendingRequests.answerApproval(request.id, { answer: 'once' });
    });
  });
}

describe('the `delegate` tool', () => {
  test('returns the report of another model, which receives only the task and the read-only tools', async () => {
    const fixture = createAgentFixture({
      tools: [
        createTool('read', () => 'text of a.ts'),
        createTool('edit', () => '', { kind: 'edit' }),
        createDelegateTool(),
      ],
      answers: [
        [createTextDelta('Secret plan.'), createDelegateCall('Where is the price?')],
        [createCallEvent('read', { path: 'a.ts' })],
        [createTextDelta('In a.ts, line 3.')],
        [createTextDelta('Done.')],
      ],
      delegateModel: { id: 'small', name: 'Small One' },
    });
    await fixture.session.send('Find the price.', []);
    expect(fixture.requests.map(({ model }) => model)).toEqual([
      'model-1',
      'small',
      'small',
      'model-1',
    ]);
    const [, task] = fixture.requests;
    expect(JSON.stringify(task?.messages)).not.toContain('Secret plan.');
    expect(JSON.stringify(task?.messages)).not.toContain('Find the price.');
    expect(JSON.stringify(task?.messages)).toContain('Where is the price?');
    expect(task?.tools?.map(({ function: { name } }) => name)).toEqual(['read']);
    expect(fixture.listToolMessages(3)).toEqual(['In a.ts, line 3.']);
    expect(fixture.listAnswers().map(({ text }) => text)).toEqual(['Secret plan.', 'Done.']);
  });

  test('stores the calls of the other model in the turn, and shows the calls in one tool row', async () => {
    const fixture = createAgentFixture({
      tools: [createTool('read', () => 'text'), createDelegateTool()],
      answers: [
        [createDelegateCall('Look.')],
        [createCallEvent('read')],
        [createTextDelta('Found.')],
        [createTextDelta('Done.')],
      ],
      delegateModel: { id: 'small', name: 'Small One' },
    });
    await fixture.session.send('Go', []);
    const storedConversation = await fixture.store.load('c1');
    const runs = [...(storedConversation?.messages ?? [])].flatMap((message) =>
      message.role === 'assistant' ? message.toolRuns : [],
    );
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({
      status: 'done',
      verb: 'Explore',
      target: 'Look.',
      output: 'Found.',
      delegated: {
        model: 'Small One',
        modelId: 'small',
        steps: [{ name: 'read', status: 'done', verb: 'Do', target: 'read' }],
      },
    });
    const runRecords = fixture.store.listRecords('c1').filter(({ type }) => type === 'tool-run');
    expect(runRecords.length).toBeLessThanOrEqual(3);
  });

  test('adds the requests, calls, tokens and cost of the other model to the turn', async () => {
    const usage = { promptTokens: 90, completionTokens: 10, totalTokens: 100 };
    const usageEvent = { type: 'usage', usage, cost: { usd: 0.25 } } as const;
    const fixture = createAgentFixture({
      tools: [createTool('read', () => 'text'), createDelegateTool()],
      answers: [
        [createDelegateCall('Look.'), usageEvent],
        [createCallEvent('read'), usageEvent],
        [createTextDelta('Found.'), usageEvent],
        [createTextDelta('Done.'), usageEvent],
      ],
    });
    await fixture.session.send('Go', []);
    expect(fixture.usages.at(-1)).toMatchObject({ requests: 4, calls: 2, tokens: 400, usd: 1 });
    expect(fixture.listToolRuns()[0]?.delegated).toMatchObject({
      usage: { totalTokens: 200 },
      cost: { usd: 0.5 },
    });
    const storedConversation = await fixture.store.load('c1');
    const costs = storedConversation === undefined ? [] : listAnswerCosts(storedConversation);
    expect(costs.map(({ cost }) => cost?.usd)).toEqual([0.25, 0.5, 0.25]);
    expect(costs.map(({ modelId }) => modelId)).toEqual(['model-1', 'model-1', 'model-1']);
  });

  test('requests confirmation in its tool row before the turn exceeds its budget, and ends the turn if the user selects Stop', async () => {
    const fixture = createAgentFixture({
      tools: [createTool('read', () => 'text'), createDelegateTool()],
      answers: [
        [createDelegateCall('Look.')],
        [createCallEvent('read')],
        [createTextDelta('Found.')],
      ],
      limits: { requests: 2 },
    });
    const askedRequests: unknown[] = [];
    fixture.pending.onDidChange(() => askedRequests.push(...fixture.pending.items));
    answerRequestsInOrder(fixture.pending, [getStopLabel()]);
    await fixture.session.send('Go', []);
    expect(fixture.requests).toHaveLength(2);
    const [answer] = fixture.listAnswers();
    expect(askedRequests).toEqual([
      expect.objectContaining({ kind: 'question', messageId: answer?.id, callId: 't0' }),
    ]);
    expect(fixture.listToolRuns()[0]?.status).toBe('failed');
    expect(fixture.session.runningAnswerId).toBeUndefined();
  });

  test('continues after the user extends the budget, and requests confirmation only once for concurrent tasks', async () => {
    const fixture = createAgentFixture({
      tools: [createTool('read', () => 'text'), createDelegateTool()],
      answers: [
        [createDelegateCall('One.', 0), createDelegateCall('Two.', 1)],
        [createCallEvent('read')],
        [createCallEvent('read')],
        [createTextDelta('Found.')],
        [createTextDelta('Found, too.')],
        [createTextDelta('Done.')],
      ],
      limits: { requests: 3 },
    });
    let questionCount = 0;
    fixture.pending.onDidChange(() => (questionCount += fixture.pending.items.length));
    answerRequestsInOrder(fixture.pending, [getContinueLabel(), getContinueLabel()]);
    await fixture.session.send('Go', []);
    expect(questionCount).toBe(1);
    expect(fixture.listToolMessages(5)).toEqual(['Found.', 'Found, too.']);
    expect(fixture.listAnswers().at(-1)?.text).toBe('Done.');
  });

  test('shows questions and approval requests of the other model in its tool row', async () => {
    const fixture = createAgentFixture({
      tools: [createTool('read', () => 'text'), createDelegateTool()],
      answers: [
        [createDelegateCall('Look.')],
        [createCallEvent('ask', { question: 'Which?' })],
        [createCallEvent('read')],
        [createTextDelta('Found.')],
        [createTextDelta('Done.')],
      ],
      getPermission: ({ name }) => (name === 'read' ? { decision: 'ask' } : {}),
    });
    fixture.setTools([
      createTool('read', () => 'text'),
      { ...createAskUserTool(fixture.pending), name: 'ask' },
      createDelegateTool(),
    ]);
    const askedRequests: unknown[] = [];
    fixture.pending.onDidChange(() => askedRequests.push(...fixture.pending.items));
    answerRequestsInOrder(fixture.pending, ['That one.']);
    await fixture.session.send('Go', []);
    const [answer] = fixture.listAnswers();
    const expectedCall = { messageId: answer?.id, callId: 't0' };
    expect(askedRequests).toEqual([
      expect.objectContaining({ kind: 'question', ...expectedCall }),
      expect.objectContaining({ kind: 'approval', ...expectedCall }),
    ]);
    expect(fixture.listToolMessages(2)).toEqual(['That one.']);
  });

  test("applies a change of the chat's permission level to the other model", async () => {
    const levels: string[] = [];
    const fixture = createAgentFixture({
      tools: [createTool('read', () => 'text'), createDelegateTool()],
      answers: [
        [createDelegateCall('Look.')],
        [createCallEvent('read')],
        [createTextDelta('Found.')],
        [createTextDelta('Done.')],
      ],
      getPermission: ({ name }, _plan, level) => {
        levels.push(`${name} ${level}`);
        return {};
      },
    });
    await fixture.session.setPermissionLevel('applyEdits');
    await fixture.session.send('Go', []);
    expect(levels).toEqual(['delegate applyEdits', 'read applyEdits']);
  });

  test('stops the other model when the user stops the turn', async () => {
    const readStart = Promise.withResolvers<void>();
    const signals: AbortSignal[] = [];
    const fixture = createAgentFixture({
      tools: [
        createTool('read', async (_args, { signal }) => {
          signals.push(signal);
          readStart.resolve();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return 'partial';
        }),
        createDelegateTool(),
      ],
      answers: [
        [createDelegateCall('Look.')],
        [createCallEvent('read')],
        [createTextDelta('Never.')],
      ],
    });
    const turnPromise = fixture.session.send('Go', []);
    await readStart.promise;
    await fixture.session.stop();
    await turnPromise;
    expect(signals[0]?.aborted).toBe(true);
    expect(fixture.requests).toHaveLength(2);
    expect(fixture.listToolRuns()[0]).toMatchObject({
      status: 'cancelled',
      delegated: { steps: [{ name: 'read', status: 'cancelled' }] },
    });
  });

  test('is not available inside a delegated task', async () => {
    const fixture = createAgentFixture({
      tools: [createDelegateTool()],
      answers: [
        [createDelegateCall('Look.')],
        [createDelegateCall('Look deeper.')],
        [createTextDelta('Found.')],
        [createTextDelta('Done.')],
      ],
    });
    await fixture.session.send('Go', []);
    expect(fixture.listToolMessages(2)).toEqual(['There is no tool called delegate.']);
  });

  test("returns an error to the chat's model if the other model fails", async () => {
    const failure = { code: 'overloaded', message: 'The model is at capacity.' } as const;
    const failedEvent = { type: 'stream-end', outcome: { kind: 'failed', failure } } as const;
    const fixture = createAgentFixture({
      tools: [createDelegateTool()],
      answers: [[createDelegateCall('Look.')], [failedEvent], [createTextDelta('Done.')]],
    });
    await fixture.session.send('Go', []);
    expect(fixture.listToolMessages(2)).toEqual(['The model is at capacity.']);
    expect(fixture.listToolRuns()[0]?.status).toBe('failed');
    expect(fixture.listAnswers().at(-1)?.text).toBe('Done.');
  });

  test('truncates a report that is too long', async () => {
    const fixture = createAgentFixture({
      tools: [createDelegateTool()],
      answers: [
        [createDelegateCall('Look.')],
        [createTextDelta('x'.repeat(50_000))],
        [createTextDelta('Done.')],
      ],
    });
    await fixture.session.send('Go', []);
    expect(fixture.listToolMessages(2)[0]?.length).toBeLessThan(12_100);
  });

  test("stops the other model when the user sends a message, so that the chat's model can respond", async () => {
    const waitingMessages = [{ text: 'Wait, look in b.ts.', attachments: [] }];
    let isWaiting = false;
    const fixture = createAgentFixture({
      tools: [
        createTool('read', () => {
          isWaiting = true;
          return 'text';
        }),
        createDelegateTool(),
      ],
      answers: [
        [createDelegateCall('Look.')],
        [createTextDelta('So far nothing.'), createCallEvent('read')],
        [createTextDelta('Done.')],
      ],
      interruptions: {
        hasMessage: () => isWaiting && waitingMessages.length > 0,
        takeMessage: () => (isWaiting ? waitingMessages.shift() : undefined),
      },
    });
    await fixture.session.send('Go', []);
    expect(fixture.listToolMessages(2)).toEqual(['So far nothing.']);
    expect(fixture.requests[2]?.messages.at(-1)?.content).toBe('Wait, look in b.ts.');
    expect(fixture.requests[2]?.model).toBe('model-1');
  });
});

describe('chooseDelegateModel', () => {
  const models = [
    readModel({ id: 'big', type: 'text', model_spec: {} }),
    readModel({ id: 'small', type: 'text', model_spec: { traits: ['fastest'] } }),
    readModel({ id: 'off', type: 'text', model_spec: { offline: true } }),
    readModel({ id: 'painter', type: 'image', model_spec: {} }),
  ].filter((model) => model !== undefined);
  const [currentModel] = models;
  const chooseModel = (name: string, isSuitable = true) =>
    chooseDelegateModel(models, name, currentModel, () => isSuitable)?.id;

  test.each([
    ['', 'big'],
    ['  ', 'big'],
    ['small', 'small'],
    ['fastest', 'small'],
    ['off', 'big'],
    ['painter', 'big'],
    ['unknown', 'big'],
  ])('for the setting %j, returns the model "%s"', (name, id) => {
    expect(chooseModel(name)).toBe(id);
  });

  test('returns the current model if the chosen model is unsuitable, and undefined if there is no current model', () => {
    expect(chooseModel('small', false)).toBe('big');
    expect(chooseDelegateModel(models, 'small', undefined, () => true)).toBeUndefined();
  });
});
