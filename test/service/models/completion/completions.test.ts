import { describe, expect, test } from 'vitest';
import type { SuggestionRequest } from '../../../../src/completion/ports.ts';
import { buildRequest } from '../../../../src/completion/prompt/build-request.ts';
import { createSnapshotOf } from '../../../../src/completion/snapshot.fixture.ts';
import { readModel } from '../../../../src/service/read-model.ts';
import type { Model } from '../../../../src/service/model-types.ts';
import { textModels } from '../../catalog/text-models.ts';
import { createChatRequestBody } from '../../../../src/service/chat/chat-chunk.ts';
import {
  createChatRequest,
  parseEvents,
  postJson,
  postChat,
  startTestService,
} from '../../test-service.ts';
import { startSlowRequest } from '../../slow-request.ts';
import { getDueMs } from '../../chat/pace.ts';
import { simulateCompletion } from '../../chat/simulate-completion.ts';
import type { LocalService } from '../../server.ts';

const documentText = 'function area(w, h) {\n  return w * h;\n}\n\nconst end = 1;\n';
const taggedPrompt = `<file path="a.js">\n${documentText}</file>\n<prefix>async function area(</prefix><suffix>\n</suffix>`;
const expectedAnswer = 'w, h) {\n  return w * h;\n}';
const chatSuggestion: SuggestionRequest = {
  route: 'chat',
  request: {
    model: 'coder-inline-7b',
    messages: [{ role: 'user', content: taggedPrompt }],
    stop: ['<|cursor|>'],
    parameters: { disable_thinking: true, include_system_prompt: false },
  },
};
const completionsSuggestion: SuggestionRequest = {
  route: 'completions',
  request: {
    model: 'coder-inline-7b',
    prompt: `${documentText}async function area(`,
    suffix: '\n',
    max_tokens: 200,
  },
};

describe('POST /completions', () => {
  test('returns 404 by default', async () => {
    const service = await startTestService();
    const refusedReply = await requestCompletionText(service);
    expect([refusedReply.status, await refusedReply.json()]).toEqual([404, { error: 'Not found' }]);
    await service.control.setRoutes({ completions: true });
    expect((await requestCompletionText(service)).status).toBe(200);
    await service.control.reset();
    expect((await requestCompletionText(service)).status).toBe(404);
  });

  test('is available if enabled at the start of the service', async () => {
    const service = await startTestService({ hasCompletionsRoute: true });
    expect((await requestCompletionText(service)).status).toBe(200);
  });

  test('streams the text, the usage if requested, and [DONE]', async () => {
    const service = await startTestService({ hasCompletionsRoute: true });
    const options = { stream: true, stream_options: { include_usage: true } };
    const reply = await (await requestCompletionText(service, options)).text();
    expect(reply.endsWith('data: [DONE]\n\n')).toBe(true);
    const events = parseEvents(reply) as unknown as TextEvent[];
    expect(events.flatMap(({ choices }) => choices.map(({ text }) => text)).join('')).toBe(
      expectedAnswer,
    );
    expect(events[0]).toMatchObject({ object: 'text_completion', usage: null });
    expect(events.at(-2)?.choices).toMatchObject([{ text: '', finish_reason: 'stop' }]);
    expect(events.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: events.length - 2 },
    });
    const textWithoutUsage = await (await requestCompletionText(service, { stream: true })).text();
    expect(textWithoutUsage).not.toContain('prompt_tokens');
  });

  test('replies without streaming, and accepts prompts with FIM tokens', async () => {
    const service = await startTestService({ hasCompletionsRoute: true });
    const prompt = `<|fim_suffix|>\n<|fim_prefix|>${documentText}async function area(<|fim_middle|>`;
    for (const overrides of [{}, { prompt, suffix: null }]) {
      expect(await (await requestCompletionText(service, overrides)).json()).toMatchObject({
        choices: [{ text: expectedAnswer, finish_reason: 'stop' }],
        usage: { completion_tokens: expect.any(Number) },
      });
    }
  });

  test('ends the completion at a stop sequence, ignores unknown fields, and charges the request', async () => {
    const service = await startTestService({ hasCompletionsRoute: true });
    const tokenLimit = { max_tokens: 3, cache_prompt: true };
    expect(await (await requestCompletionText(service, tokenLimit)).json()).toMatchObject({
      choices: [{ finish_reason: 'length' }],
      usage: { completion_tokens: 3 },
    });
    expect(await (await requestCompletionText(service, { stop: ['{'] })).json()).toMatchObject({
      choices: [{ text: 'w, h) ' }],
    });
    expect((await service.control.getAccounts()).charges).toHaveLength(2);
  });

  test.each([
    ['an empty key', { key: '' }, {}, 401],
    ['a wrong key', { key: 'wrong' }, {}, 401],
    ['no prompt', {}, { prompt: undefined }, 400],
    ['an unknown model', {}, { model: 'nobody' }, 404],
    ['an offline model', {}, { model: 'absent-offline-70b' }, 503],
  ])('rejects a request with %s', async (_description, init, overrides, status) => {
    const service = await startTestService({ hasCompletionsRoute: true });
    expect((await requestCompletionText(service, overrides, init)).status).toBe(status);
  });
});

const suggestionRequests = [chatSuggestion, completionsSuggestion];

describe.each(suggestionRequests)('a completion through the route $route', (call) => {
  test('equals the result of simulateCompletion', async () => {
    const service = await startTestService({ hasCompletionsRoute: true });
    const reply = await sendCompletion(service, call);
    const completion = simulateCompletion(call);
    expect(reply.fragments).toEqual(completion.fragments);
    expect(completion.fragments.join('')).toBe(expectedAnswer);
    expect(reply.promptTokens).toBe(completion.promptTokens);
    expect(completion).toMatchObject({
      finishReason: 'stop',
      pace: { firstTokenMs: 40, tokensPerSecond: 250 },
    });
  });

  test('is changed by a misbehavior until the misbehavior is reset', async () => {
    const service = await startTestService({ hasCompletionsRoute: true });
    const misbehavior = { fence: 'plain', thinks: true } as const;
    await service.control.setCodeModelMisbehavior(misbehavior);
    const expectedText = simulateCompletion(call, misbehavior).fragments.join('');
    expect(expectedText).toContain(`</think>\n\n\`\`\`\n${expectedAnswer}\n\`\`\``);
    expect((await sendCompletion(service, call)).fragments.join('')).toBe(expectedText);
    await service.control.setCodeModelMisbehavior({});
    expect((await sendCompletion(service, call)).fragments.join('')).toBe(expectedAnswer);
  });

  test('is streamed at the configured pace', async () => {
    const service = await startTestService({ hasCompletionsRoute: true });
    const pace = { firstTokenMs: 60, tokensPerSecond: 200 };
    await service.control.setResponsePace(pace);
    const start = performance.now();
    const { fragments } = await sendCompletion(service, call);
    expect(performance.now() - start).toBeGreaterThanOrEqual(
      getDueMs(fragments.length - 1, pace) - 5,
    );
  });

  test('is recorded with its times and the number of sent tokens after an abort', async () => {
    const service = await startTestService({ hasCompletionsRoute: true });
    await service.control.setResponsePace({ firstTokenMs: 0, tokensPerSecond: 4 });
    const controller = new AbortController();
    const reply = await requestCompletion(service, call, controller.signal);
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('return')) text += (await reader.read()).value ?? '';
    await startSlowRequest(service);
    controller.abort();
    const recordedRequest = await service.control.waitForRequest(
      ({ closedAt }) => closedAt !== undefined,
    );
    expect(recordedRequest.abortedByClient).toBe(true);
    const fragments = simulateCompletion(call).fragments;
    const receivedCount = fragments.findIndex((fragment) => fragment.includes('return')) + 1;
    expect(recordedRequest.tokensSent).toBeGreaterThanOrEqual(receivedCount);
    expect(recordedRequest.tokensSent).toBeLessThan(fragments.length);
  });
});

test.each(['chat', 'completions'] as const)(
  "the code model completes the extension's prompt for the route %s",
  (route) => {
    const model = textModels.find(({ record }) => record.id === 'coder-inline-7b')?.record;
    const request = buildRequest({
      snapshot: createSnapshotOf(
        'export const unit = 1;\nasync function area(|\nexport const last = 2;\n',
      ),
      context: [{ kind: 'similar', path: 'src/area.ts', text: documentText }],
      target: { model: readModel(model) as Model, route },
      scope: 'block',
    });
    expect(simulateCompletion(request).fragments.join('')).toBe(expectedAnswer);
  },
);

test('a misbehavior of code models does not change the answers of chat models', async () => {
  const service = await startTestService();
  await service.control.setCodeModelMisbehavior({ empty: 'nothing' });
  expect(await (await postChat(service, createChatRequest('Hi'))).text()).toContain('Hello!');
});

test('the control plane rejects an unknown misbehavior', async () => {
  const { control } = await startTestService();
  await expect(control.setCodeModelMisbehavior({ fences: 'plain' } as object)).rejects.toThrow(
    '/misbehavior',
  );
});

test('simulateCompletion rejects a request that the service rejects', () => {
  const unknownModelRequest = {
    ...chatSuggestion,
    request: { ...chatSuggestion.request, model: 'nobody' },
  } as SuggestionRequest;
  expect(() => simulateCompletion(unknownModelRequest)).toThrow('Specified model not found');
});

interface TextEvent {
  readonly choices: readonly { readonly text: string; readonly finish_reason: string | null }[];
  readonly usage: { readonly prompt_tokens: number } | null;
}

const requestCompletionText = (
  service: LocalService,
  overrides: object = {},
  init: { key?: string } = {},
): Promise<Response> =>
  postJson(
    service,
    { path: '/completions', body: { ...completionsSuggestion.request, ...overrides } },
    init,
  );

function requestCompletion(
  service: LocalService,
  { route, request }: SuggestionRequest,
  signal?: AbortSignal,
): Promise<Response> {
  const init = signal === undefined ? {} : { signal };
  if (route === 'chat')
    return postChat(service, createChatRequestBody(request, 'service', true), init);
  const stream = { stream: true, stream_options: { include_usage: true } };
  return postJson(service, { path: '/completions', body: { ...request, ...stream } }, init);
}

async function sendCompletion(
  service: LocalService,
  call: SuggestionRequest,
): Promise<{ fragments: string[]; promptTokens: number | undefined }> {
  const events = parseEvents(
    await (await requestCompletion(service, call)).text(),
  ) as unknown as AnyEvent[];
  const fragments = events
    .flatMap(({ choices }) => choices.map(({ delta, text }) => delta?.content ?? text ?? ''))
    .filter((fragment) => fragment !== '');
  return { fragments, promptTokens: events.at(-1)?.usage?.prompt_tokens };
}

interface AnyEvent {
  readonly choices: readonly { readonly delta?: { content?: string }; readonly text?: string }[];
  readonly usage?: { readonly prompt_tokens: number } | null;
}
