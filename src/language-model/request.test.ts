import { expect, test } from 'vitest';
import { startStrictDeployment } from '../../test/support/deployment-context.ts';
import { connectToPlainServer, listSentBodies } from '../../test/support/plain-server-context.ts';
import { streamChat } from '../service/chat/stream-chat.ts';
import type { ChatEvent } from '../service/chat/chat-types.ts';
import type { ServiceContext } from '../service/http/client.ts';
import { toRequestOptions } from './request.ts';

test.each([
  [
    { temperature: 0.5, stop: ['END'] },
    { temperature: 0.5, stop: ['END'] },
  ],
  [{ max_tokens: 100 }, { max_completion_tokens: 100 }],
  [{ max_completion_tokens: 50, max_tokens: 100 }, { max_completion_tokens: 50 }],
  // These values select the model's default, so they are omitted.
  [{ seed: null, stop: '', top_p: undefined }, {}],
  [{ stop: [], stream: true, n: 1 }, {}],
  // VS Code adds these identifiers, which services do not accept.
  [{ _capturingTokenCorrelationId: 'a', _otelTraceContext: {} }, {}],
])(
  'toRequestOptions, given the options %j of another extension, returns the options %j',
  (modelOptions, expected) => {
    expect(toRequestOptions({ modelOptions, isToolCallRequired: false })).toEqual(expected);
  },
);

test.each([
  { seed: 0 },
  { top_k: 40, min_p: 0.05, frequency_penalty: 0.2 },
  { chat_template_kwargs: { enable_thinking: false } },
])('a llama.cpp server receives the options %j of another extension', async (modelOptions) => {
  await using connection = await connectToPlainServer({ kind: 'llamacpp' });
  const endEvent = await sendChat(connection.context, 'any', modelOptions);
  expect(endEvent).toMatchObject({ outcome: { kind: 'complete' } });
  expect(listSentBodies(connection.server, '/chat/completions')).toEqual([
    expect.objectContaining(modelOptions),
  ]);
});

test('a request to a service with a strict schema contains the seed 0', async () => {
  await using server = await startStrictDeployment({ shape: 'minimal' });
  const endEvent = await sendChat(server.context, 'maple-70b', { seed: 0 });
  expect(endEvent).toMatchObject({ outcome: { kind: 'complete' } });
  expect(server.listRequests('/chat/completions').map(({ body }) => body?.['seed'])).toEqual([0]);
});

test.each([
  ['minimal', { top_k: 40 }, { code: 'unsupported-option', message: /top_k/u }],
  ['minimal', { mirostat: 2 }, { code: 'unsupported-option', message: /mirostat/u }],
  ['full', { seed: 0 }, { code: 'invalid-request', detail: /seed/u }],
  ['full', { top_p: 9 }, { code: 'invalid-request', detail: /top_p/u }],
  ['full', { seed: 1.5 }, { code: 'invalid-request', detail: /seed/u }],
] as const)(
  'a strict service of the type %s rejects the options %j after one request, and the error names the option',
  async (shape, modelOptions, { code, ...failurePatterns }) => {
    await using server = await startStrictDeployment({ shape });
    const endEvent = await sendChat(server.context, 'maple-70b', modelOptions);
    const matchers = Object.entries(failurePatterns).map(([name, pattern]) => [
      name,
      expect.stringMatching(pattern),
    ]);
    expect(endEvent).toMatchObject({
      outcome: { kind: 'failed', failure: { code, ...Object.fromEntries(matchers) } },
    });
    expect(server.listRequests('/chat/completions')).toHaveLength(1);
  },
);

test.each([
  { model: 'another' },
  { fallbacks: [{ model: 'another' }] },
  { provider: { order: ['another'] } },
  { service_tier: 'priority' },
  { plugins: [{ id: 'web' }] },
  { messages: [] },
  { n: 2 },
  { service_parameters: { enable_web_search: 'on' } },
])(
  'toRequestOptions rejects the options %j of another extension, and states their names',
  (modelOptions) => {
    expect(() => toRequestOptions({ modelOptions, isToolCallRequired: false })).toThrow(
      `can't set the option ${Object.keys(modelOptions)[0]}`,
    );
  },
);

/** Sends a chat with the options of another extension. Returns the last event of the answer. */
async function sendChat(
  context: ServiceContext,
  model: string,
  modelOptions: Readonly<Record<string, unknown>>,
): Promise<ChatEvent | undefined> {
  const { signal } = new AbortController();
  const options = toRequestOptions({ modelOptions, isToolCallRequired: false });
  const request = { model, messages: [{ role: 'user', content: 'Hi' } as const], ...options };
  const batches = await Array.fromAsync(
    streamChat(context, request, { signal, areOptionsChosen: true }),
  );
  return batches.flat().at(-1);
}
