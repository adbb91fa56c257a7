import { describe, expect, test } from 'vitest';
import { agentWorld, call, end, say, tool } from '../../test/support/agent-world.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { systemClock } from '../base/clock.ts';
import type { ChatEvent } from '../service/chat/chat-types.ts';
import { continueChoice, stopChoice } from './agent.ts';
import { countContextTokens } from '../conversation/summary.ts';
import type { Pending, PendingRequests } from './permissions/approval.ts';
import type { ToolContext } from './tool.ts';
import { ToolError } from '../workspace/tool-error.ts';

/** Resolves with the first request that waits for the user. */
function nextPending(pending: PendingRequests): Promise<Pending> {
  return new Promise((resolve) => {
    const look = (): void => {
      const [first] = pending.requests;
      if (first === undefined) return;
      subscription.dispose();
      resolve(first);
    };
    const subscription = pending.onDidChange(look);
    look();
  });
}

describe('a turn', () => {
  test('continues with tool results until the model stops', async () => {
    const seen: unknown[] = [];
    const read = tool('read', ({ path }) => {
      seen.push(path);
      return `text of ${JSON.stringify(path)}`;
    });
    const world = agentWorld({
      tools: [read],
      answers: [[say('Let me look.'), call('read', { path: 'a.ts' })], [say('Done.')]],
    });
    await world.session.send('What is in a.ts?', []);
    expect(seen).toEqual(['a.ts']);
    expect(world.requests).toHaveLength(2);
    expect(world.requests[0]?.tools).toEqual([
      {
        type: 'function',
        function: { name: 'read', description: 'read', parameters: read.parameters },
      },
    ]);
    expect(world.requests[1]?.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          { id: 't0', type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 't0', content: 'text of "a.ts"' },
    ]);
    expect(world.answers().map(({ text }) => text)).toEqual(['Let me look.', 'Done.']);
    expect(world.session.streaming).toBeUndefined();
  });

  test.each(['send', 'edit', 'retry'] as const)(
    'sends no image to a model without vision: %s',
    async (how) => {
      const seen = { maxImages: 1 };
      const world = agentWorld({ answers: [[say('Red.')]], model: seen });
      const { session } = world;
      const picture = { id: 'p1', kind: 'image', label: 'a.png', language: '', text: '' } as const;
      if (how === 'send') seen.maxImages = 0;
      await session.send('', [picture]);
      seen.maxImages = 0;
      const [first] = world.answers();
      if (how === 'edit') await session.edit(first?.parentId ?? '', 'What is this?');
      if (how === 'retry') await session.retry(first?.id ?? '');
      expect(world.requests).toHaveLength(how === 'send' ? 0 : 1);
      const [last] = world.answers();
      expect(last?.result.failure).toMatchObject({
        code: 'unsupported-feature',
        message: expect.stringContaining('cannot see pictures'),
      });
      const asked = session.conversation.find(last?.parentId ?? '');
      expect(asked).toMatchObject({ attachments: [picture] });
      expect(session.conversation.title).toBe('a.png');
    },
  );

  test('runs read-only calls concurrently and others one by one', async () => {
    const log: string[] = [];
    let together = 0;
    let most = 0;
    const slow = (name: string) => async (): Promise<string> => {
      log.push(`${name} begins`);
      most = Math.max(most, ++together);
      await new Promise((resolve) => setImmediate(resolve));
      together -= 1;
      log.push(`${name} ends`);
      return name;
    };
    const world = agentWorld({
      tools: [
        tool('r1', slow('r1')),
        tool('r2', slow('r2')),
        tool('w1', slow('w1'), { kind: 'edit' }),
        tool('w2', slow('w2'), { kind: 'command' }),
        tool('r3', slow('r3')),
      ],
      answers: [
        ['r1', 'r2', 'w1', 'w2', 'r3'].map((name, index) => call(name, {}, index)),
        [say('ok')],
      ],
    });
    await world.session.send('Go', []);
    expect(most).toBe(2);
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
    expect(world.toolMessages(1)).toEqual(['r1', 'r2', 'w1', 'w2', 'r3']);
  });

  test('has an answer in progress until the turn ends', async () => {
    const world = agentWorld({
      tools: [tool('read', () => 'x')],
      answers: [[call('read')], [say('Done.')]],
    });
    const seen: number[] = [];
    world.session.onDidChange((event) => {
      if (event.type !== 'work-end') return;
      // Observes the state that a view would render in the next task.
      setImmediate(() => seen.push(world.answers().length));
    });
    // Simulates a slow disk.
    const append = world.store.append.bind(world.store);
    world.store.append = async (...args) => {
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      return append(...args);
    };
    await world.session.send('Go', []);
    expect(seen).toEqual([2]);
  });

  test('starts a new turn for a message sent at the end of a turn', async () => {
    const world = agentWorld({ answers: [[say('One.')], [say('Two.')], [say('Unasked.')]] });
    const listening = world.session.onDidChange((event) => {
      if (event.type !== 'turn-event' || event.event.type !== 'turn-end') return;
      listening.dispose();
      void world.session.send('Second', []);
    });
    await world.session.send('First', []);
    await world.session.settled();
    expect(world.session.conversation.path().map(({ text }) => text)).toEqual([
      'First',
      'One.',
      'Second',
      'Two.',
    ]);
    expect(world.requests).toHaveLength(2);
    expect(world.uses).toMatchObject([{ requests: 1 }, { requests: 1 }]);
  });

  test('sends no tools when the user selected a persona', async () => {
    const world = agentWorld({ tools: [tool('read', () => '')], answers: [[say('Hello.')]] });
    await world.session.setOptions({ character: { slug: 'alan-watts', name: 'Alan Watts' } });
    await world.session.send('Read a.ts', []);
    expect(world.requests[0]?.tools).toBeUndefined();
  });

  test('sends no tools to a model without tool support', async () => {
    const world = agentWorld({
      tools: [tool('read', () => '')],
      answers: [[say('Hi')]],
      model: { tools: false },
    });
    await world.session.send('Hello', []);
    expect(world.requests[0]).not.toHaveProperty('tools');
  });
});

describe('rejected calls', () => {
  const cut: ChatEvent = {
    type: 'stream-end',
    outcome: { kind: 'failed', failure: { code: 'interrupted', message: 'cut' } },
  };

  test.each<[why: string, events: readonly ChatEvent[], output: RegExp]>([
    ['an unknown tool', [call('wallet_sign', {})], /no tool called wallet_sign/u],
    ['a tool named __proto__', [call('__proto__', {})], /no tool called __proto__/u],
    [
      'a tool named like an inherited property',
      [call('constructor', {})],
      /no tool called constructor/u,
    ],
    ['truncated arguments', [call('write', '{"path": "a')], /not a JSON object/u],
    ['an array as arguments', [call('write', '[1]')], /not a JSON object/u],
    ['null as arguments', [call('write', 'null')], /not a JSON object/u],
    ['arguments of the wrong type', [call('write', { path: 7 })], /path: .*string/u],
    ['missing arguments', [call('strict', {})], /path/u],
    [
      'a call without a tool name',
      [{ type: 'tool-call-delta', index: 0, id: 'a', arguments: '{}' }],
      /no name/u,
    ],
    ['an invalid index', [{ type: 'tool-call-invalid' }], /is invalid/u],
    ['an answer truncated at the length limit', [call('write', {}), end('length')], /cut off/u],
    [
      'an answer truncated by a content filter',
      [call('write', {}), end('content_filter')],
      /cut off/u,
    ],
  ])('returns an error for %s', async (_, events, output) => {
    let ran = 0;
    const run = (): string => `${(ran += 1)}`;
    const schema = { type: 'object', properties: { path: { type: 'string' } } };
    const world = agentWorld({
      tools: [
        tool('write', run, { parameters: schema }),
        tool('strict', run, { parameters: { ...schema, required: ['path'] } }),
      ],
      answers: [events, [say('I see.')]],
    });
    await world.session.send('Go', []);
    expect(ran).toBe(0);
    expect(world.runs()).toMatchObject([{ status: 'failed' }]);
    expect(world.toolMessages(1)[0]).toMatch(output);
  });

  test('does not run calls of a truncated answer', async () => {
    let ran = 0;
    const world = agentWorld({
      tools: [tool('write', () => `${ran++}`)],
      answers: [[call('write', {}), cut]],
    });
    await world.session.send('Go', []);
    expect(ran).toBe(0);
    expect(world.requests).toHaveLength(1);
    expect(world.answers()[0]).toMatchObject({ status: 'interrupted', toolRuns: [] });
  });

  test('ignores a field named __proto__', async () => {
    let seen: object | undefined;
    const world = agentWorld({
      tools: [
        tool('write', (args) => {
          seen = args;
          return '';
        }),
      ],
      answers: [[call('write', '{"__proto__":{"admin":true},"a":1}')], [say('ok')]],
    });
    await world.session.send('Go', []);
    expect(Object.getPrototypeOf(seen)).toBeNull();
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test('stores a result for each of 200 calls in one answer', async () => {
    let ran = 0;
    const world = agentWorld({
      tools: [tool('read', () => `${(ran += 1)}`)],
      answers: [Array.from({ length: 200 }, (_, index) => call('read', {}, index)), [say('ok')]],
    });
    await world.session.send('Go', []);
    expect(ran).toBe(200);
    expect(world.toolMessages(1)).toHaveLength(200);
    expect(new Set(world.runs().map(({ callId }) => callId)).size).toBe(200);
  });

  test('asks the model to change a repeatedly failing call', async () => {
    const failing = tool('read', () => {
      throw new ToolError('not-found', 'No such file.');
    });
    const world = agentWorld({
      tools: [failing],
      answers: [[call('read')], [call('read')], [say('I give up.')]],
    });
    await world.session.send('Go', []);
    expect(world.toolMessages(2)).toEqual([
      'No such file.',
      'No such file.\nThis very call has failed 2 times: do something else.',
    ]);
  });

  test('logs no call arguments', async () => {
    const world = agentWorld({
      tools: [
        tool('run', () => {
          throw new Error('broken');
        }),
      ],
      answers: [[call('run', { command: 'PGPASSWORD=s3cret psql' })], [say('ok')]],
    });
    await world.session.send('Go', []);
    expect(world.logged).toHaveLength(1);
    expect(JSON.stringify(world.logged.map(String))).not.toContain('s3cret');
  });

  test('logs an internal tool error and hides its message from the model', async () => {
    const world = agentWorld({
      tools: [
        tool('read', () => {
          throw new Error('/home/someone/secret');
        }),
      ],
      answers: [[call('read')], [say('ok')]],
    });
    await world.session.send('Go', []);
    expect(world.logged).toHaveLength(1);
    expect(world.toolMessages(1)[0]).not.toContain('secret');
  });
});

describe('the permission check', () => {
  const ask = {
    decision: 'ask',
    reasons: [{ code: 'write', text: 'It changes a file.' }],
  } as const;

  test.each<[answer: 'once' | 'conversation' | 'deny', ran: number, output: RegExp]>([
    ['once', 1, /^written$/u],
    ['conversation', 1, /^written$/u],
    ['deny', 0, /denied this call with this reason: use b\.ts/u],
  ])('applies the answer "%s" of the user', async (answer, times, output) => {
    let ran = 0;
    const world = agentWorld({
      tools: [
        tool('write', () => {
          ran += 1;
          return 'written';
        }),
      ],
      answers: [[call('write', { requires_approval: false, safe: true })], [say('ok')]],
      permission: () => ask,
    });
    const turn = world.session.send('Go', []);
    const waiting = await nextPending(world.pending);
    expect(waiting).toMatchObject({ kind: 'approval', reasons: ['It changes a file.'] });
    expect(ran).toBe(0);
    world.pending.answerApproval(
      waiting.id,
      answer === 'deny' ? { answer, reason: 'use b.ts' } : { answer },
    );
    await turn;
    expect(ran).toBe(times);
    expect(world.toolMessages(1)[0]).toMatch(output);
    expect(world.pending.requests).toEqual([]);
  });

  test('ignores answers that were not offered or belong to another request', async () => {
    const world = agentWorld({
      tools: [tool('write', () => 'written')],
      answers: [[call('write')], [say('ok')]],
      permission: () => ask,
    });
    const turn = world.session.send('Go', []);
    const { id } = await nextPending(world.pending);
    world.pending.answerApproval(id, { answer: 'always' });
    world.pending.answerApproval('other', { answer: 'once' });
    world.pending.answerQuestion(id, 'yes');
    expect(world.pending.requests).toHaveLength(1);
    world.pending.answerApproval(id, { answer: 'deny', reason: '' });
    world.pending.answerApproval(id, { answer: 'once' });
    await turn;
    expect(world.runs()).toMatchObject([{ status: 'denied' }]);
  });

  test('does not run a tool that was disabled during the wait', async () => {
    let ran = 0;
    const write = tool('write', () => `${(ran += 1)}`, { kind: 'edit' });
    const world = agentWorld({
      tools: [write],
      answers: [[call('write')], [say('ok')]],
      permission: () => ask,
    });
    const turn = world.session.send('Go', []);
    const { id } = await nextPending(world.pending);
    world.offer([]);
    world.pending.answerApproval(id, { answer: 'once' });
    await turn;
    expect(ran).toBe(0);
    expect(world.runs()).toMatchObject([{ status: 'failed' }]);
  });

  test('shows parsed arguments when a tool has no preview', async () => {
    const twice = '{"path":"README.md","path":"\\u002fetc"}';
    const world = agentWorld({
      tools: [
        tool('look', () => '', {
          plan: () =>
            Promise.resolve({
              verb: 'Read',
              pastVerb: 'Read',
              target: '/etc',
              resources: [{ type: 'path', path: '/etc', access: 'read' }],
            }),
        }),
      ],
      answers: [[call('look', twice)], [say('ok')]],
      permission: () => ask,
    });
    const turn = world.session.send('Go', []);
    const waiting = await nextPending(world.pending);
    expect(waiting).toMatchObject({
      preview: { text: '{\n  "path": "/etc"\n}', files: ['/etc'] },
    });
    world.pending.answerApproval(waiting.id, { answer: 'deny', reason: '' });
    await turn;
  });

  test('excludes waiting from the duration and stores a reported failure', async () => {
    let now = 1_000;
    const world = agentWorld({
      tools: [
        tool('run', () => '', {
          run: () => {
            now += 70;
            return Promise.resolve({ output: 'Exit 1', failed: true });
          },
        }),
      ],
      answers: [[call('run')], [say('ok')]],
      permission: () => ask,
      clock: { ...systemClock, now: () => now },
    });
    const turn = world.session.send('Go', []);
    const { id } = await nextPending(world.pending);
    now += 50_000;
    world.pending.answerApproval(id, { answer: 'once' });
    await turn;
    expect(world.runs()).toMatchObject([{ status: 'failed', output: 'Exit 1', durationMs: 70 }]);
  });

  test('rejects forbidden calls without asking', async () => {
    const world = agentWorld({
      tools: [tool('write', () => 'written')],
      answers: [[call('write')], [say('ok')]],
      permission: () => ({ ...ask, decision: 'refuse' }),
    });
    await world.session.send('Go', []);
    expect(world.runs()).toMatchObject([
      { status: 'denied', output: 'Not allowed: It changes a file.' },
    ]);
  });

  test('runs nothing when the user stops the turn during the wait', async () => {
    const world = agentWorld({
      tools: [tool('write', () => 'written'), tool('next', () => 'next')],
      answers: [[call('write', {}, 0), call('next', {}, 1)]],
      permission: () => ask,
    });
    const turn = world.session.send('Go', []);
    await nextPending(world.pending);
    await world.session.stop();
    await turn;
    expect(world.pending.requests).toEqual([]);
    expect(world.runs()).toMatchObject([{ status: 'not-run' }, { status: 'not-run' }]);
    expect(world.requests).toHaveLength(1);
  });

  test('marks a waiting call as not run when the window closes', async () => {
    const world = agentWorld({
      tools: [tool('write', () => 'written')],
      answers: [[call('write')]],
      permission: () => ask,
    });
    void world.session.send('Go', []);
    await nextPending(world.pending);
    // Copies the records, like a killed window that writes nothing more.
    const records = [...world.store.records('c1')];
    const reopened = await world.store.load('c1');
    expect(records.at(-1)).toMatchObject({ type: 'tool-run', run: { status: 'waiting' } });
    const head = reopened?.head;
    expect(head).toMatchObject({ toolRuns: [{ status: 'not-run', interrupted: true }] });
    await world.session.stop();
  });
});

describe('a stop', () => {
  test('reaches the running tool and ends the turn within a second', async () => {
    let aborted = false;
    const clock = new ManualClock();
    const world = agentWorld({
      tools: [
        tool('sleep', (_, { signal }) => {
          signal.addEventListener('abort', () => (aborted = true));
          return new Promise<string>(() => {});
        }),
      ],
      answers: [[call('sleep')]],
      clock,
    });
    const turn = world.session.send('Go', []);
    await new Promise<void>((resolve) => {
      world.session.onDidChange((event) => {
        if (event.type === 'tool-run' && event.run.status === 'running') resolve();
      });
    });
    const stop = world.session.stop();
    await clock.advance(1_000);
    await stop;
    await turn;
    expect(aborted).toBe(true);
    expect(world.runs()).toMatchObject([{ status: 'cancelled' }]);
    expect(world.requests).toHaveLength(1);
  });

  test('marks the running call as cancelled and stores its output', async () => {
    const world = agentWorld({
      tools: [
        tool('run', (_, { signal }) => {
          return new Promise((resolve) =>
            signal.addEventListener('abort', () => resolve('half of it')),
          );
        }),
      ],
      answers: [[call('run')]],
    });
    world.session.onDidChange((event) => {
      if (event.type !== 'tool-run' || event.run.status !== 'running') return;
      setImmediate(() => void world.session.stop());
    });
    await world.session.send('Go', []);
    expect(world.runs()).toMatchObject([{ status: 'cancelled', output: 'half of it' }]);
  });

  test.each(['user', 'window'] as const)('is attributed to the %s', async (source) => {
    const waits = async (_: unknown, { signal }: ToolContext): Promise<string> => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new ToolError('stopped', 'Stopped.');
    };
    const world = agentWorld({
      tools: [tool('run', waits, { kind: 'command' }), tool('next', () => 'next')],
      answers: [[call('run', {}, 0), call('next', {}, 1)]],
    });
    const began = new Promise<void>((resolve) => {
      world.session.onDidChange((event) => {
        if (event.type === 'tool-run' && event.run.status === 'running') resolve();
      });
    });
    const turn = world.session.send('Go', []);
    await began;
    if (source === 'user') await world.session.stop();
    else world.session.dispose();
    await turn;
    const interrupted = source === 'window' ? true : undefined;
    expect(
      world.runs().map((run) => ({ status: run.status, interrupted: run.interrupted })),
    ).toEqual([
      { status: 'cancelled', interrupted },
      { status: 'not-run', interrupted },
    ]);
    expect(world.runs()[0]?.output).toMatch(source === 'window' ? /window/u : /the user/u);
    expect((await world.store.load('c1'))?.head).toMatchObject({ toolRuns: world.runs() });
  });

  test('of a single call does not end the turn', async () => {
    const world = agentWorld({
      tools: [
        tool(
          'sleep',
          (_, { signal }) =>
            new Promise<string>((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(new ToolError('stopped', 'Stopped.')));
            }),
        ),
      ],
      answers: [[call('sleep')], [say('Then not.')]],
    });
    world.session.onDidChange((event) => {
      if (event.type === 'tool-run' && event.run.status === 'running')
        world.agent.cancelCall(event.answerId, event.run.callId);
    });
    await world.session.send('Go', []);
    expect(world.runs()).toMatchObject([{ status: 'cancelled' }]);
    expect(world.answers().at(-1)).toMatchObject({ text: 'Then not.' });
  });

  test('allows the user to continue the turn later', async () => {
    const world = agentWorld({
      tools: [tool('read', () => 'x')],
      answers: [[call('read')], [say('Went on.')]],
      limits: { requests: 1 },
    });
    const turn = world.session.send('Go', []);
    const { id } = await nextPending(world.pending);
    world.pending.answerQuestion(id, stopChoice());
    await turn;
    const last = world.answers().at(-1);
    await world.session.continue(last?.id ?? '');
    expect(world.answers().map(({ text }) => text)).toEqual(['', 'Went on.']);
    expect(world.pending.requests).toEqual([]);
  });
});

describe('the budget', () => {
  test.each<[what: string, limits: object, words: RegExp]>([
    ['requests', { requests: 2 }, /2 requests/u],
    ['tokens', { tokens: 300 }, /300 tokens/u],
    ['money', { cost: 0.5 }, /\$0\.50/u],
  ])(
    'of %s requires confirmation when used up, and Continue grants the same budget again',
    async (_, limits, words) => {
      const step = [
        call('read'),
        {
          type: 'usage',
          usage: { promptTokens: 100, completionTokens: 50, totalTokens: 150 },
          cost: { usd: 0.25 },
        },
      ] as const;
      const world = agentWorld({
        tools: [tool('read', () => 'x')],
        answers: [step, step, step, step, step],
        limits,
      });
      const turn = world.session.send('Go', []);
      const first = await nextPending(world.pending);
      expect(first).toMatchObject({
        kind: 'question',
        callId: null,
        choices: [continueChoice(), stopChoice()],
      });
      expect(first.kind === 'question' && first.text).toMatch(words);
      expect(world.requests).toHaveLength(2);
      world.pending.answerQuestion(first.id, continueChoice());
      const second = await nextPending(world.pending);
      expect(world.requests).toHaveLength(4);
      world.pending.answerQuestion(second.id, stopChoice());
      await turn;
      expect(world.requests).toHaveLength(4);
    },
  );
});

test('asks before running more calls than the budget allows', async () => {
  let ran = 0;
  const read = tool('read', () => `${(ran += 1)}`);
  const world = agentWorld({
    tools: [read],
    answers: [Array.from({ length: 100 }, (_, index) => call('read', {}, index)), [say('ok')]],
    limits: { calls: 10 },
  });
  const turn = world.session.send('Go', []);
  const { id } = await nextPending(world.pending);
  expect(ran).toBeLessThanOrEqual(10);
  const before = ran;
  world.pending.answerQuestion(id, stopChoice());
  await turn;
  expect(ran).toBe(before);
  expect(world.requests).toHaveLength(1);
  expect(world.runs()).toHaveLength(100);
  expect(world.runs().at(-1)).toMatchObject({ status: 'not-run' });
});

test('counts the cost of calls and asks when the budget is used up', async () => {
  let made = 0;
  const paint = tool('paint', () => '', {
    kind: 'edit',
    run: () => Promise.resolve({ output: `${(made += 1)}`, cost: { usd: 0.25 } }),
  });
  const world = agentWorld({
    tools: [paint],
    answers: [[0, 1, 2, 3].map((index) => call('paint', {}, index)), [say('ok')]],
    limits: { cost: 0.5 },
  });
  const turn = world.session.send('Go', []);
  const waiting = await nextPending(world.pending);
  expect(waiting.kind === 'question' && waiting.text).toMatch(/\$0\.50/u);
  expect(made).toBe(2);
  expect(world.uses.at(-1)).toMatchObject({ usd: 0.5 });
  world.pending.answerQuestion(waiting.id, stopChoice());
  await turn;
  expect(made).toBe(2);
  expect(world.runs().map(({ status }) => status)).toEqual(['done', 'done', 'not-run', 'not-run']);
});

test('counts the cost of a summary', async () => {
  const long = 'word '.repeat(8_000);
  const world = agentWorld({
    answers: [[say(long)], [say(long)], [say('ok')]],
    model: { contextTokens: 24_000 },
    complete: () =>
      Promise.resolve({
        text: 'A summary.',
        usage: { promptTokens: 900, completionTokens: 100, totalTokens: 1_000 },
        cost: { diem: 0.5 },
      }),
  });
  for (const text of ['First', 'Second', 'Third']) await world.session.send(text, []);
  expect(world.uses.at(-1)).toMatchObject({ requests: 2, tokens: 1_000, diem: 0.5 });
});

test("reports the turn's usage after each answer", async () => {
  const world = agentWorld({
    tools: [tool('read', () => 'x')],
    answers: [[call('read')], [say('ok')]],
    limits: { requests: 5 },
  });
  await world.session.send('Go', []);
  expect(world.uses).toMatchObject([
    { requests: 1, calls: 0, maxRequests: 5 },
    { requests: 2, calls: 1, maxRequests: 5 },
  ]);
});

describe('a turn near the context limit', () => {
  const long = 'word '.repeat(8_000);
  const refused: ChatEvent = {
    type: 'stream-end',
    outcome: { kind: 'failed', failure: { code: 'context-overflow', message: 'too long' } },
  };
  const sizeOf = (request: unknown): number => JSON.stringify(request).length;

  test('omits old tool outputs first', async () => {
    const world = agentWorld({
      tools: [tool('read', ({ n }) => `${JSON.stringify(n)} ${long}`)],
      answers: [...[1, 2, 3, 4].map((n) => [call('read', { n })]), [say('ok')]],
      model: { contextTokens: 40_000 },
    });
    await world.session.send('Go', []);
    const outputs = world.toolMessages(4);
    expect(outputs[0]).toMatch(/left out to save room/u);
    expect(outputs.at(-1)).toMatch(/^4 word/u);
    for (const request of world.requests) expect(sizeOf(request)).toBeLessThan(170_000);
  });

  test('summarizes messages that do not fit and keeps the originals', async () => {
    const asked: unknown[] = [];
    const world = agentWorld({
      answers: [[say(long)], [say(long)], [say('ok')]],
      model: { contextTokens: 24_000 },
      complete: (request) => {
        asked.push(request);
        return Promise.resolve({ text: 'They asked for long texts.' });
      },
    });
    for (const text of ['First', 'Second', 'Third']) await world.session.send(text, []);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked[0])).toContain('First');
    const last = JSON.stringify(world.requests[2]);
    expect(last).toContain('They asked for long texts.');
    expect(last).not.toContain('First');
    expect(world.session.conversation.path()).toHaveLength(6);
    const reopened = await world.store.load('c1');
    const third = reopened?.path()[4];
    expect(reopened?.summaryBefore(third?.id ?? '')).toBe('They asked for long texts.');
  });

  test('retries a rejected request with less content and reports no error', async () => {
    const world = agentWorld({
      answers: [[say(long)], [refused], [say('Fits.')]],
    });
    await world.session.send('First', []);
    await world.session.send('Second', []);
    expect(world.requests).toHaveLength(3);
    expect(sizeOf(world.requests[2])).toBeLessThan(sizeOf(world.requests[1]));
    expect(world.answers().at(-1)).toMatchObject({ text: 'Fits.', status: 'complete' });
  });

  test('reports a rejection in the middle of an answer without repeating text', async () => {
    const world = agentWorld({
      answers: [[say(long)], [say('Half of it. '), refused], [say('Whole answer.')]],
    });
    await world.session.send('First', []);
    await world.session.send('Second', []);
    expect(world.requests).toHaveLength(2);
    expect(world.answers().at(-1)).toMatchObject({ text: 'Half of it. ', status: 'failed' });
  });

  test.each(['payload-too-large', 'unsupported-media-type', 'invalid-request'] as const)(
    'leaves out an image rejected as %s and continues the chat',
    async (code) => {
      const tooLarge: ChatEvent = {
        type: 'stream-end',
        outcome: { kind: 'failed', failure: { code, message: 'no' } },
      };
      const picture = tool('look', () => 'A picture.', {
        run: () =>
          Promise.resolve({
            output: 'A picture.',
            images: [{ mediaType: 'image/png', data: 'x'.repeat(1_000_000) }],
          }),
      });
      const world = agentWorld({
        tools: [picture],
        answers: [[call('look')], [tooLarge], [say('I cannot see it.')], [say('Hello.')]],
        model: { vision: true },
      });
      await world.session.send('Look', []);
      expect(world.answers().at(-1)).toMatchObject({ text: 'I cannot see it.' });
      await world.session.send('Hello', []);
      expect(sizeOf(world.requests[1])).toBeGreaterThan(1_000_000);
      expect(sizeOf(world.requests[2])).toBeLessThan(10_000);
      expect(sizeOf(world.requests[3])).toBeLessThan(10_000);
    },
  );

  test('leaves room for the conversation despite long instructions and many tools', async () => {
    const tools = Array.from({ length: 40 }, (_, index) =>
      tool(`theirs${index}`, () => '', { kind: 'external', description: 'word '.repeat(400) }),
    );
    const own = tool('read', () => '');
    const world = agentWorld({
      tools: [own, ...tools],
      answers: [[say('ok')]],
      instructions: [`Begin. ${'rule '.repeat(20_000)}`],
      model: { contextTokens: 8_000 },
    });
    await world.session.send('Hello', []);
    expect(sizeOf(world.requests[0])).toBeLessThan(24_000);
    const names = world.requests[0]?.tools?.map((each) => each.function.name);
    expect(names).toContain('read');
    expect(names).not.toContain('theirs0');
    expect(JSON.stringify(world.requests[0])).toContain('Begin.');
  });

  test('counts only the last request of a continued answer', async () => {
    const usage = (promptTokens: number): ChatEvent => ({
      type: 'usage',
      usage: { promptTokens, completionTokens: 10, totalTokens: promptTokens + 10 },
    });
    const cut: ChatEvent = {
      type: 'stream-end',
      outcome: { kind: 'failed', failure: { code: 'interrupted', message: 'cut' } },
    };
    const world = agentWorld({
      answers: [
        [say('Half'), usage(5_000), cut],
        [say(' whole'), usage(5_010)],
      ],
    });
    await world.session.send('Go', []);
    await world.session.continue(world.answers()[0]?.id ?? '');
    expect(countContextTokens(world.session.conversation)).toBe(5_020);
    expect(world.uses.map(({ tokens }) => tokens)).toEqual([5_010, 5_020]);
  });

  test('reports the rejection of a shortened request', async () => {
    const world = agentWorld({ answers: [[say(long)], [refused], [refused]] });
    await world.session.send('First', []);
    await world.session.send('Second', []);
    expect(world.requests).toHaveLength(3);
    expect(world.answers().at(-1)).toMatchObject({
      status: 'failed',
      result: { failure: { code: 'context-overflow' } },
    });
  });

  test('cuts the middle of a message that is too long', async () => {
    const world = agentWorld({ answers: [[say('ok')]], model: { contextTokens: 8_000 } });
    await world.session.send(`Begin ${long.repeat(10)} end`, []);
    const text = JSON.stringify(world.requests[0]);
    expect(text.length).toBeLessThan(32_000);
    expect(text).toContain('Begin');
    expect(text).toContain('left out to save room');
  });

  test('continues the chat when a summary fails', async () => {
    const { ServiceError } = await import('../service/http/failure.ts');
    const world = agentWorld({
      answers: [[say(long)], [say(long)], [say('ok')]],
      model: { contextTokens: 24_000 },
      complete: () => Promise.reject(new ServiceError({ code: 'overloaded', message: 'busy' })),
    });
    for (const text of ['First', 'Second', 'Third']) await world.session.send(text, []);
    expect(JSON.stringify(world.requests[2])).toContain('- First');
    expect(world.answers().at(-1)).toMatchObject({ text: 'ok' });
  });
});
