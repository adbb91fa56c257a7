import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { scriptedService } from '../../../test/support/scripted-transport.ts';
import { sendSuggestionRequest } from '../../completion/vscode/send-request.ts';
import type { SuggestionRequest } from '../../completion/ports.ts';
import type { Host } from '../../host.ts';
import { createChatCompletion } from './chat.ts';
import { streamChat } from './stream-chat.ts';
import { flatten } from '../../../test/support/batches.ts';
import type { ChatRequest } from './chat-types.ts';
import type { ServiceContext } from '../http/client.ts';
import { streamCompletionBatches } from './completions.ts';
import { createKeyPair } from '../privacy/sealed-text.ts';
import { ServiceError } from '../http/failure.ts';
import type { ChatGuard, GuardedChat } from './protection.ts';
import type { StreamOptions } from './stream-chat.ts';
import { toHex } from '../privacy/bytes.ts';

const signal = new AbortController().signal;
const secret = 'Lanternfish';

/** With the words wherever words of a person or their files can be: also as tools, results of theirs and stops. */
const chat: ChatRequest = {
  model: 'sealed',
  messages: [
    { role: 'system', content: `Know ${secret}.` },
    {
      role: 'user',
      content: [
        { type: 'text', text: secret },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${secret}` } },
        {
          type: 'file',
          file: { filename: secret, file_data: `data:application/pdf;base64,${secret}` },
        },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: '1', type: 'function', function: { name: 'find', arguments: secret } }],
    },
    { role: 'tool', tool_call_id: '1', content: secret },
  ],
  stop: [secret],
  prompt_cache_key: secret,
  tools: [{ type: 'function', function: { name: secret } }],
  parameters: { character_slug: secret },
};
const completion = { model: 'sealed', prompt: secret, suffix: secret, stop: [secret] };

const suggestion = (service: ServiceContext, ask: SuggestionRequest) => {
  const account = { profile: undefined, report: () => {} };
  const host = { account, service } as unknown as Host;
  const activity = { startRequest: () => {}, endRequest: () => {} };
  return Array.fromAsync(sendSuggestionRequest({ host, activity }, ask, signal));
};

/** Everything that asks a model ends in one of these: no other file knows the way (`test/architecture`). */
const ways: readonly [string, (context: ServiceContext) => Promise<unknown>][] = [
  ['a chat', (context) => Array.fromAsync(flatten(streamChat(context, chat, { signal })))],
  ['a chat in batches', (context) => Array.fromAsync(streamChat(context, chat, { signal }))],
  ['a chat in one piece', (context) => createChatCompletion(context, chat, { signal })],
  [
    'a completion',
    (context) => Array.fromAsync(streamCompletionBatches(context, completion, { signal })),
  ],
  ['a suggestion from a chat', (context) => suggestion(context, { route: 'chat', request: chat })],
  [
    'a suggestion from the other route',
    (context) => suggestion(context, { route: 'completions', request: completion }),
  ],
];

/** A service that fails twice before it answers, so that what is sent again is seen as well. */
function guarded(guard: () => Promise<ChatGuard>) {
  const answer = { body: ['data: {"choices":[{"delta":{"content":"plain"}}]}\n\n'] };
  const { context, requests, clock } = scriptedService({ status: 503 }, { status: 503 }, answer);
  return {
    requests,
    clock,
    context: { ...context, protection: { guard, reportBroken: () => {} } },
  };
}

/** What a request comes to, while time passes in which it is tried again. */
async function settled(
  clock: ReturnType<typeof guarded>['clock'],
  asked: Promise<unknown>,
): Promise<string> {
  const told: string[] = [];
  const tell = (value: unknown): void => void told.push(JSON.stringify(value));
  void asked.then(tell, (error: unknown) => tell(error instanceof ServiceError && error.failure));
  while (told.length === 0) {
    await clock.advance(60_000);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  return told.join('');
}

test.each(ways)('%s says nothing in clear to a model that is encrypted to', async (what, ask) => {
  const { publicKey } = createKeyPair(randomBytes);
  const guard: ChatGuard = { kind: 'encrypted', checkedAt: 1, publicKey: toHex(publicKey) };
  const { context, requests, clock } = guarded(async () => guard);
  const told = await settled(clock, ask(context));
  // Refused, or answered in clear, which is no answer.
  expect(told).toContain(
    what.startsWith('a suggestion from a chat') ? 'failure' : 'protection-failed',
  );
  const sent = requests.map(({ url, headers, body }) =>
    JSON.stringify([url, headers, String(body)]),
  );
  expect(sent.join('\n')).not.toContain(secret);
  expect(sent.length > 0).toBe(!/completion|other/u.test(what));
  for (const each of sent) expect(each).toContain('-tee-client-pub-key');
});

test.each(ways)('%s is not sent to an enclave that cannot be verified', async (_what, ask) => {
  const failure = { code: 'protection-failed', message: 'x' } as const;
  const { context, requests, clock } = guarded(async () =>
    Promise.reject(new ServiceError(failure)),
  );
  expect(await settled(clock, ask(context))).toContain('protection-failed');
  expect(requests).toEqual([]);
});

test.each<[string, (context: ServiceContext, options: StreamOptions) => Promise<unknown>]>([
  ['a chat', (context, options) => Array.fromAsync(flatten(streamChat(context, chat, options)))],
  ['a chat in one piece', (context, options) => createChatCompletion(context, chat, options)],
])('%s hands on what may protect it at least', async (_what, ask) => {
  const asked: GuardedChat[] = [];
  const { context } = scriptedService();
  const guard = async (guardedChat: GuardedChat): Promise<ChatGuard> => {
    asked.push(guardedChat);
    throw new ServiceError({ code: 'protection-failed', message: 'x' });
  };
  const guardedContext = { ...context, protection: { guard, reportBroken: () => {} } };
  await ask(guardedContext, {
    signal,
    acceptsUnprotected: false,
    minProtection: 'encrypted',
  }).catch(() => {});
  expect(asked).toEqual([
    { model: 'sealed', isBackground: false, acceptsUnprotected: false, minProtection: 'encrypted' },
  ]);
});
