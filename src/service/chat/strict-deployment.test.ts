import { describe, expect, test } from 'vitest';
import { startStrictDeployment } from '../../../test/support/deployment-context.ts';
import { connectToPlainServer } from '../../../test/support/plain-server-context.ts';
import { runAfterReply, createSwitchedService } from '../../../test/support/switched-service.ts';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import type { ServiceContext } from '../http/client.ts';
import { Connection } from '../http/connection.ts';
import { toServiceError } from '../http/network-failure.ts';
import { listModels } from '../models.ts';
import { createChatCompletion } from './chat.ts';
import type { ChatEvent, ChatRequest } from './chat-types.ts';
import { streamCompletionBatches } from './completions.ts';
import type { ChatProtection } from './protection.ts';
import { streamChat } from './stream-chat.ts';

const chatPath = '/chat/completions';
const { signal } = new AbortController();

/** Streams an answer and returns its events. */
async function streamEvents(
  context: ServiceContext,
  fields: Partial<ChatRequest> = {},
  areOptionsChosen = true,
): Promise<readonly ChatEvent[]> {
  const request: ChatRequest = {
    model: 'maple-70b',
    messages: [{ role: 'user', content: 'What opened in the harbor?' }],
    ...fields,
  };
  const events: ChatEvent[] = [];
  for await (const batch of streamChat(context, request, { signal, areOptionsChosen }))
    events.push(...batch);
  return events;
}

const getOutcome = (events: readonly ChatEvent[]) => {
  const lastEvent = events.at(-1);
  return lastEvent?.type === 'stream-end' ? lastEvent.outcome : undefined;
};

const getFailure = (events: readonly ChatEvent[]) => {
  const outcome = getOutcome(events);
  return outcome?.kind === 'failed' ? outcome.failure : undefined;
};

const getCitations = (events: readonly ChatEvent[]) =>
  events.find((event) => event.type === 'citations')?.citations ?? [];

const searchParameters = {
  parameters: {
    enable_web_search: 'on',
    enable_web_citations: true,
    include_search_results_in_stream: true,
  },
} as const satisfies Partial<ChatRequest>;

const vendorPrefixes = ['acme', 'zephyr'] as const;

describe.each(vendorPrefixes)('a deployment with the vendor prefix "%s"', (word) => {
  test('answers the first request of a chat without options, whether the deployment accepts few or all fields', async () => {
    for (const shape of ['minimal', 'full'] as const) {
      await using server = await startStrictDeployment({ word, shape });
      expect(getOutcome(await streamEvents(server.context))).toMatchObject({ kind: 'complete' });
      expect(server.listRequests(chatPath)).toHaveLength(1);
    }
  });

  test('sends its vendor prefix with the model list, so that the first web search returns sources', async () => {
    await using server = await startStrictDeployment({ word, shape: 'full' });
    await listModels(server.context, { signal });
    expect(server.connection.vendorPrefix).toBe(word);
    const events = await streamEvents(server.context, searchParameters);
    expect(getCitations(events).length).toBeGreaterThan(0);
    expect(server.listRequests(chatPath).map(({ status }) => status)).toEqual([200]);
  });

  test('rejects the prefix `service` and names its own vendor prefix, so that the client repeats the search with this prefix', async () => {
    await using server = await startStrictDeployment({ word, shape: 'full' });
    const events = await streamEvents(server.context, searchParameters);
    expect(getCitations(events).length).toBeGreaterThan(0);
    expect(server.listRequests(chatPath).map(({ status }) => status)).toEqual([400, 200]);
  });

  test('replaces an outdated stored prefix with the prefix in its replies', async () => {
    await using server = await startStrictDeployment({ word, shape: 'full' });
    server.connection.recordVendorPrefix('outdated');
    const events = await streamEvents(server.context, searchParameters);
    expect(getCitations(events).length).toBeGreaterThan(0);
    expect(server.connection.vendorPrefix).toBe(word);
    expect(server.listRequests(chatPath).map(({ status }) => status)).toEqual([400, 200]);
  });

  test('rejects a web search if its vendor prefix is unknown, and the failure names the web search option', async () => {
    await using server = await startStrictDeployment({ word, shape: 'minimal' });
    const failure = getFailure(await streamEvents(server.context, searchParameters));
    expect(failure).toMatchObject({
      code: 'unsupported-option',
      status: 400,
      refusedField: 'parameters:enable_web_search',
      message: 'This service does not support this option: Web search.',
    });
    server.connection.omitField('parameters:enable_web_search');
    expect(getOutcome(await streamEvents(server.context, searchParameters))).toMatchObject({
      kind: 'complete',
    });
    expect(server.listRequests(chatPath).at(-1)?.body).not.toHaveProperty('service_parameters');
    const personaOptions = { parameters: { character_slug: 'pilot' } };
    expect(getFailure(await streamEvents(server.context, personaOptions))).toMatchObject({
      refusedField: 'parameters:character_slug',
    });
  });

  test('answers a chat that turns off the service’s system prompt, after one repetition without the rejected field', async () => {
    await using server = await startStrictDeployment({ word, shape: 'minimal' });
    const fields = { parameters: { include_system_prompt: false } };
    for (let count = 0; count < 2; count += 1)
      expect(getOutcome(await streamEvents(server.context, fields))).toMatchObject({
        kind: 'complete',
      });
    expect(server.listRequests(chatPath).map(({ status }) => status)).toEqual([400, 200, 200]);
  });

  test('answers a chat that uses the service’s system prompt and contains no field for this prompt', async () => {
    await using server = await startStrictDeployment({ word, shape: 'minimal' });
    expect(getOutcome(await streamEvents(server.context, { parameters: {} }))).toMatchObject({
      kind: 'complete',
    });
    expect(server.listRequests(chatPath).map(({ status }) => status)).toEqual([200]);
  });

  test('answers requests with optional fields that the extension chose, and receives each rejected field only once', async () => {
    const fields = { ...searchParameters, prompt_cache_key: 'file' };
    for (const shape of ['minimal', 'full'] as const) {
      await using server = await startStrictDeployment({ word, shape });
      for (let count = 0; count < 3; count += 1) {
        const events = await streamEvents(server.context, fields, false);
        expect(getOutcome(events)).toMatchObject({ kind: 'complete' });
      }
      const statuses = server.listRequests(chatPath).map(({ status }) => status);
      expect(statuses.slice(-2)).toEqual([200, 200]);
    }
  });

  test('receives all vendor parameters except the rejected one', async () => {
    await using server = await startStrictDeployment({ word, shape: 'minimal' });
    server.connection.recordVendorPrefix(word);
    const events = await streamEvents(server.context, searchParameters);
    expect(getOutcome(events)).toMatchObject({ kind: 'complete' });
    expect(server.listRequests(chatPath).at(-1)?.body).toMatchObject({
      [`${word}_parameters`]: { enable_web_search: 'on', enable_web_citations: true },
    });
    expect(server.connection.facts.fields).toMatchObject({
      'parameters.include_search_results_in_stream': false,
      'parameters:enable_web_search': true,
    });
  });
});

test.each([
  ['minimal', 'one rejected request', [400, 200, 200]],
  ['full', 'no rejected request', [200, 200]],
] as const)(
  'two unprotected chats at a deployment with the "%s" set of accepted fields complete with %s',
  async (shape, _rejections, statuses) => {
    await using server = await startStrictDeployment({ word: 'acme', shape });
    server.connection.recordVendorPrefix('acme');
    const protection: ChatProtection = {
      guard: async () => ({ kind: 'none' }),
      reportProtectionFailure: () => {},
    };
    for (let count = 0; count < 2; count += 1) {
      const parameters = { disable_thinking: true };
      const events = await streamEvents({ ...server.context, protection }, { parameters });
      expect(getOutcome(events)).toMatchObject({ kind: 'complete' });
    }
    const sentRequests = server.listRequests(chatPath);
    expect(sentRequests.map(({ status }) => status)).toEqual(statuses);
    // Only the refused field is left out of the object.
    expect(sentRequests.at(-1)?.body?.['acme_parameters']).toEqual({
      disable_thinking: true,
      ...(shape === 'full' ? { enable_e2ee: false } : {}),
    });
  },
);

test('a connection still sends an option after a deployment rejected a value of the option', async () => {
  const refusal = { status: 400, body: ['{"error":"seed: Must be at most 4294967295"}'] };
  const { context } = createScriptedService(refusal);
  expect(getFailure(await streamEvents(context, { seed: 1 }))).toMatchObject({
    code: 'invalid-request',
  });
});

test('streamChat repeats a request without a field that a FastAPI server rejects with status 422, and does not count the rejection as a server failure', async () => {
  const refusal = {
    status: 422,
    body: [
      JSON.stringify({
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'prompt_cache_key'],
            msg: 'Extra inputs are not permitted',
          },
        ],
      }),
    ],
  };
  const reply = {
    body: ['data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'],
  };
  const answerPairs = Array.from({ length: 20 }, () => [refusal, reply]);
  const { context, requests } = createScriptedService(...answerPairs.flat());
  for (const _ of answerPairs) {
    const events = await streamEvents(context, { prompt_cache_key: 'file' });
    expect(getOutcome(events)).toMatchObject({ kind: 'complete' });
    expect(String(requests.at(-1)?.body)).not.toContain('prompt_cache_key');
  }
  expect(requests).toHaveLength(40);
});

test.each([
  ['stop', { stop: ['END'] }, 'Stop at'],
  ['seed', { seed: 7 }, 'Seed'],
  ['verbosity', { verbosity: 'low' } as const, 'Length of answers'],
  ['temperature', { temperature: 0.5 }, 'Temperature'],
  ['top_p', { top_p: 0.5 }, 'Top P'],
  ['reasoning_effort', { reasoning_effort: 'low' } as const, 'Reasoning effort'],
])(
  'a chat failure names the option %s if the model family rejects the option',
  async (name, options, label) => {
    const message = `Unsupported parameter: '${name}' is not supported with this model.`;
    const refusal = { status: 400, body: [JSON.stringify({ error: { message, param: name } })] };
    const { context, requests } = createScriptedService(refusal);
    expect(getFailure(await streamEvents(context, options))).toMatchObject({
      code: 'unsupported-option',
      message: `This service does not support this option: ${label}.`,
      connection: 'https://api.service.test/api/v1',
    });
    expect(requests).toHaveLength(1);
  },
);

/** Streams a chunk with these parameters, and returns the vendor prefix that the connection recorded. */
async function streamChunkWithParameters(parameters: object): Promise<string | undefined> {
  const fields = { acme_parameters: parameters };
  const chunk = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] };
  const body = [`data: ${JSON.stringify({ ...chunk, ...fields })}\n\n`, 'data: [DONE]\n\n'];
  const { context } = createScriptedService({
    headers: { 'content-type': 'text/event-stream' },
    body,
  });
  const connection = new Connection();
  const getEndpoint = async () => ({ ...(await context.getEndpoint()), connection });
  expect(getOutcome(await streamEvents({ ...context, getEndpoint }))).toMatchObject({
    kind: 'complete',
  });
  return connection.vendorPrefix;
}

test('streamChat reads the vendor prefix from a chunk whose parameters object contains two known fields', async () => {
  const parameters = { enable_web_search: 'on', disable_thinking: false };
  expect(await streamChunkWithParameters(parameters)).toBe('acme');
});

test.each([
  ['only one known field', { enable_web_search: 'on' }],
  ['one known and one unknown field', { enable_web_search: 'on', mood: 'good' }],
])(
  'streamChat reads no vendor prefix from a chunk whose parameters object contains %s',
  async (_description, parameters) => {
    expect(await streamChunkWithParameters(parameters)).toBeUndefined();
  },
);

test('a server that rejects tools twice receives only one repeated request', async () => {
  const refusal = { status: 400, body: ['{"error":"x does not support tools"}'] };
  const { context, requests } = createScriptedService(refusal);
  const tools = [{ type: 'function', function: { name: 'a', parameters: {} } }] as never;
  expect(getFailure(await streamEvents(context, { tools }))).toMatchObject({
    refusedPart: 'tools',
  });
  expect(requests).toHaveLength(2);
});

test('a field that a model rejects is still sent to other models', async () => {
  await using server = await startStrictDeployment({ shape: 'minimal' });
  const failure = getFailure(await streamEvents(server.context, { verbosity: 'low' }));
  expect(failure).toMatchObject({
    code: 'unsupported-option',
    refusedField: 'verbosity:maple-70b',
    message: 'This service does not support this option: Length of answers.',
  });
  server.connection.omitField('verbosity:maple-70b');
  const model = server.deployment.models['text']?.find((id) => id !== 'maple-70b') ?? '';
  expect(getFailure(await streamEvents(server.context, { verbosity: 'low', model }))).toMatchObject(
    {
      refusedField: `verbosity:${model}`,
    },
  );
});

test('rejected requests do not open the circuit breaker', async () => {
  await using server = await startStrictDeployment({ shape: 'minimal' });
  for (let count = 0; count < 30; count += 1) {
    const failure = getFailure(await streamEvents(server.context, { verbosity: 'low' }));
    expect(failure?.code).toBe('unsupported-option');
  }
});

const pdfBase64 = Buffer.from('%PDF-1.4').toString('base64');
const createDocumentRequest = (...filenames: readonly string[]) => ({
  messages: [
    {
      role: 'user' as const,
      content: [
        ...filenames.map((filename) => ({
          type: 'file' as const,
          file: { filename, file_data: `data:application/pdf;base64,${pdfBase64}` },
        })),
        { type: 'text' as const, text: 'When is high tide?' },
      ],
    },
  ],
});

test('streamChat sends a document to a service that accepts documents', async () => {
  await using server = await startStrictDeployment({ shape: 'full' });
  expect(
    getFailure(await streamEvents(server.context, createDocumentRequest('tide.pdf'))),
  ).toBeUndefined();
});

test('streamChat names a rejected document in the failure, and omits the document only after the user agreed', async () => {
  await using server = await startStrictDeployment({ shape: 'minimal' });
  const failure = getFailure(await streamEvents(server.context, createDocumentRequest('tide.pdf')));
  expect(failure).toMatchObject({
    code: 'unsupported-option',
    message: 'This service does not support this option: Documents: tide.pdf.',
    status: 400,
  });
  server.connection.omitField(failure?.refusedField ?? '');
  expect(
    getFailure(await streamEvents(server.context, createDocumentRequest('tide.pdf'))),
  ).toBeUndefined();
  expect(JSON.stringify(server.listRequests('/chat/completions').at(-1)?.body)).toContain(
    '[The document tide.pdf was left out: this service accepts no documents.]',
  );
  // Another document is not left out silently.
  const otherFailure = getFailure(
    await streamEvents(server.context, createDocumentRequest('tide.pdf', 'moon.pdf')),
  );
  expect(otherFailure?.message).toBe(
    'This service does not support this option: Documents: tide.pdf, moon.pdf.',
  );
});

describe('after the active service changes', () => {
  const request: ChatRequest = {
    model: 'maple-70b',
    messages: [{ role: 'user', content: 'What opened in the harbor?' }],
  };

  /** Returns a client whose active service changes while the protection of a chat is resolved. */
  async function createSwitchingClient() {
    const firstServer = await startStrictDeployment({ word: 'acme' });
    const secondServer = await startStrictDeployment({ word: 'zephyr' });
    const { context, switchProfile } = createSwitchedService(firstServer, secondServer);
    const protection: ChatProtection = {
      guard: async () => {
        switchProfile();
        return { kind: 'open' };
      },
      reportProtectionFailure: () => {},
    };
    return { context: { ...context, protection }, firstServer, secondServer };
  }

  test.each<readonly [string, (context: ServiceContext) => Promise<string | undefined>]>([
    ['a streamed chat', async (context) => getFailure(await streamEvents(context))?.code],
    [
      'a chat without streaming',
      (context) =>
        createChatCompletion(context, request, { signal }).then(
          () => undefined,
          (error: unknown) => toServiceError(error).failure.code,
        ),
    ],
    [
      'a text completion',
      async (context) => {
        const prompt = { model: 'maple-70b', prompt: 'def harbor():' };
        const batches = await Array.fromAsync(streamCompletionBatches(context, prompt, { signal }));
        return getFailure(batches.flat())?.code;
      },
    ],
  ])(
    '%s that was checked for the first service is not sent to another service',
    async (_kind, send) => {
      const { context, firstServer, secondServer } = await createSwitchingClient();
      await using _firstServer = firstServer;
      await using _secondServer = secondServer;
      expect(await send(context)).toBe('address-changed');
      expect([...firstServer.listRequests(''), ...secondServer.listRequests('')]).toEqual([]);
    },
  );

  test('a chat that the first service rejected is not repeated on the other service', async () => {
    await using plainConnection = await connectToPlainServer({ kind: 'ollama' });
    await using secondServer = await startStrictDeployment({ word: 'zephyr' });
    let activeContext = plainConnection.context;
    const switchedContext = {
      ...plainConnection.context,
      getEndpoint: () => activeContext.getEndpoint(),
    };
    const context = runAfterReply(switchedContext, chatPath, () => {
      activeContext = secondServer.context;
    });
    const tools = [
      { type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } },
    ] as const;
    const events = await streamEvents(context, { model: 'gemma3:270m', tools });
    expect(events).toContainEqual(expect.objectContaining({ type: 'part-refused' }));
    expect(getFailure(events)?.code).toBe('address-changed');
    expect(secondServer.listRequests('')).toEqual([]);
  });
});

test.each([400, 500])(
  'streamChat lists the documents in the error if llama.cpp refuses them with status %i, and sends no second request',
  async (status) => {
    const error = { code: status, message: 'unsupported content[].type', type: 'server_error' };
    const service = createScriptedService({ status, body: [JSON.stringify({ error })] });
    expect(
      getFailure(await streamEvents(service.context, createDocumentRequest('tide.pdf'))),
    ).toMatchObject({
      code: 'unsupported-option',
      message: 'This service does not support this option: Documents: tide.pdf.',
      refusedField: 'messages.file:tide.pdf',
    });
    expect(service.requests).toHaveLength(1);
  },
);
