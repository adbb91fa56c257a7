import { describe, expect, test } from 'vitest';
import {
  createAgentFixture,
  createCallEvent,
  createEndEvent,
  createTextDelta,
  createTool,
} from '../../test/support/agent-fixture.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { systemClock } from '../base/clock.ts';
import type { ChatEvent } from '../service/chat/chat-types.ts';
import { getContinueLabel, getStopLabel } from './agent.ts';
import { countContextTokens } from '../conversation/summary.ts';
import type { PendingApproval, PendingRequests } from './permissions/approval.ts';
import type { ToolContext } from './tool.ts';
import { createAskUserTool } from './tools/ask-user-tool.ts';
import { ToolError } from '../workspace/tool-error.ts';

/** Resolves with the first approval request or question that waits for the user. */
function waitForPendingApproval(pendingRequests: PendingRequests): Promise<PendingApproval> {
  return new Promise((resolve) => {
    const resolveFirstRequest = (): void => {
      const [firstRequest] = pendingRequests.items;
      if (firstRequest === undefined) return;
      subscription.dispose();
      resolve(firstRequest);
    };
    const subscription = pendingRequests.onDidChange(resolveFirstRequest);
    resolveFirstRequest();
  });
}

describe('a turn of the agent', () => {
  test('sends tool results to the model until an answer contains no calls', async () => {
    const readPaths: unknown[] = [];
    const readTool = createTool('read', ({ path }) => {
      readPaths.push(path);
      return `text of ${JSON.stringify(path)}`;
    });
    const fixture = createAgentFixture({
      tools: [readTool],
      answers: [
        [createTextDelta('Let me look.'), createCallEvent('read', { path: 'a.ts' })],
        [createTextDelta('Done.')],
      ],
    });
    await fixture.session.send('What is in a.ts?', []);
    expect(readPaths).toEqual(['a.ts']);
    expect(fixture.requests).toHaveLength(2);
    expect(fixture.requests[0]?.tools).toEqual([
      {
        type: 'function',
        function: { name: 'read', description: 'read', parameters: readTool.parameters },
      },
    ]);
    expect(fixture.requests[1]?.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          { id: 't0', type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 't0', content: 'text of "a.ts"' },
    ]);
    expect(fixture.listAnswers().map(({ text }) => text)).toEqual(['Let me look.', 'Done.']);
    expect(fixture.session.runningAnswerId).toBeUndefined();
  });

  test.each(['send', 'edit', 'retry'] as const)(
    'sends no request for the action "%s" if the message has an image and the model has no vision',
    async (action) => {
      const modelOptions = { maxImages: 1 };
      const fixture = createAgentFixture({
        answers: [[createTextDelta('Red.')]],
        model: modelOptions,
      });
      const { session } = fixture;
      const imageAttachment = {
        id: 'p1',
        kind: 'image',
        label: 'a.png',
        language: '',
        text: '',
      } as const;
      if (action === 'send') modelOptions.maxImages = 0;
      await session.send('', [imageAttachment]);
      modelOptions.maxImages = 0;
      const [firstAnswer] = fixture.listAnswers();
      if (action === 'edit') await session.edit(firstAnswer?.parentId ?? '', 'What is this?');
      if (action === 'retry') await session.retry(firstAnswer?.id ?? '');
      expect(fixture.requests).toHaveLength(action === 'send' ? 0 : 1);
      const [lastAnswer] = fixture.listAnswers();
      expect(lastAnswer?.result.failure).toMatchObject({
        code: 'unsupported-feature',
        message: expect.stringContaining('cannot see images'),
      });
      const userMessage = session.conversation.findMessage(lastAnswer?.parentId ?? '');
      expect(userMessage).toMatchObject({ attachments: [imageAttachment] });
      expect(session.conversation.title).toBe('a.png');
    },
  );

  test('runs read-only calls concurrently, and all other calls one by one', async () => {
    const log: string[] = [];
    let runningCount = 0;
    let maxRunningCount = 0;
    const createSlowTool = (name: string) => async (): Promise<string> => {
      log.push(`${name} begins`);
      maxRunningCount = Math.max(maxRunningCount, ++runningCount);
      await new Promise((resolve) => setImmediate(resolve));
      runningCount -= 1;
      log.push(`${name} ends`);
      return name;
    };
    const fixture = createAgentFixture({
      tools: [
        createTool('r1', createSlowTool('r1')),
        createTool('r2', createSlowTool('r2')),
        createTool('w1', createSlowTool('w1'), { kind: 'edit' }),
        createTool('w2', createSlowTool('w2'), { kind: 'command' }),
        createTool('r3', createSlowTool('r3')),
      ],
      answers: [
        ['r1', 'r2', 'w1', 'w2', 'r3'].map((name, index) => createCallEvent(name, {}, index)),
        [createTextDelta('ok')],
      ],
    });
    await fixture.session.send('Go', []);
    expect(maxRunningCount).toBe(2);
    expect(log).toEqual([
      'r1 begins',
      'r2 begins',
      'r1 ends',
      'r2 ends',
      'w1 begins',
      'w1 ends',
      'w2 begins',
      'w2 ends',
      'r3 begins',
      'r3 ends',
    ]);
    expect(fixture.listToolMessages(1)).toEqual(['r1', 'r2', 'w1', 'w2', 'r3']);
  });

  test('fires one `work-end` event, after the last answer', async () => {
    const fixture = createAgentFixture({
      tools: [createTool('read', () => 'x')],
      answers: [[createCallEvent('read')], [createTextDelta('Done.')]],
    });
    const answerCounts: number[] = [];
    fixture.session.onDidChange((event) => {
      if (event.type !== 'work-end') return;
      // Observes the state that a view would render in the next task.
      setImmediate(() => answerCounts.push(fixture.listAnswers().length));
    });
    // Simulates a slow disk.
    const append = fixture.store.append.bind(fixture.store);
    fixture.store.append = async (...args) => {
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      return append(...args);
    };
    await fixture.session.send('Go', []);
    expect(answerCounts).toEqual([2]);
  });

  test('is followed by a new turn if the user sends a message just as the turn ends', async () => {
    const fixture = createAgentFixture({
      answers: [
        [createTextDelta('One.')],
        [createTextDelta('Two.')],
        [createTextDelta('Unasked.')],
      ],
    });
    const subscription = fixture.session.onDidChange((event) => {
      if (event.type !== 'turn-event' || event.event.type !== 'turn-end') return;
      subscription.dispose();
      void fixture.session.send('Second', []);
    });
    await fixture.session.send('First', []);
    await fixture.session.waitUntilSettled();
    expect(fixture.session.conversation.listPath().map(({ text }) => text)).toEqual([
      'First',
      'One.',
      'Second',
      'Two.',
    ]);
    expect(fixture.requests).toHaveLength(2);
    expect(fixture.usages).toMatchObject([{ requests: 1 }, { requests: 1 }]);
  });

  test('sends no tools if the user selected a persona', async () => {
    const fixture = createAgentFixture({
      tools: [createTool('read', () => '')],
      answers: [[createTextDelta('Hello.')]],
    });
    await fixture.session.setOptions({ character: { slug: 'alan-watts', name: 'Alan Watts' } });
    await fixture.session.send('Read a.ts', []);
    expect(fixture.requests[0]?.tools).toBeUndefined();
  });

  test('sends no tools to a model without tool support', async () => {
    const fixture = createAgentFixture({
      tools: [createTool('read', () => '')],
      answers: [[createTextDelta('Hi')]],
      model: { supportsTools: false },
    });
    await fixture.session.send('Hello', []);
    expect(fixture.requests[0]).not.toHaveProperty('tools');
  });
});

describe('tool calls', () => {
  const interruption: ChatEvent = {
    type: 'stream-end',
    outcome: { kind: 'failed', failure: { code: 'interrupted', message: 'cut' } },
  };

  test.each<[why: string, events: readonly ChatEvent[], output: RegExp]>([
    ['an unknown tool', [createCallEvent('wallet_sign', {})], /no tool called wallet_sign/u],
    ['a tool named __proto__', [createCallEvent('__proto__', {})], /no tool called __proto__/u],
    [
      'a tool named like an inherited property',
      [createCallEvent('constructor', {})],
      /no tool called constructor/u,
    ],
    ['truncated arguments', [createCallEvent('write', '{"path": "a')], /not a JSON object/u],
    ['an array as arguments', [createCallEvent('write', '[1]')], /not a JSON object/u],
    ['null as arguments', [createCallEvent('write', 'null')], /not a JSON object/u],
    ['arguments of the wrong type', [createCallEvent('write', { path: 7 })], /path: .*string/u],
    ['missing arguments', [createCallEvent('strict', {})], /path/u],
    [
      'a call without a tool name',
      [{ type: 'tool-call-delta', index: 0, id: 'a', arguments: '{}' }],
      /no name/u,
    ],
    ['an invalid index', [{ type: 'tool-call-invalid' }], /is invalid/u],
    [
      'an answer truncated at the length limit',
      [createCallEvent('write', {}), createEndEvent('length')],
      /cut off/u,
    ],
    [
      'an answer truncated by a content filter',
      [createCallEvent('write', {}), createEndEvent('content_filter')],
      /cut off/u,
    ],
  ])('return an error to the model for %s', async (_, events, output) => {
    let runCount = 0;
    const run = (): string => `${(runCount += 1)}`;
    const schema = { type: 'object', properties: { path: { type: 'string' } } };
    const fixture = createAgentFixture({
      tools: [
        createTool('write', run, { parameters: schema }),
        createTool('strict', run, { parameters: { ...schema, required: ['path'] } }),
      ],
      answers: [events, [createTextDelta('I see.')]],
    });
    await fixture.session.send('Go', []);
    expect(runCount).toBe(0);
    expect(fixture.listToolRuns()).toMatchObject([{ status: 'failed' }]);
    expect(fixture.listToolMessages(1)[0]).toMatch(output);
  });

  test('do not run if the connection breaks during the answer', async () => {
    let runCount = 0;
    const fixture = createAgentFixture({
      tools: [createTool('write', () => `${runCount++}`)],
      answers: [[createCallEvent('write', {}), interruption]],
    });
    await fixture.session.send('Go', []);
    expect(runCount).toBe(0);
    expect(fixture.requests).toHaveLength(1);
    expect(fixture.listAnswers()[0]).toMatchObject({ status: 'interrupted', toolRuns: [] });
  });

  test('treat an argument named `__proto__` like any other argument', async () => {
    let receivedArgs: object | undefined;
    const fixture = createAgentFixture({
      tools: [
        createTool('write', (args) => {
          receivedArgs = args;
          return '';
        }),
      ],
      answers: [
        [createCallEvent('write', '{"__proto__":{"admin":true},"a":1}')],
        [createTextDelta('ok')],
      ],
    });
    await fixture.session.send('Go', []);
    expect(Object.getPrototypeOf(receivedArgs)).toBeNull();
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test('receive one result each if an answer contains 200 calls', async () => {
    let runCount = 0;
    const fixture = createAgentFixture({
      tools: [createTool('read', () => `${(runCount += 1)}`)],
      answers: [
        Array.from({ length: 200 }, (_, index) => createCallEvent('read', {}, index)),
        [createTextDelta('ok')],
      ],
    });
    await fixture.session.send('Go', []);
    expect(runCount).toBe(200);
    expect(fixture.listToolMessages(1)).toHaveLength(200);
    expect(new Set(fixture.listToolRuns().map(({ callId }) => callId)).size).toBe(200);
  });

  test('return advice to try a different approach if the same call failed twice', async () => {
    const failingTool = createTool('read', () => {
      throw new ToolError('not-found', 'No such file.');
    });
    const fixture = createAgentFixture({
      tools: [failingTool],
      answers: [
        [createCallEvent('read')],
        [createCallEvent('read')],
        [createTextDelta('I give up.')],
      ],
    });
    await fixture.session.send('Go', []);
    expect(fixture.listToolMessages(2)).toEqual([
      'No such file.',
      'No such file.\nThe same call has failed 2 times. Try another approach.',
    ]);
  });

  test('are logged without their arguments', async () => {
    const fixture = createAgentFixture({
      tools: [
        createTool('run', () => {
          throw new Error('broken');
        }),
      ],
      answers: [
        [createCallEvent('run', { command: 'PGPASSWORD=s3cret psql' })],
        [createTextDelta('ok')],
      ],
    });
    await fixture.session.send('Go', []);
    expect(fixture.loggedErrors).toHaveLength(1);
    expect(JSON.stringify(fixture.loggedErrors.map(String))).not.toContain('s3cret');
  });

  test('log an internal error, but return no internal error message to the model', async () => {
    const fixture = createAgentFixture({
      tools: [
        createTool('read', () => {
          throw new Error('/home/someone/secret');
        }),
      ],
      answers: [[createCallEvent('read')], [createTextDelta('ok')]],
    });
    await fixture.session.send('Go', []);
    expect(fixture.loggedErrors).toHaveLength(1);
    expect(fixture.listToolMessages(1)[0]).not.toContain('secret');
  });
});

describe('a call of a tool that requires approval', () => {
  const askEachTime = {
    decision: 'ask',
    reasons: [{ code: 'write', text: 'It changes a file.' }],
  } as const;

  test.each<
    [effect: string, answer: 'once' | 'conversation' | 'deny', ran: number, output: RegExp]
  >([
    ['runs', 'once', 1, /^written$/u],
    ['runs', 'conversation', 1, /^written$/u],
    ['is denied', 'deny', 0, /denied this call with this reason: use b\.ts/u],
  ])('%s if the user answers "%s"', async (_, answer, expectedRunCount, output) => {
    let runCount = 0;
    const fixture = createAgentFixture({
      tools: [
        createTool('write', () => {
          runCount += 1;
          return 'written';
        }),
      ],
      answers: [
        [createCallEvent('write', { requires_approval: false, safe: true })],
        [createTextDelta('ok')],
      ],
      getPermission: () => askEachTime,
    });
    const turnPromise = fixture.session.send('Go', []);
    const approval = await waitForPendingApproval(fixture.pending);
    expect(approval).toMatchObject({ kind: 'approval', reasons: ['It changes a file.'] });
    expect(runCount).toBe(0);
    fixture.pending.answerApproval(
      approval.id,
      answer === 'deny' ? { answer, reason: 'use b.ts' } : { answer },
    );
    await turnPromise;
    expect(runCount).toBe(expectedRunCount);
    expect(fixture.listToolMessages(1)[0]).toMatch(output);
    expect(fixture.pending.items).toEqual([]);
  });

  test('passes `isApproved` to the tool only if the user approved the call', async () => {
    const recordedContexts: (readonly [string, true | undefined])[] = [];
    const recordContext = (step: string, { callId, isApproved }: ToolContext): void =>
      void recordedContexts.push([`${step} ${callId}`, isApproved]);
    const writeTool = createTool('write', (_, context) => {
      recordContext('run', context);
      return 'written';
    });
    const fixture = createAgentFixture({
      tools: [
        {
          ...writeTool,
          plan: (args, context) => {
            recordContext('plan', context);
            return writeTool.plan(args, context);
          },
        },
      ],
      answers: [
        [createCallEvent('write')],
        [createCallEvent('write', {}, 1)],
        [createTextDelta('ok')],
      ],
      getPermission: () => (recordedContexts.length === 1 ? askEachTime : {}),
    });
    const turnPromise = fixture.session.send('Go', []);
    const { id } = await waitForPendingApproval(fixture.pending);
    fixture.pending.answerApproval(id, { answer: 'once' });
    await turnPromise;
    expect(recordedContexts).toEqual([
      ['plan t0', undefined],
      ['run t0', true],
      ['plan t1', undefined],
      ['run t1', undefined],
    ]);
  });

  test('keeps waiting if an answer is not one of the offered choices or belongs to another request', async () => {
    const fixture = createAgentFixture({
      tools: [createTool('write', () => 'written')],
      answers: [[createCallEvent('write')], [createTextDelta('ok')]],
      getPermission: () => askEachTime,
    });
    const turnPromise = fixture.session.send('Go', []);
    const { id } = await waitForPendingApproval(fixture.pending);
    fixture.pending.answerApproval(id, { answer: 'always' });
    fixture.pending.answerApproval('other', { answer: 'once' });
    fixture.pending.answerQuestion(id, 'yes');
    expect(fixture.pending.items).toHaveLength(1);
    fixture.pending.answerApproval(id, { answer: 'deny', reason: '' });
    fixture.pending.answerApproval(id, { answer: 'once' });
    await turnPromise;
    expect(fixture.listToolRuns()).toMatchObject([{ status: 'denied' }]);
    // If the user gives no reason, the output contains the reason why the call required approval.
    expect(fixture.listToolMessages(1)[0]).toMatch(
      /^The user denied this call\. It changes a file\. /u,
    );
  });

  test('does not run if the tool was disabled while the call waited', async () => {
    let runCount = 0;
    const writeTool = createTool('write', () => `${(runCount += 1)}`, { kind: 'edit' });
    const fixture = createAgentFixture({
      tools: [writeTool],
      answers: [[createCallEvent('write')], [createTextDelta('ok')]],
      getPermission: () => askEachTime,
    });
    const turnPromise = fixture.session.send('Go', []);
    const { id } = await waitForPendingApproval(fixture.pending);
    fixture.setTools([]);
    fixture.pending.answerApproval(id, { answer: 'once' });
    await turnPromise;
    expect(runCount).toBe(0);
    expect(fixture.listToolRuns()).toMatchObject([{ status: 'failed' }]);
  });

  test.each([
    ['a stricter', 'applyEdits', 'ask', 'denied', 1],
    ['the same', 'applyEdits', 'applyEdits', 'done', 0],
  ] as const)(
    'is checked with %s permission level that the user selects while the tools are listed',
    async (_, levelBefore, levelAfter, status, questionCount) => {
      let runCount = 0;
      let isRunning = false;
      const fixture = createAgentFixture({
        tools: [createTool('write', () => `${(runCount += 1)}`, { kind: 'edit' })],
        answers: [[createCallEvent('write')], [createTextDelta('ok')]],
        getPermission: (_, __, level) => {
          isRunning = true;
          return level === 'ask' ? askEachTime : {};
        },
        onListTools: async () => {
          if (!isRunning) return;
          isRunning = false;
          await fixture.session.setPermissionLevel(levelAfter);
        },
      });
      let approvalCount = 0;
      fixture.pending.onDidChange(() => {
        for (const { id } of fixture.pending.items) {
          approvalCount += 1;
          queueMicrotask(() => fixture.pending.answerApproval(id, { answer: 'deny', reason: '' }));
        }
      });
      await fixture.session.setPermissionLevel(levelBefore);
      await fixture.session.send('Go', []);
      expect(fixture.listToolRuns()).toMatchObject([{ status }]);
      expect(runCount).toBe(status === 'done' ? 1 : 0);
      expect(approvalCount).toBe(questionCount);
    },
  );

  test('shows the parsed arguments in the approval request if the tool has no preview', async () => {
    const argumentsText = '{"path":"README.md","path":"\\u002fetc"}';
    const fixture = createAgentFixture({
      tools: [
        createTool('look', () => '', {
          plan: () =>
            Promise.resolve({
              verb: 'Read',
              target: '/etc',
              resources: [{ type: 'path', path: '/etc', access: 'read' }],
            }),
        }),
      ],
      answers: [[createCallEvent('look', argumentsText)], [createTextDelta('ok')]],
      getPermission: () => askEachTime,
    });
    const turnPromise = fixture.session.send('Go', []);
    const approval = await waitForPendingApproval(fixture.pending);
    expect(approval).toMatchObject({
      preview: { text: '{\n  "path": "/etc"\n}', files: ['/etc'] },
    });
    fixture.pending.answerApproval(approval.id, { answer: 'deny', reason: '' });
    await turnPromise;
  });

  test('is stored as failed if the tool reports a failure, with a run time that excludes the wait for approval', async () => {
    let now = 1_000;
    const fixture = createAgentFixture({
      tools: [
        createTool('run', () => '', {
          run: () => {
            now += 70;
            return Promise.resolve({ output: 'Exit 1', hasFailed: true });
          },
        }),
      ],
      answers: [[createCallEvent('run')], [createTextDelta('ok')]],
      getPermission: () => askEachTime,
      clock: { ...systemClock, now: () => now },
    });
    const turnPromise = fixture.session.send('Go', []);
    const { id } = await waitForPendingApproval(fixture.pending);
    now += 50_000;
    fixture.pending.answerApproval(id, { answer: 'once' });
    await turnPromise;
    expect(fixture.listToolRuns()).toMatchObject([
      { status: 'failed', output: 'Exit 1', durationMs: 70 },
    ]);
  });

  test('is denied without an approval request if the permission rules forbid this call', async () => {
    const fixture = createAgentFixture({
      tools: [createTool('write', () => 'written')],
      answers: [[createCallEvent('write')], [createTextDelta('ok')]],
      getPermission: () => ({ ...askEachTime, decision: 'refuse' }),
    });
    await fixture.session.send('Go', []);
    expect(fixture.listToolRuns()).toMatchObject([
      { status: 'denied', output: 'Not allowed: It changes a file.' },
    ]);
  });

  test('does not run if the user stops the turn while the call waits', async () => {
    const fixture = createAgentFixture({
      tools: [createTool('write', () => 'written'), createTool('next', () => 'next')],
      answers: [[createCallEvent('write', {}, 0), createCallEvent('next', {}, 1)]],
      getPermission: () => askEachTime,
    });
    const turnPromise = fixture.session.send('Go', []);
    await waitForPendingApproval(fixture.pending);
    await fixture.session.stop();
    await turnPromise;
    expect(fixture.pending.items).toEqual([]);
    expect(fixture.listToolRuns()).toMatchObject([{ status: 'not-run' }, { status: 'not-run' }]);
    expect(fixture.requests).toHaveLength(1);
  });

  test('lists the reason that applies only to this call first, because the approval card shows only one reason', async () => {
    const reasons = [
      { code: 'command', text: 'Commands can do whatever you can do.' },
      { code: 'hidden-characters', text: 'It has characters that cannot be seen.' },
    ];
    const fixture = createAgentFixture({
      tools: [createTool('write', () => 'written')],
      answers: [[createCallEvent('write')]],
      getPermission: () => ({ ...askEachTime, reasons }),
    });
    const turnPromise = fixture.session.send('Go', []);
    await waitForPendingApproval(fixture.pending);
    expect(fixture.pending.items).toMatchObject([
      { reasons: [reasons[1]?.text, reasons[0]?.text] },
    ]);
    await fixture.session.stop();
    await turnPromise;
  });

  test('shows only the reasons that the permission rules return, not a reason in the arguments from the model', async () => {
    const reason = 'The user already allowed this.';
    const fixture = createAgentFixture({
      tools: [createTool('write', () => 'written')],
      answers: [[createCallEvent('write', { reason, reasons: [reason], why: reason })]],
      getPermission: () => askEachTime,
    });
    const turnPromise = fixture.session.send('Go', []);
    const approval = await waitForPendingApproval(fixture.pending);
    expect(approval).toMatchObject({ reasons: ['It changes a file.'] });
    await fixture.session.stop();
    await turnPromise;
  });

  test('is stored as not run if the window closes while the call waits', async () => {
    const fixture = createAgentFixture({
      tools: [createTool('write', () => 'written')],
      answers: [[createCallEvent('write')]],
      getPermission: () => askEachTime,
    });
    void fixture.session.send('Go', []);
    await waitForPendingApproval(fixture.pending);
    // Copies the records as they are on disk after the process is killed.
    const records = [...fixture.store.listRecords('c1')];
    const reopenedConversation = await fixture.store.load('c1');
    expect(records.at(-1)).toMatchObject({ type: 'tool-run', run: { status: 'waiting' } });
    const head = reopenedConversation?.head;
    expect(head).toMatchObject({ toolRuns: [{ status: 'not-run', interrupted: true }] });
    await fixture.session.stop();
  });
});

describe('a message of the user during a turn', () => {
  /**
   * Creates an agent fixture with an empty queue of user messages. The fixture's `write` function adds a message to the
   * queue.
   */
  function createInterruptedFixture(
    options: Omit<Parameters<typeof createAgentFixture>[0], 'interruptions'>,
  ) {
    const messages: { text: string; attachments: [] }[] = [];
    const fixture = createAgentFixture({
      ...options,
      interruptions: { hasMessage: () => messages.length > 0, takeMessage: () => messages.shift() },
    });
    const write = (text: string): void => {
      messages.push({ text, attachments: [] });
      fixture.session.interrupt();
    };
    return { ...fixture, write };
  }

  test('is sent to the model after the running call, and the remaining calls do not run', async () => {
    const executedTools: string[] = [];
    const firstTool = createTool(
      'first',
      () => {
        executedTools.push('first');
        fixture.write('Stop editing');
        return 'first is done';
      },
      { kind: 'edit' },
    );
    const secondTool = createTool('second', () => (executedTools.push('second'), ''), {
      kind: 'edit',
    });
    const fixture = createInterruptedFixture({
      tools: [firstTool, secondTool],
      answers: [
        [createCallEvent('first', {}), createCallEvent('second', {}, 1)],
        [createTextDelta('Fine.')],
      ],
    });
    await fixture.session.send('Go', []);
    expect(executedTools).toEqual(['first']);
    expect(fixture.listToolRuns().map(({ status }) => status)).toEqual(['done', 'not-run']);
    expect(fixture.requests[1]?.messages.slice(-3)).toMatchObject([
      { role: 'tool', content: 'first is done' },
      { role: 'tool', content: 'Not run: the user sent the message below first.' },
      { role: 'user', content: 'Stop editing' },
    ]);
    expect(fixture.pending.items).toEqual([]);
  });

  test.each([
    ['an approval', 'approval'],
    ['the answer to a question', 'question'],
    ['a larger budget', 'budget'],
  ] as const)('ends the wait of the turn for %s', async (_, kind) => {
    let editRunCount = 0;
    const editTool = createTool('edit', () => `${(editRunCount += 1)}`, { kind: 'edit' });
    const fixture = createInterruptedFixture({
      tools: [editTool],
      answers: [[createCallEvent('edit', { question: 'Which unit?' })], [createTextDelta('Fine.')]],
      ...(kind === 'budget' ? { limits: { requests: 1 } } : {}),
      getPermission: () => (kind === 'approval' ? { decision: 'ask' } : {}),
    });
    if (kind === 'question') {
      const askTool = createAskUserTool(fixture.pending);
      fixture.setTools([{ ...askTool, name: 'edit' }]);
    }
    const turnPromise = fixture.session.send('Go', []);
    await waitForPendingApproval(fixture.pending);
    fixture.setTools([]);
    fixture.write('Use metres');
    await turnPromise;
    expect(editRunCount).toBe(kind === 'budget' ? 1 : 0);
    expect(fixture.pending.items).toEqual([]);
    const texts = fixture.session.conversation.listPath().map(({ text }) => text);
    expect(texts).toContain('Use metres');
    expect(fixture.listAnswers().at(-1)?.status).toBe('complete');
  });

  test('prevents the approval request if the message arrives before the call is ready for approval', async () => {
    const editTool = createTool('edit', () => 'ran', { kind: 'edit' });
    const fixture = createInterruptedFixture({
      tools: [
        {
          ...editTool,
          plan: (...planParameters) => {
            fixture.write('Wait');
            return editTool.plan(...planParameters);
          },
        },
      ],
      answers: [[createCallEvent('edit', {})], [createTextDelta('Fine.')]],
      getPermission: () => ({ decision: 'ask' }),
    });
    const pendingApprovals: PendingApproval[] = [];
    fixture.pending.onDidChange(() => pendingApprovals.push(...fixture.pending.items));
    await fixture.session.send('Go', []);
    expect(pendingApprovals).toEqual([]);
    expect(fixture.listToolRuns().map(({ status }) => status)).toEqual(['not-run']);
  });
});

describe('stopping a turn or one call', () => {
  test('aborts the running tool, and ends a stopped turn within a second', async () => {
    let isAborted = false;
    const clock = new ManualClock();
    const fixture = createAgentFixture({
      tools: [
        createTool('sleep', (_, { signal }) => {
          signal.addEventListener('abort', () => (isAborted = true));
          return new Promise<string>(() => {});
        }),
      ],
      answers: [[createCallEvent('sleep')]],
      clock,
    });
    const turnPromise = fixture.session.send('Go', []);
    await new Promise<void>((resolve) => {
      fixture.session.onDidChange((event) => {
        if (event.type === 'tool-run' && event.run.status === 'running') resolve();
      });
    });
    const stopPromise = fixture.session.stop();
    await clock.advance(1_000);
    await stopPromise;
    await turnPromise;
    expect(isAborted).toBe(true);
    expect(fixture.listToolRuns()).toMatchObject([{ status: 'cancelled' }]);
    expect(fixture.requests).toHaveLength(1);
  });

  test('stores the running call as canceled, with the output of the tool', async () => {
    const fixture = createAgentFixture({
      tools: [
        createTool('run', (_, { signal }) => {
          return new Promise((resolve) =>
            signal.addEventListener('abort', () => resolve('half of it')),
          );
        }),
      ],
      answers: [[createCallEvent('run')]],
    });
    fixture.session.onDidChange((event) => {
      if (event.type !== 'tool-run' || event.run.status !== 'running') return;
      setImmediate(() => void fixture.session.stop());
    });
    await fixture.session.send('Go', []);
    expect(fixture.listToolRuns()).toMatchObject([{ status: 'cancelled', output: 'half of it' }]);
  });

  test.each(['user', 'window'] as const)(
    'records that the running call and the call after it were stopped by the %s',
    async (source) => {
      const waitForStop = async (_: unknown, { signal }: ToolContext): Promise<string> => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw new ToolError('stopped', 'Stopped.');
      };
      const fixture = createAgentFixture({
        tools: [
          createTool('run', waitForStop, { kind: 'command' }),
          createTool('next', () => 'next'),
        ],
        answers: [[createCallEvent('run', {}, 0), createCallEvent('next', {}, 1)]],
      });
      const whenStarted = new Promise<void>((resolve) => {
        fixture.session.onDidChange((event) => {
          if (event.type === 'tool-run' && event.run.status === 'running') resolve();
        });
      });
      const turnPromise = fixture.session.send('Go', []);
      await whenStarted;
      if (source === 'user') await fixture.session.stop();
      else fixture.session.dispose();
      await turnPromise;
      const isInterrupted = source === 'window' ? true : undefined;
      expect(
        fixture.listToolRuns().map((run) => ({ status: run.status, interrupted: run.interrupted })),
      ).toEqual([
        { status: 'cancelled', interrupted: isInterrupted },
        { status: 'not-run', interrupted: isInterrupted },
      ]);
      expect(fixture.listToolRuns()[0]?.output).toMatch(
        source === 'window' ? /window/u : /the user/u,
      );
      expect((await fixture.store.load('c1'))?.head).toMatchObject({
        toolRuns: fixture.listToolRuns(),
      });
    },
  );

  test('does not end the turn if the user stops a single call', async () => {
    const fixture = createAgentFixture({
      tools: [
        createTool(
          'sleep',
          (_, { signal }) =>
            new Promise<string>((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(new ToolError('stopped', 'Stopped.')));
            }),
        ),
      ],
      answers: [[createCallEvent('sleep')], [createTextDelta('Then not.')]],
    });
    fixture.session.onDidChange((event) => {
      if (event.type === 'tool-run' && event.run.status === 'running')
        fixture.agent.cancelCall(event.answerId, event.run.callId);
    });
    await fixture.session.send('Go', []);
    expect(fixture.listToolRuns()).toMatchObject([{ status: 'cancelled' }]);
    expect(fixture.listAnswers().at(-1)).toMatchObject({ text: 'Then not.' });
  });

  test('lets the user continue the turn later if the turn was waiting for a decision about the budget', async () => {
    const fixture = createAgentFixture({
      tools: [createTool('read', () => 'x')],
      answers: [[createCallEvent('read')], [createTextDelta('Went on.')]],
      limits: { requests: 1 },
    });
    const turnPromise = fixture.session.send('Go', []);
    const { id } = await waitForPendingApproval(fixture.pending);
    fixture.pending.answerQuestion(id, getStopLabel());
    await turnPromise;
    const lastAnswer = fixture.listAnswers().at(-1);
    await fixture.session.continue(lastAnswer?.id ?? '');
    expect(fixture.listAnswers().map(({ text }) => text)).toEqual(['', 'Went on.']);
    expect(fixture.pending.items).toEqual([]);
  });
});

describe('the turn budget', () => {
  test.each<[what: string, limits: object, words: RegExp]>([
    ['all requests are', { requests: 2 }, /2 requests/u],
    ['all tokens are', { tokens: 300 }, /300 tokens/u],
    ['all money is', { cost: 0.5 }, /\$0\.50/u],
  ])(
    'requires confirmation when %s used, and Continue grants the same budget again',
    async (_, limits, textPattern) => {
      const step = [
        createCallEvent('read'),
        {
          type: 'usage',
          usage: { promptTokens: 100, completionTokens: 50, totalTokens: 150 },
          cost: { usd: 0.25 },
        },
      ] as const;
      const fixture = createAgentFixture({
        tools: [createTool('read', () => 'x')],
        answers: [step, step, step, step, step],
        limits,
      });
      const turnPromise = fixture.session.send('Go', []);
      const firstQuestion = await waitForPendingApproval(fixture.pending);
      expect(firstQuestion).toMatchObject({
        kind: 'question',
        callId: null,
        choices: [getContinueLabel(), getStopLabel()],
      });
      expect(firstQuestion.kind === 'question' && firstQuestion.text).toMatch(textPattern);
      expect(fixture.requests).toHaveLength(2);
      fixture.pending.answerQuestion(firstQuestion.id, getContinueLabel());
      const secondQuestion = await waitForPendingApproval(fixture.pending);
      expect(fixture.requests).toHaveLength(4);
      fixture.pending.answerQuestion(secondQuestion.id, getStopLabel());
      await turnPromise;
      expect(fixture.requests).toHaveLength(4);
    },
  );
});

test('the agent requires confirmation before it runs more calls than the turn budget allows', async () => {
  let runCount = 0;
  const readTool = createTool('read', () => `${(runCount += 1)}`);
  const fixture = createAgentFixture({
    tools: [readTool],
    answers: [
      Array.from({ length: 100 }, (_, index) => createCallEvent('read', {}, index)),
      [createTextDelta('ok')],
    ],
    limits: { calls: 10 },
  });
  const turnPromise = fixture.session.send('Go', []);
  const { id } = await waitForPendingApproval(fixture.pending);
  expect(runCount).toBeLessThanOrEqual(10);
  const countBefore = runCount;
  fixture.pending.answerQuestion(id, getStopLabel());
  await turnPromise;
  expect(runCount).toBe(countBefore);
  expect(fixture.requests).toHaveLength(1);
  expect(fixture.listToolRuns()).toHaveLength(100);
  expect(fixture.listToolRuns().at(-1)).toMatchObject({ status: 'not-run' });
});

test('the agent requires confirmation when the cost of calls reaches the turn budget', async () => {
  let callCount = 0;
  const paintTool = createTool('paint', () => '', {
    kind: 'edit',
    run: () => Promise.resolve({ output: `${(callCount += 1)}`, cost: { usd: 0.25 } }),
  });
  const fixture = createAgentFixture({
    tools: [paintTool],
    answers: [
      [0, 1, 2, 3].map((index) => createCallEvent('paint', {}, index)),
      [createTextDelta('ok')],
    ],
    limits: { cost: 0.5 },
  });
  const turnPromise = fixture.session.send('Go', []);
  const approval = await waitForPendingApproval(fixture.pending);
  expect(approval.kind === 'question' && approval.text).toMatch(/\$0\.50/u);
  expect(callCount).toBe(2);
  expect(fixture.usages.at(-1)).toMatchObject({ usd: 0.5 });
  fixture.pending.answerQuestion(approval.id, getStopLabel());
  await turnPromise;
  expect(callCount).toBe(2);
  expect(fixture.listToolRuns().map(({ status }) => status)).toEqual([
    'done',
    'done',
    'not-run',
    'not-run',
  ]);
});

test('the reported usage includes the cost of a summary', async () => {
  const longText = 'word '.repeat(8_000);
  const fixture = createAgentFixture({
    answers: [[createTextDelta(longText)], [createTextDelta(longText)], [createTextDelta('ok')]],
    model: { contextTokens: 24_000 },
    requestCompletion: () =>
      Promise.resolve({
        text: 'A summary.',
        usage: { promptTokens: 900, completionTokens: 100, totalTokens: 1_000 },
        cost: { diem: 0.5 },
      }),
  });
  for (const text of ['First', 'Second', 'Third']) await fixture.session.send(text, []);
  expect(fixture.usages.at(-1)).toMatchObject({ requests: 2, tokens: 1_000, diem: 0.5 });
});

test('the usage that is reported after each answer counts all requests and tool calls of the turn', async () => {
  const fixture = createAgentFixture({
    tools: [createTool('read', () => 'x')],
    answers: [[createCallEvent('read')], [createTextDelta('ok')]],
    limits: { requests: 5 },
  });
  await fixture.session.send('Go', []);
  expect(fixture.usages).toMatchObject([
    { requests: 1, calls: 0, maxRequests: 5 },
    { requests: 2, calls: 1, maxRequests: 5 },
  ]);
});

describe('a turn near the context limit', () => {
  const longText = 'word '.repeat(8_000);
  const rejectionEvent: ChatEvent = {
    type: 'stream-end',
    outcome: { kind: 'failed', failure: { code: 'context-overflow', message: 'too long' } },
  };
  const measureSize = (request: unknown): number => JSON.stringify(request).length;

  test('omits old tool outputs from requests', async () => {
    const fixture = createAgentFixture({
      tools: [createTool('read', ({ n }) => `${JSON.stringify(n)} ${longText}`)],
      answers: [
        ...[1, 2, 3, 4].map((n) => [createCallEvent('read', { n })]),
        [createTextDelta('ok')],
      ],
      model: { contextTokens: 40_000 },
    });
    await fixture.session.send('Go', []);
    const outputs = fixture.listToolMessages(4);
    expect(outputs[0]).toMatch(/left out to save room/u);
    expect(outputs.at(-1)).toMatch(/^4 word/u);
    for (const request of fixture.requests) expect(measureSize(request)).toBeLessThan(170_000);
  });

  test('sends a summary instead of the messages that exceed the limit, but keeps these messages in the conversation', async () => {
    const requestedMessages: unknown[] = [];
    const fixture = createAgentFixture({
      answers: [[createTextDelta(longText)], [createTextDelta(longText)], [createTextDelta('ok')]],
      model: { contextTokens: 24_000 },
      requestCompletion: (request) => {
        requestedMessages.push(request);
        return Promise.resolve({ text: 'They asked for long texts.' });
      },
    });
    for (const text of ['First', 'Second', 'Third']) await fixture.session.send(text, []);
    expect(requestedMessages).toHaveLength(1);
    expect(JSON.stringify(requestedMessages[0])).toContain('First');
    const lastRequestText = JSON.stringify(fixture.requests[2]);
    expect(lastRequestText).toContain('They asked for long texts.');
    expect(lastRequestText).not.toContain('First');
    expect(fixture.session.conversation.listPath()).toHaveLength(6);
    const reopenedConversation = await fixture.store.load('c1');
    const restoredMessage = reopenedConversation?.listPath()[4];
    expect(reopenedConversation?.findSummaryBefore(restoredMessage?.id ?? '')).toBe(
      'They asked for long texts.',
    );
  });

  test('retries a rejected request with less content, and shows no error', async () => {
    const fixture = createAgentFixture({
      answers: [[createTextDelta(longText)], [rejectionEvent], [createTextDelta('Fits.')]],
    });
    await fixture.session.send('First', []);
    await fixture.session.send('Second', []);
    expect(fixture.requests).toHaveLength(3);
    expect(measureSize(fixture.requests[2])).toBeLessThan(measureSize(fixture.requests[1]));
    expect(fixture.listAnswers().at(-1)).toMatchObject({ text: 'Fits.', status: 'complete' });
  });

  test('ends with an error if the service reports in the middle of an answer that the request is too long', async () => {
    const fixture = createAgentFixture({
      answers: [
        [createTextDelta(longText)],
        [createTextDelta('Half of it. '), rejectionEvent],
        [createTextDelta('Whole answer.')],
      ],
    });
    await fixture.session.send('First', []);
    await fixture.session.send('Second', []);
    expect(fixture.requests).toHaveLength(2);
    expect(fixture.listAnswers().at(-1)).toMatchObject({ text: 'Half of it. ', status: 'failed' });
  });

  test.each(['payload-too-large', 'unsupported-media-type', 'invalid-request'] as const)(
    'omits an image that the service rejects with %s, and continues the chat',
    async (code) => {
      const tooLargeRequestEvent: ChatEvent = {
        type: 'stream-end',
        outcome: { kind: 'failed', failure: { code, message: 'no' } },
      };
      const imageAttachment = createTool('look', () => 'An image.', {
        run: () =>
          Promise.resolve({
            output: 'An image.',
            images: [{ mediaType: 'image/png', data: 'x'.repeat(1_000_000) }],
          }),
      });
      const fixture = createAgentFixture({
        tools: [imageAttachment],
        answers: [
          [createCallEvent('look')],
          [tooLargeRequestEvent],
          [createTextDelta('I cannot see it.')],
          [createTextDelta('Hello.')],
        ],
        model: { supportsVision: true },
      });
      await fixture.session.send('Look', []);
      expect(fixture.listAnswers().at(-1)).toMatchObject({ text: 'I cannot see it.' });
      await fixture.session.send('Hello', []);
      expect(measureSize(fixture.requests[1])).toBeGreaterThan(1_000_000);
      expect(measureSize(fixture.requests[2])).toBeLessThan(10_000);
      expect(measureSize(fixture.requests[3])).toBeLessThan(10_000);
    },
  );

  test('shortens instructions and omits tools, so that the messages fit', async () => {
    const tools = Array.from({ length: 40 }, (_, index) =>
      createTool(`theirs${index}`, () => '', {
        kind: 'external',
        description: 'word '.repeat(400),
      }),
    );
    const additionalTool = createTool('read', () => '');
    const fixture = createAgentFixture({
      tools: [additionalTool, ...tools],
      answers: [[createTextDelta('ok')]],
      instructions: [`Begin. ${'rule '.repeat(20_000)}`],
      model: { contextTokens: 8_000 },
    });
    await fixture.session.send('Hello', []);
    expect(measureSize(fixture.requests[0])).toBeLessThan(24_000);
    const names = fixture.requests[0]?.tools?.map((tool) => tool.function.name);
    expect(names).toContain('read');
    expect(names).not.toContain('theirs0');
    expect(JSON.stringify(fixture.requests[0])).toContain('Begin.');
  });

  test('reports only the token count of the last request if the user continues an incomplete answer', async () => {
    const createUsageEvent = (promptTokens: number): ChatEvent => ({
      type: 'usage',
      usage: { promptTokens, completionTokens: 10, totalTokens: promptTokens + 10 },
    });
    const interruption: ChatEvent = {
      type: 'stream-end',
      outcome: { kind: 'failed', failure: { code: 'interrupted', message: 'cut' } },
    };
    const fixture = createAgentFixture({
      answers: [
        [createTextDelta('Half'), createUsageEvent(5_000), interruption],
        [createTextDelta(' whole'), createUsageEvent(5_010)],
      ],
    });
    await fixture.session.send('Go', []);
    await fixture.session.continue(fixture.listAnswers()[0]?.id ?? '');
    expect(countContextTokens(fixture.session.conversation)).toBe(5_020);
    expect(fixture.usages.map(({ tokens }) => tokens)).toEqual([5_010, 5_020]);
  });

  test('ends with an error if the service rejects the shortened request', async () => {
    const fixture = createAgentFixture({
      answers: [[createTextDelta(longText)], [rejectionEvent], [rejectionEvent]],
    });
    await fixture.session.send('First', []);
    await fixture.session.send('Second', []);
    expect(fixture.requests).toHaveLength(3);
    expect(fixture.listAnswers().at(-1)).toMatchObject({
      status: 'failed',
      result: { failure: { code: 'context-overflow' } },
    });
  });

  test('omits the middle of a message that is too long for the context', async () => {
    const fixture = createAgentFixture({
      answers: [[createTextDelta('ok')]],
      model: { contextTokens: 8_000 },
    });
    await fixture.session.send(`Begin ${longText.repeat(10)} end`, []);
    const text = JSON.stringify(fixture.requests[0]);
    expect(text.length).toBeLessThan(32_000);
    expect(text).toContain('Begin');
    expect(text).toContain('left out to save room');
  });

  test("replaces older messages with quotes of the user's messages if the summary request fails", async () => {
    const { ServiceError } = await import('../service/http/failure.ts');
    const fixture = createAgentFixture({
      answers: [[createTextDelta(longText)], [createTextDelta(longText)], [createTextDelta('ok')]],
      model: { contextTokens: 24_000 },
      requestCompletion: () =>
        Promise.reject(new ServiceError({ code: 'overloaded', message: 'busy' })),
    });
    for (const text of ['First', 'Second', 'Third']) await fixture.session.send(text, []);
    expect(JSON.stringify(fixture.requests[2])).toContain('- First');
    expect(fixture.listAnswers().at(-1)).toMatchObject({ text: 'ok' });
  });
});
