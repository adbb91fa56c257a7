import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import { sendSuggestionRequest } from '../../completion/vscode/send-request.ts';
import type { SuggestionRequest } from '../../completion/ports.ts';
import type { Host } from '../../host.ts';
import { createChatCompletion } from './chat.ts';
import { streamChat } from './stream-chat.ts';
import { flattenBatches } from '../../../test/support/batches.ts';
import type { ChatRequest } from './chat-types.ts';
import type { ServiceContext } from '../http/client.ts';
import { streamCompletionBatches } from './completions.ts';
import { createKeyPair } from '../privacy/sealed-text.ts';
import { ServiceError } from '../http/failure.ts';
import type { ChatGuard, GuardedChat } from './protection.ts';
import type { StreamOptions } from './stream-chat.ts';
import { encodeHex } from '../privacy/bytes.ts';

const signal = new AbortController().signal;
const secretText = 'Lanternfish';

/**
 * Chat request that contains the secret in every field with user content: messages, files, tools, tool results and stop
 * sequences.
 */
const chatRequest: ChatRequest = {
  model: 'sealed',
  messages: [
    { role: 'system', content: `Know ${secretText}.` },
    {
      role: 'user',
      content: [
        { type: 'text', text: secretText },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${secretText}` } },
        {
          type: 'file',
          file: { filename: secretText, file_data: `data:application/pdf;base64,${secretText}` },
        },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: '1', type: 'function', function: { name: 'find', arguments: secretText } },
      ],
    },
    { role: 'tool', tool_call_id: '1', content: secretText },
  ],
  stop: [secretText],
  prompt_cache_key: secretText,
  tools: [{ type: 'function', function: { name: secretText } }],
  parameters: { character_slug: secretText },
};
const completionRequest = {
  model: 'sealed',
  prompt: secretText,
  suffix: secretText,
  stop: [secretText],
};

const streamSuggestion = (service: ServiceContext, request: SuggestionRequest) => {
  const account = { profile: undefined, reportOutcome: () => {} };
  const host = { account, service } as unknown as Host;
  const activity = { recordRequestStart: () => {}, recordRequestEnd: () => {} };
  return Array.fromAsync(sendSuggestionRequest({ host, activity }, request, signal));
};

/**
 * All functions that send chats or completions. An architecture test ensures that no source files except theirs
 * use the routes for chats and completions.
 */
const modelCalls: readonly [string, (context: ServiceContext) => Promise<unknown>][] = [
  [
    'a chat',
    (context) => Array.fromAsync(flattenBatches(streamChat(context, chatRequest, { signal }))),
  ],
  ['a batched chat', (context) => Array.fromAsync(streamChat(context, chatRequest, { signal }))],
  ['a chat without streaming', (context) => createChatCompletion(context, chatRequest, { signal })],
  [
    'a completion',
    (context) => Array.fromAsync(streamCompletionBatches(context, completionRequest, { signal })),
  ],
  [
    'a suggestion from a chat',
    (context) => streamSuggestion(context, { route: 'chat', request: chatRequest }),
  ],
  [
    'a suggestion from the completion route',
    (context) => streamSuggestion(context, { route: 'completions', request: completionRequest }),
  ],
];

/**
 * Creates a service that fails the first two requests, so that tests include retries. `guard` decides the protection of
 * chats.
 */
function createGuardedService(guard: () => Promise<ChatGuard>) {
  const answer = { body: ['data: {"choices":[{"delta":{"content":"plain"}}]}\n\n'] };
  const { context, requests, clock } = createScriptedService(
    { status: 503 },
    { status: 503 },
    answer,
  );
  return {
    requests,
    clock,
    context: { ...context, protection: { guard, reportProtectionFailure: () => {} } },
  };
}

/** Returns the outcome of a request as text. Advances the clock so that retries happen. */
async function waitForOutcome(
  clock: ReturnType<typeof createGuardedService>['clock'],
  requestPromise: Promise<unknown>,
): Promise<string> {
  const outcomes: string[] = [];
  const recordOutcome = (value: unknown): void => void outcomes.push(JSON.stringify(value));
  void requestPromise.then(recordOutcome, (error: unknown) =>
    recordOutcome(error instanceof ServiceError && error.failure),
  );
  while (outcomes.length === 0) {
    await clock.advance(60_000);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  return outcomes.join('');
}

test.each(modelCalls)(
  '%s sends no plain text to a model with encrypted chats',
  async (name, sendCall) => {
    const { publicKey } = createKeyPair(randomBytes);
    const guard: ChatGuard = { kind: 'encrypted', checkedAt: 1, publicKey: encodeHex(publicKey) };
    const { context, requests, clock } = createGuardedService(async () => guard);
    const outcome = await waitForOutcome(clock, sendCall(context));
    // Without a rejection, the test service responds in plain text, which is an invalid response.
    expect(outcome).toContain(
      name.startsWith('a suggestion from a chat') ? 'failure' : 'protection-failed',
    );
    const requestTexts = requests.map(({ url, headers, body }) =>
      JSON.stringify([url, headers, String(body)]),
    );
    expect(requestTexts.join('\n')).not.toContain(secretText);
    expect(requestTexts.length > 0).toBe(!name.includes('completion'));
    for (const request of requestTexts) expect(request).toContain('-tee-client-pub-key');
  },
);

test.each(modelCalls)(
  '%s sends no request if the enclave cannot be verified',
  async (_description, sendCall) => {
    const failure = { code: 'protection-failed', message: 'x' } as const;
    const { context, requests, clock } = createGuardedService(async () =>
      Promise.reject(new ServiceError(failure)),
    );
    expect(await waitForOutcome(clock, sendCall(context))).toContain('protection-failed');
    expect(requests).toEqual([]);
  },
);

test.each<[string, (context: ServiceContext, options: StreamOptions) => Promise<unknown>]>([
  [
    'a chat',
    (context, options) =>
      Array.fromAsync(flattenBatches(streamChat(context, chatRequest, options))),
  ],
  [
    'a chat without streaming',
    (context, options) => createChatCompletion(context, chatRequest, options),
  ],
])(
  '%s passes the minimum protection to `ChatProtection.guard`',
  async (_description, sendRequest) => {
    const guardedChats: GuardedChat[] = [];
    const { context } = createScriptedService();
    const guard = async (guardedChat: GuardedChat): Promise<ChatGuard> => {
      guardedChats.push(guardedChat);
      throw new ServiceError({ code: 'protection-failed', message: 'x' });
    };
    const guardedContext = { ...context, protection: { guard, reportProtectionFailure: () => {} } };
    await sendRequest(guardedContext, {
      signal,
      acceptsUnprotected: false,
      minProtection: 'encrypted',
    }).catch(() => {});
    expect(guardedChats).toEqual([
      {
        model: 'sealed',
        isBackground: false,
        acceptsUnprotected: false,
        minProtection: 'encrypted',
      },
    ]);
  },
);
