import { describe, expect, test } from 'vitest';
import { startTestService } from '../../../test/service/test-service.ts';
import { createChatCompletion } from '../chat/chat.ts';
import { streamChat } from '../chat/stream-chat.ts';
import { flattenBatches } from '../../../test/support/batches.ts';
import type { ChatEvent, ChatRequest } from '../chat/chat-types.ts';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import { Connection } from '../http/connection.ts';
import type { ServiceContext } from '../http/client.ts';
import type { ServiceFailure } from '../http/failure.ts';
import type { ChatGuard } from '../chat/protection.ts';
import { createLocalContext, localRoots } from './local-context.fixture.ts';
import { fetchAttestation } from './attestation.ts';
import { randomBytes } from 'node:crypto';

const signal = new AbortController().signal;
const secretText = 'Lanternfish';
const chatRequest: ChatRequest = {
  model: 'sealed-letter-70b',
  messages: [
    { role: 'system', content: `You know the ${secretText}.` },
    { role: 'user', content: `Say ${secretText} twice.` },
  ],
};

type TestService = Awaited<ReturnType<typeof startTestService>>;

/** Creates a context that encrypts chats for a verified enclave. The context adds reported failures to the list. */
async function createEncryptedContext(
  service: TestService,
): Promise<{ context: ServiceContext; reportedFailures: ServiceFailure[] }> {
  const plainContext = createLocalContext(service);
  const { model } = chatRequest;
  const attestation = await fetchAttestation(plainContext, {
    model,
    signal,
    roots: localRoots,
    randomBytes,
  });
  const guard: ChatGuard = {
    kind: 'encrypted',
    checkedAt: 7,
    publicKey: attestation.publicKey ?? '',
  };
  const reportedFailures: ServiceFailure[] = [];
  const protection = {
    guard: async () => guard,
    reportProtectionFailure: (_: string, failure: ServiceFailure) =>
      void reportedFailures.push(failure),
  };
  return { context: { ...plainContext, protection }, reportedFailures };
}

const joinText = (events: readonly ChatEvent[], type: 'text-delta' | 'reasoning-delta'): string =>
  events.map((event) => (event.type === type ? event.text : '')).join('');

/** Returns the chat requests as received by the service. Excludes attestation requests. */
const readChatRequestsJson = async ({ control }: TestService): Promise<string> =>
  JSON.stringify((await control.getRequests()).filter(({ path }) => path.includes('chat')));

const answerScript = {
  steps: [
    { reasoning: `Think of ${secretText}.` },
    { content: `${secretText}, ` },
    { content: secretText },
  ],
};

test('streamChat encrypts every message and decrypts every streamed chunk', async () => {
  const service = await startTestService();
  const { context } = await createEncryptedContext(service);
  await service.control.addScripts({ ...answerScript, userMessage: `Say ${secretText} twice.` });
  const events = await Array.fromAsync(
    flattenBatches(streamChat(context, chatRequest, { signal })),
  );
  expect(joinText(events, 'text-delta')).toBe(`${secretText}, ${secretText}`);
  expect(joinText(events, 'reasoning-delta')).toBe(`Think of ${secretText}.`);
  expect(events[0]).toMatchObject({ type: 'stream-start', protection: { kind: 'encrypted' } });
  expect(events.slice(-2)).toMatchObject([
    { type: 'protection', protection: { kind: 'encrypted', checkedAt: 7, leftOut: [] } },
    { type: 'stream-end', outcome: { kind: 'complete' } },
  ]);
  const requestsJson = await readChatRequestsJson(service);
  expect(requestsJson).not.toContain(secretText);
  expect(requestsJson).toContain('"enable_e2ee":true');
});

test('streamChat separates reasoning from the answer after decryption', async () => {
  const service = await startTestService();
  const { context } = await createEncryptedContext(service);
  await service.control.addScripts({
    steps: [{ content: '<thi' }, { content: 'nk>why</think>so' }],
  });
  const events = await Array.fromAsync(
    flattenBatches(streamChat(context, chatRequest, { signal })),
  );
  expect([joinText(events, 'reasoning-delta'), joinText(events, 'text-delta')]).toEqual([
    'why',
    'so',
  ]);
});

test('createChatCompletion combines encrypted chunks for a chat without streaming', async () => {
  const service = await startTestService();
  const { context } = await createEncryptedContext(service);
  await service.control.addScripts(answerScript);
  const { text, usage } = await createChatCompletion(context, chatRequest, { signal });
  expect(text).toBe(`${secretText}, ${secretText}`);
  expect(usage?.totalTokens).toBeGreaterThan(0);
  expect(await readChatRequestsJson(service)).not.toContain(secretText);
});

test('streamChat uses a new key pair for each encrypted chat', async () => {
  const service = await startTestService();
  const { context } = await createEncryptedContext(service);
  await service.control.addScripts({ steps: [{ content: 'one' }], times: 2 });
  for (let count = 0; count < 2; count++)
    await createChatCompletion(context, chatRequest, { signal });
  const publicKeys = (await service.control.getRequests())
    .filter(({ path }) => path.includes('chat'))
    .map(({ headers }) => headers['x-service-tee-client-pub-key']);
  expect(new Set(publicKeys).size).toBe(2);
});

describe('features that cannot be encrypted', () => {
  test('are removed from the request and listed in the protection event', async () => {
    const service = await startTestService();
    const { context } = await createEncryptedContext(service);
    await service.control.addScripts(answerScript);
    const completeRequest: ChatRequest = {
      ...chatRequest,
      messages: [
        ...chatRequest.messages,
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: '1',
              type: 'function',
              function: { name: 'find', arguments: `{"a":"${secretText}"}` },
            },
          ],
        },
        { role: 'tool', tool_call_id: '1', content: secretText },
        {
          role: 'user',
          content: [
            { type: 'text', text: secretText },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
      ],
      stop: secretText,
      prompt_cache_key: secretText,
      tools: [{ type: 'function', function: { name: secretText } }],
      response_format: { type: 'json_schema', json_schema: { name: secretText } },
      parameters: { enable_web_search: 'on', character_slug: secretText },
    };
    const events = await Array.fromAsync(
      flattenBatches(streamChat(context, completeRequest, { signal })),
    );
    expect(events.at(-1)).toMatchObject({ outcome: { kind: 'complete' } });
    expect(events.at(-2)).toMatchObject({
      protection: { leftOut: ['tools', 'web-search', 'pictures', 'format', 'persona', 'options'] },
    });
    expect(await readChatRequestsJson(service)).not.toContain(secretText);
  });

  test('are removed from the suffix of the model id and listed in the protection event', async () => {
    const service = await startTestService();
    const { context } = await createEncryptedContext(service);
    await service.control.addScripts({ steps: [{ content: 'one' }] });
    const model = `${chatRequest.model}:enable_web_search=on`;
    const events = await Array.fromAsync(
      flattenBatches(streamChat(context, { ...chatRequest, model }, { signal })),
    );
    expect(events.at(-2)).toMatchObject({ protection: { leftOut: ['web-search'] } });
    expect(await readChatRequestsJson(service)).not.toContain('enable_web_search=on');
  });
});

test.each(['plain', 'half-plain', 'tampered', 'replayed', 'other-reader', 'cut'] as const)(
  'streamChat fails the chat without a protection event if the enclave sends the invalid response "%s"',
  async (answer) => {
    const service = await startTestService();
    const { context, reportedFailures } = await createEncryptedContext(service);
    await service.control.setEnclaveMisbehavior({ answer });
    await service.control.addScripts({
      steps: [{ content: 'one' }, { content: 'two' }, { content: 'three' }],
    });
    const events = await Array.fromAsync(
      flattenBatches(streamChat(context, chatRequest, { signal })),
    );
    expect(events.at(-1)).toMatchObject({
      outcome: { kind: 'failed', failure: { code: 'protection-failed' } },
    });
    expect(events.some(({ type }) => type === 'protection')).toBe(false);
    const isFirstGood = answer !== 'plain' && answer !== 'other-reader';
    expect(joinText(events, 'text-delta')).toBe(isFirstGood ? 'one' : '');
    expect(reportedFailures).toHaveLength(1);
  },
);

test('streamChat fails the chat if the enclave sends a tool call in plain text', async () => {
  const service = await startTestService();
  const { context } = await createEncryptedContext(service);
  await service.control.addScripts({ steps: [{ call: { name: 'run', arguments: {} } }] });
  const events = await Array.fromAsync(
    flattenBatches(streamChat(context, chatRequest, { signal })),
  );
  expect(events.at(-1)).toMatchObject({ outcome: { failure: { code: 'protection-failed' } } });
});

test('streamChat reports a truncated response as interrupted, and its received text as encrypted', async () => {
  const service = await startTestService();
  const { context } = await createEncryptedContext(service);
  await service.control.addScripts({
    steps: [{ content: 'one' }, { cut: 'end' }],
    finishReason: null,
  });
  const events = await Array.fromAsync(
    flattenBatches(streamChat(context, chatRequest, { signal })),
  );
  expect(events.slice(-2)).toMatchObject([
    { protection: { kind: 'encrypted' } },
    { outcome: { failure: { code: 'interrupted' } } },
  ]);
});

test('streamChat fails the chat if the enclave has restarted with a new key', async () => {
  const service = await startTestService();
  const { context, reportedFailures } = await createEncryptedContext(service);
  await service.control.reset();
  const events = await Array.fromAsync(
    flattenBatches(streamChat(context, chatRequest, { signal })),
  );
  expect(events.at(-1)).toMatchObject({ outcome: { kind: 'failed', failure: { status: 400 } } });
  expect(reportedFailures).toHaveLength(1);
  expect(await readChatRequestsJson(service)).not.toContain(secretText);
});

test('streamChat sends no request if the enclave’s public key is invalid', async () => {
  const service = await startTestService();
  const plainContext = createLocalContext(service);
  const guard = { kind: 'encrypted', checkedAt: 0, publicKey: '04' } as const;
  const protection = { guard: async () => guard, reportProtectionFailure: () => {} };
  const events = await Array.fromAsync(
    flattenBatches(streamChat({ ...plainContext, protection }, chatRequest, { signal })),
  );
  expect(events).toMatchObject([{ outcome: { failure: { code: 'protection-failed' } } }]);
  expect(await readChatRequestsJson(service)).toBe('[]');
});

test.each(['attested', 'none'] as const)(
  'streamChat sends an unencrypted chat and reports its protection if the protection of the model is "%s"',
  async (kind) => {
    const service = await startTestService();
    const guard = kind === 'none' ? { kind } : { kind, checkedAt: 3 };
    const protection = { guard: async () => guard, reportProtectionFailure: () => {} };
    const context = { ...createLocalContext(service), protection };
    const events = await Array.fromAsync(
      flattenBatches(streamChat(context, chatRequest, { signal })),
    );
    expect(events[0]).toMatchObject({ type: 'stream-start', protection: guard });
    expect(events.at(-2)).toEqual({ type: 'protection', protection: guard });
    expect(await readChatRequestsJson(service)).toContain('"enable_e2ee":false');
  },
);

test('a rejected encryption field never disables the encryption of a chat', async () => {
  const { context, requests } = createScriptedService({
    status: 400,
    body: ["Unrecognized key(s) in object: 'enable_e2ee', 'acme_parameters'"],
  });
  const publicKey =
    '0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8';
  const connection = new Connection();
  connection.recordField('parameters', false);
  connection.recordField('parameters.enable_e2ee', false);
  const events = await Array.fromAsync(
    flattenBatches(
      streamChat(
        {
          ...context,
          getEndpoint: async () => ({ ...(await context.getEndpoint()), connection }),
          protection: {
            guard: async () => ({ kind: 'encrypted', publicKey, checkedAt: 0 }),
            reportProtectionFailure: () => {},
          },
        },
        chatRequest,
        { signal },
      ),
    ),
  );
  expect(requests).toHaveLength(1);
  expect(JSON.parse(String(requests[0]?.body))).toMatchObject({
    acme_parameters: { enable_e2ee: true },
  });
  expect(events.at(-1)).toMatchObject({ outcome: { kind: 'failed' } });
});

test('an encrypted chat reports the rejection of its encryption field, and encrypts later requests without this field', async () => {
  const refusal = { status: 400, body: ["Unrecognized key(s) in object: 'enable_e2ee'"] };
  const { context, requests } = createScriptedService(refusal, { status: 402 });
  const publicKey =
    '0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8';
  const connection = new Connection();
  const encryptedContext: ServiceContext = {
    ...context,
    getEndpoint: async () => ({ ...(await context.getEndpoint()), connection }),
    protection: {
      guard: async () => ({ kind: 'encrypted', publicKey, checkedAt: 0 }),
      reportProtectionFailure: () => {},
    },
  };
  const collectEvents = () =>
    Array.fromAsync(flattenBatches(streamChat(encryptedContext, chatRequest, { signal })));
  expect((await collectEvents()).at(-1)).toMatchObject({
    outcome: {
      failure: {
        code: 'unsupported-option',
        message: 'This service does not support this option: the field that requests encryption.',
        refusedField: 'parameters.enable_e2ee:true',
      },
    },
  });
  expect(requests).toHaveLength(1);
  connection.omitField('parameters.enable_e2ee:true');
  await collectEvents();
  const body = String(requests[1]?.body);
  expect(body).not.toContain('enable_e2ee');
  expect(body).not.toContain(secretText);
  expect(requests[1]?.headers).toHaveProperty('x-acme-tee-client-pub-key');
});
