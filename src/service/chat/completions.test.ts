import { describe, expect, test } from 'vitest';
import {
  type ScriptedAnswer,
  scriptedKey,
  createScriptedService,
} from '../../../test/support/scripted-transport.ts';
import type { ChatEvent, StreamOutcome } from './chat-types.ts';
import { streamChat } from './stream-chat.ts';
import type { ServiceContext } from '../http/client.ts';
import { type CompletionRequest, streamCompletionBatches } from './completions.ts';
import { ServiceError } from '../http/failure.ts';
import { Connection } from '../http/connection.ts';
import { createInterruptedError, createTimeoutError } from '../http/network-failure.ts';
import type { ChatGuard, ChatProtection } from './protection.ts';
import type { StreamOptions } from './stream-chat.ts';

const signal = new AbortController().signal;
const completionRequest: CompletionRequest = {
  model: 'coder',
  prompt: 'const a = ',
  suffix: ';\n',
  max_tokens: 64,
  temperature: 0.1,
  stop: ['\n\n'],
};
const formatEvent = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const createTextChunk = (
  text: unknown,
  finishReason: unknown = null,
  fields: object = {},
): string =>
  formatEvent({
    object: 'text_completion',
    choices: [{ index: 0, text, finish_reason: finishReason }],
    ...fields,
  });
const doneEventText = 'data: [DONE]\n\n';
const wireUsage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };
const totalsEvent: ChatEvent = {
  type: 'usage',
  usage: { promptTokens: 7, completionTokens: 2, totalTokens: 9 },
};

test('streamCompletionBatches requests a streamed completion that includes the token usage', async () => {
  const service = createScriptedService({ body: [doneEventText] });
  await collectEvents(service.context);
  const [sentRequest] = service.requests;
  expect(sentRequest?.url.href).toBe('https://api.service.test/api/v1/completions');
  expect(sentRequest?.headers).toMatchObject({ accept: 'text/event-stream' });
  expect(JSON.parse(String(sentRequest?.body))).toEqual({
    ...completionRequest,
    stream: true,
    stream_options: { include_usage: true },
  });
});

describe('a completion stream', () => {
  test.each<[string, string[], ChatEvent[]]>([
    [
      'with usage in a separate chunk',
      [
        createTextChunk('f', null, { usage: null }),
        createTextChunk('(x)', 'stop', { usage: null }),
        formatEvent({ choices: [], usage: wireUsage }),
        doneEventText,
      ],
      [createTextEvent('f'), createTextEvent('(x)'), totalsEvent, createCompleteEvent('stop')],
    ],
    [
      'with usage in the last text chunk',
      [createTextChunk('f'), createTextChunk('', 'length', { usage: wireUsage })],
      [createTextEvent('f'), totalsEvent, createCompleteEvent('length')],
    ],
    [
      'with empty and unknown finish reasons',
      [
        createTextChunk('f', ''),
        createTextChunk('(', '', { system_fingerprint: 'b1' }),
        createTextChunk('', 'pause_turn'),
        doneEventText,
      ],
      [createTextEvent('f'), createTextEvent('('), createCompleteEvent('other')],
    ],
    [
      'in the chat format',
      [formatEvent({ choices: [{ delta: { content: 'f' }, text: 'f' }] }), doneEventText],
      [createTextEvent('f'), createCompleteEvent('stop')],
    ],
    [
      'with leading whitespace',
      [createTextChunk('\n'), createTextChunk('    f '), doneEventText],
      [createTextEvent('\n    f '), createCompleteEvent('stop')],
    ],
    [
      'with reasoning before the text',
      [
        createTextChunk('<think>Hm'),
        createTextChunk('.</think>\n'),
        createTextChunk('f'),
        doneEventText,
      ],
      [
        createReasoningEvent('Hm'),
        createReasoningEvent('.'),
        createTextEvent('f'),
        createCompleteEvent('stop'),
      ],
    ],
    [
      'with malformed fields',
      [
        createTextChunk(7),
        createTextChunk({}),
        createTextChunk(null),
        createTextChunk('f', 7),
        doneEventText,
      ],
      [createTextEvent('f'), createCompleteEvent('stop')],
    ],
  ])('%s is converted to events', async (_description, body, events) => {
    const { context } = createScriptedService({ body });
    expect((await collectEvents(context)).slice(1)).toEqual(events);
  });
});

describe('a completion that fails', () => {
  const createStatusAnswer = (code: number, body: object): ScriptedAnswer => ({
    status: code,
    body: [JSON.stringify(body)],
  });
  const noRouteMessage = expect.stringContaining('Set “Endpoint for suggestions” to "chat"');
  test.each<[string, string, ScriptedAnswer, object]>([
    [
      'because of a missing route',
      'not-found',
      createStatusAnswer(404, { error: 'Not found' }),
      { message: noRouteMessage },
    ],
    [
      'because of an unsupported method',
      'not-found',
      createStatusAnswer(405, {}),
      { status: 405, message: noRouteMessage },
    ],
    [
      'with an HTML error page',
      'not-found',
      { status: 404, body: ['<html>404'] },
      { message: noRouteMessage },
    ],
    [
      'because of an unknown model',
      'model-not-found',
      createStatusAnswer(404, {
        error: { message: "model 'coder' not found, try pulling it first" },
      }),
      { message: expect.stringContaining('Choose another model') },
    ],
    [
      'because of an unsupported suffix',
      'unsupported-feature',
      createStatusAnswer(400, { error: { message: 'suffix is not currently supported' } }),
      {
        detail: 'suffix is not currently supported',
        refusesRoute: true,
      },
    ],
    [
      'because of a model without FIM tokens',
      'unsupported-feature',
      createStatusAnswer(501, {
        error: { message: 'Infill is not supported by this model: prefix token' },
      }),
      { refusesRoute: true },
    ],
    [
      'because of a refused API key',
      'unauthorized',
      createStatusAnswer(401, { error: scriptedKey }),
      {},
    ],
    [
      'because of an interrupted stream',
      'interrupted',
      { body: [createTextChunk('f'), createInterruptedError()] },
      {},
    ],
    ['because of an early end', 'interrupted', { body: [createTextChunk('f', '')] }, {}],
    [
      'because of an error inside the stream',
      'server-error',
      { body: [formatEvent({ error: { message: 'x' } })] },
      {},
    ],
  ])(
    '%s reports the code "%s", and no event contains the API key',
    async (_description, code, answer, details) => {
      const { context } = createScriptedService(answer);
      const events = await collectEvents(context, { disableRetries: true });
      const failure = { code, ...details };
      expect(events.at(-1)).toMatchObject({ outcome: { kind: 'failed', failure } });
      expect(JSON.stringify(events)).not.toContain(scriptedKey);
    },
  );
});

describe('a completion for a model with protected chats', () => {
  const createGuardedContext = (guard: ChatGuard) => {
    const service = createScriptedService({ body: [createTextChunk('f', 'stop'), doneEventText] });
    const guardedChats: object[] = [];
    const protection: ChatProtection = {
      guard: async (chat) => {
        guardedChats.push(chat);
        return guard;
      },
      reportProtectionFailure: () => {},
    };
    return { service, guardedChats, context: { ...service.context, protection } };
  };

  test('is rejected if chats with the model are encrypted, because the route does not support encryption', async () => {
    const { context, service, guardedChats } = createGuardedContext({
      kind: 'encrypted',
      checkedAt: 1,
      publicKey: '04',
    });
    expect(await collectEvents(context, { isBackground: true })).toMatchObject([
      {
        type: 'stream-end',
        outcome: {
          failure: {
            code: 'protection-failed',
            message: expect.stringContaining('“Endpoint for suggestions”'),
          },
        },
      },
    ]);
    expect(service.requests).toEqual([]);
    expect(guardedChats).toEqual([{ model: 'coder', isBackground: true }]);
  });

  test.each<ChatGuard>([{ kind: 'open' }, { kind: 'none' }, { kind: 'attested', checkedAt: 1 }])(
    'is sent unencrypted if the protection is "$kind"',
    async (guard) => {
      const { context, service } = createGuardedContext(guard);
      expect(getOutcome(await collectEvents(context))).toMatchObject({ kind: 'complete' });
      expect(service.requests).toHaveLength(1);
    },
  );

  test('is rejected before a request is sent if the enclave cannot be verified', async () => {
    const service = createScriptedService({ body: [doneEventText] });
    const failure = { code: 'protection-failed', message: 'x' } as const;
    const guard = async () => Promise.reject(new ServiceError(failure));
    const context = {
      ...service.context,
      protection: { guard, reportProtectionFailure: () => {} },
    };
    expect(getOutcome(await collectEvents(context))).toMatchObject({ kind: 'failed', failure });
    expect(service.requests).toEqual([]);
  });
});

const streams: readonly [
  string,
  (context: ServiceContext, options: StreamOptions) => EventBatches,
][] = [
  ['chat', (context, options) => streamChat(context, { model: 'm', messages: [] }, options)],
  [
    'completion',
    (context, options) => streamCompletionBatches(context, completionRequest, options),
  ],
];

describe.each(streams)('a %s stream', (_description, stream) => {
  test.each<[string, ScriptedAnswer]>([
    ['status 429', { status: 429, headers: { 'retry-after': '1' } }],
    ['status 500', { status: 500 }],
    ['status 503', { status: 503 }],
    ['an offline error', new ServiceError({ code: 'offline', message: 'x' })],
    ['a header timeout', createTimeoutError('headers')],
    ['a connection closed without a response', createInterruptedError()],
  ])('without retries sends no second request after %s', async (_answer, answer) => {
    const service = createScriptedService(answer);
    const batches = await Array.fromAsync(
      stream(service.context, { signal, disableRetries: true }),
    );
    expect(batches.flat()).toMatchObject([{ type: 'stream-end', outcome: { kind: 'failed' } }]);
    expect(service.requests).toHaveLength(1);
    expect(service.clock.pendingTimerCount).toBe(0);
  });

  test.each([
    [500, 'tools param requires --jinja flag'],
    [500, 'image input is not supported - hint: if this is unexpected, you may need the mmproj'],
    [404, 'No endpoints found that support tool use'],
    [500, 'Unsupported param: suffix'],
    [501, 'Infill is not supported by this model'],
    [500, 'the prompt is longer than the context length currently available to the model'],
  ])(
    'is still requested after 19 rejections with status %d that do not indicate an outage: %s',
    async (status, message) => {
      const service = createScriptedService({
        status,
        body: [JSON.stringify({ error: { message } })],
      });
      for (let requestIndex = 0; requestIndex < 20; requestIndex++)
        await Array.fromAsync(stream(service.context, { signal }));
      expect(service.requests).toHaveLength(20);
    },
  );

  test('uses the header timeout of the call instead of the default', async () => {
    const service = createScriptedService({ body: [doneEventText] });
    await Array.fromAsync(stream(service.context, { signal, timeouts: { headersMs: 5_000 } }));
    expect(service.requests[0]?.timeouts).toMatchObject({ headersMs: 5_000, idleMs: 60_000 });
  });

  test.each<[string, string | undefined, number]>([
    ['http://127.0.0.1:11434/v1', 'acme', 300_000],
    ['http://192.168.1.5:8080/v1', 'acme', 300_000],
    ['https://plain.test/v1', undefined, 300_000],
    ['https://api.service.test/api/v1', 'acme', 60_000],
  ])(
    'to %s, whose replies contain the vendor prefix %j, has a header timeout of %d ms',
    async (baseUrl, word, headersMs) => {
      const service = createScriptedService({ body: [doneEventText] });
      const connection = new Connection(word === undefined ? {} : { word });
      const getEndpoint: ServiceContext['getEndpoint'] = async () => ({
        ...(await service.context.getEndpoint()),
        baseUrl: new URL(baseUrl),
        connection,
      });
      await Array.fromAsync(stream({ ...service.context, getEndpoint }, { signal }));
      expect(service.requests[0]?.timeouts).toMatchObject({ headersMs, idleMs: 60_000 });
    },
  );

  test('fails without sending a request after 15 failed requests', async () => {
    const service = createScriptedService({ status: 503 });
    const sendRequest = async (): Promise<StreamOutcome | undefined> =>
      getOutcome(
        (await Array.fromAsync(stream(service.context, { signal, disableRetries: true }))).flat(),
      );
    for (let request = 0; request < 15; request++) await sendRequest();
    expect(await sendRequest()).toMatchObject({
      failure: { code: 'paused', retryAfterMs: 30_000 },
    });
    expect(service.requests).toHaveLength(15);
  });
});

test.each([404, 405])(
  'a missing completion route (status %d) does not pause requests to other routes',
  async (status) => {
    const service = createScriptedService({
      status,
      body: [JSON.stringify({ error: 'Not found' })],
    });
    for (let sentCount = 0; sentCount < 20; sentCount++) await collectEvents(service.context);
    expect(service.requests).toHaveLength(20);
  },
);

type EventBatches = AsyncIterable<readonly ChatEvent[]>;

async function collectEvents(
  context: ServiceContext,
  options: Partial<StreamOptions> = {},
): Promise<ChatEvent[]> {
  const stream = streamCompletionBatches(context, completionRequest, { signal, ...options });
  return (await Array.fromAsync(stream)).flat();
}

function getOutcome(events: readonly ChatEvent[]): StreamOutcome | undefined {
  const lastEvent = events.at(-1);
  return lastEvent?.type === 'stream-end' ? lastEvent.outcome : undefined;
}

function createTextEvent(content: string): ChatEvent {
  return { type: 'text-delta', text: content };
}

function createReasoningEvent(content: string): ChatEvent {
  return { type: 'reasoning-delta', text: content, source: 'think-tags' };
}

function createCompleteEvent(finishReason: 'stop' | 'length' | 'other'): ChatEvent {
  return { type: 'stream-end', outcome: { kind: 'complete', finishReason } };
}
