import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Agents } from '../../agent/vscode/agents.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import {
  createTextAnswer,
  createConversation,
  createUserMessage,
} from '../../../test/support/conversation-builder.ts';
import {
  connectToPlainServer,
  listSentBodies,
} from '../../../test/support/plain-server-context.ts';
import type { Answer, Message } from '../../conversation/conversation.ts';
import type { Host } from '../../host.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import type { Model } from '../../service/model-types.ts';
import type { Spending } from '../../service/chat/spending.ts';
import { readModel } from '../../service/read-model.ts';
import { Chats } from './chats.ts';
import { needsTitle, readTitle, selectUtilityModel, TitleGenerator } from './generated-title.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  window: { onDidChangeWindowState: () => ({ dispose: () => {} }) },
  workspace: {
    getConfiguration: () => ({
      inspect: (name: string) =>
        name === 'inferenceService.chat.generateTitles' ? { defaultValue: true } : {},
    }),
    onDidChangeConfiguration: () => ({ dispose: () => {} }),
  },
  Uri: {
    joinPath: ({ fsPath }: { fsPath: string }, name: string) => ({ fsPath: join(fsPath, name) }),
  },
}));

function createListedModel(id: string, price: number, spec: object = {}): Model {
  const pricing = { input: { usd: price }, output: { usd: price } };
  const model = readModel({ id, type: 'text', model_spec: { name: id, pricing, ...spec } });
  if (model === undefined) throw new Error('No model');
  return model;
}

const anonymizedFields = { privacy: 'anonymized' };
const openModel = createListedModel('open', 1, anonymizedFields);
const largeModel = createListedModel('large', 9, anonymizedFields);
const privateModel = createListedModel('secret', 5, { privacy: 'private' });
const enclaveModel = createListedModel('enclave', 8, {
  privacy: 'private',
  capabilities: { supportsTeeAttestation: true },
});
const encryptedModel = createListedModel('sealed', 9, {
  privacy: 'private',
  capabilities: { supportsTeeAttestation: true, supportsE2EE: true },
});
const allModels = [openModel, largeModel, privateModel, enclaveModel, encryptedModel];

test.each([
  ['an anonymized model', largeModel, 'open'],
  ['a private model', privateModel, 'secret'],
  ['a model in an enclave', enclaveModel, 'enclave'],
  ['an end-to-end encrypted model', encryptedModel, 'sealed'],
])(
  'selectUtilityModel, given a chat with %s, chooses a model that protects the chat no less',
  (_, currentModel, expected) => {
    expect(selectUtilityModel(allModels, currentModel).id).toBe(expected);
  },
);

test('selectUtilityModel prefers online models that do not reason and have no retirement date', () => {
  const reasoningModel = createListedModel('r', 0.1, {
    ...anonymizedFields,
    capabilities: { supportsReasoning: true },
  });
  const offlineModel = createListedModel('o', 0.1, { ...anonymizedFields, offline: true });
  const retiringModel = createListedModel('l', 0.1, {
    ...anonymizedFields,
    deprecation: { date: '2027-01-01T00:00:00Z' },
  });
  expect(
    selectUtilityModel([reasoningModel, offlineModel, retiringModel, openModel], largeModel).id,
  ).toBe('open');
  expect(selectUtilityModel([reasoningModel], largeModel).id).toBe('r');
  expect(selectUtilityModel([], largeModel).id).toBe('large');
});

test('selectUtilityModel chooses the current model unless the privacy of both models is known', () => {
  const modelWithoutPrivacy = createListedModel('silent', 1);
  const largeModelWithoutPrivacy = createListedModel('silent-large', 9);
  expect(selectUtilityModel([modelWithoutPrivacy, largeModel], largeModel).id).toBe('large');
  expect(
    selectUtilityModel(
      [openModel, privateModel, largeModelWithoutPrivacy],
      largeModelWithoutPrivacy,
    ).id,
  ).toBe('silent-large');
  expect(
    selectUtilityModel([modelWithoutPrivacy, largeModelWithoutPrivacy], largeModelWithoutPrivacy)
      .id,
  ).toBe('silent-large');
});

test('selectUtilityModel chooses the current model unless another model is known to be cheaper', () => {
  const modelWithoutPricing = createListedModel('free', 0, {
    ...anonymizedFields,
    pricing: undefined,
  });
  expect(selectUtilityModel([modelWithoutPricing, largeModel], largeModel).id).toBe('large');
  expect(selectUtilityModel([openModel, modelWithoutPricing], modelWithoutPricing).id).toBe('free');
  expect(
    selectUtilityModel([createListedModel('same', 9, anonymizedFields), largeModel], largeModel).id,
  ).toBe('large');
  expect(selectUtilityModel([largeModel, openModel], openModel).id).toBe('open');
});

test.each([
  ['only the title', 'Tides of the Moon', 'Tides of the Moon'],
  [
    'reasoning and quotation marks',
    '<think>Hm.</think>\n"Tides of the Moon."',
    'Tides of the Moon',
  ],
  ['a heading mark and a label', '## Title: Tides', 'Tides'],
  ['an invisible character', 'Ti\u{E0041}des', 'Tides'],
])('readTitle returns the title from an answer with %s', (_, text, expected) => {
  expect(readTitle(text)).toBe(expected);
});

test.each([
  ['no text', ''],
  ['two lines', 'First\nSecond'],
  ['30 words', 'word '.repeat(30)],
])('readTitle returns no title from an answer with %s', (_, text) => {
  expect(readTitle(text)).toBeUndefined();
});

test('needsTitle returns true only for a chat with one complete answer and a title derived from the user message', () => {
  const createNamedConversation = (title: string, ...messages: readonly Message[]) => {
    const conversation = createConversation(...messages);
    conversation.applyRecord({ type: 'title-set', title });
    return conversation;
  };
  const question = createUserMessage('u1', null, 'Why tides?');
  expect(
    needsTitle(createNamedConversation('Why tides?', question, createTextAnswer('a1', 'u1'))),
  ).toBe(true);
  expect(needsTitle(createNamedConversation('Mine', question, createTextAnswer('a1', 'u1')))).toBe(
    false,
  );
  const stoppedAnswer = { ...createTextAnswer('a1', 'u1'), status: 'stopped' } as const;
  expect(needsTitle(createNamedConversation('Why tides?', question, stoppedAnswer))).toBe(false);
  const laterMessages = [question, createTextAnswer('a1', 'u1'), createUserMessage('u2', 'a1')];
  expect(needsTitle(createNamedConversation('Why tides?', ...laterMessages))).toBe(false);
});

/** Answer with a tool call. The turn continues with another answer. */
const toolCallAnswer: Answer = {
  ...createTextAnswer('a1', 'u1', 'Reading tables.'),
  result: {
    toolCalls: [{ id: 't1', type: 'function', function: { name: 'read', arguments: '{}' } }],
  },
};

test('needsTitle returns true even if answers with tool calls precede the complete last answer', () => {
  const isTitleNeeded = (...messages: readonly Message[]) => {
    const conversation = createConversation(
      createUserMessage('u1', null, 'Why tides?'),
      ...messages,
    );
    conversation.applyRecord({ type: 'title-set', title: 'Why tides?' });
    return needsTitle(conversation);
  };
  expect(isTitleNeeded(toolCallAnswer, createTextAnswer('a2', 'a1'))).toBe(true);
  expect(isTitleNeeded(toolCallAnswer, createTextAnswer('a2', 'a1', ''))).toBe(true);
  expect(isTitleNeeded(toolCallAnswer)).toBe(false);
  expect(
    isTitleNeeded(toolCallAnswer, { ...createTextAnswer('a2', 'a1', ''), status: 'streaming' }),
  ).toBe(false);
  expect(isTitleNeeded({ ...toolCallAnswer, text: '' }, createTextAnswer('a2', 'a1', ''))).toBe(
    false,
  );
});

interface TitleRequest {
  readonly messages?: readonly Message[];
  /** Base URL of the service that the chat used. Default: the URL of the test server. */
  readonly baseUrl?: string;
}

/**
 * Requests a title. Returns the title, the body of the request, and the recorded spending. The body is undefined if
 * the server received no request.
 */
async function requestTitle({ messages, baseUrl }: TitleRequest = {}) {
  await using service = await connectToPlainServer({ kind: 'llamacpp' });
  const recordedRequests: unknown[] = [];
  const spending: Spending = {
    authorizeRequest: () => Promise.resolve(),
    recordSpending: ({ model, isBackground }) =>
      void recordedRequests.push({ model, isBackground }),
    releaseReservedPrice: () => {},
  };
  const conversation = createConversation(
    createUserMessage('u1', null, `Why tides? ${'x'.repeat(2_000)}`),
    ...(messages ?? [createTextAnswer('a1', 'u1', 'The moon.')]).map((message) =>
      message.role === 'assistant'
        ? { ...message, model: { id: 'large', name: 'Large' } }
        : message,
    ),
  );
  const models = { models: allModels };
  const host = { models, service: { ...service.context, spending } } as unknown as Host;
  const title = await new TitleGenerator(host).generate(conversation, {
    baseUrl: baseUrl ?? service.server.baseUrl,
    signal: new AbortController().signal,
  });
  return { title, recordedRequests, body: listSentBodies(service.server, '/chat/completions')[0] };
}

test('TitleGenerator sends short excerpts of the chat to the utility model in a background request for the title', async () => {
  const { body, recordedRequests } = await requestTitle();
  expect(body).toMatchObject({ model: 'open' });
  expect(JSON.stringify(body).length).toBeLessThan(2_000);
  expect(recordedRequests).toEqual([{ model: 'open', isBackground: true }]);
});

test.each([
  ['The moon.', 'The moon.'],
  ['', 'Reading tables.'],
])(
  'TitleGenerator requests the title for the last text of a turn whose answer after the tool calls is %j',
  async (text, expected) => {
    const { body } = await requestTitle({
      messages: [toolCallAnswer, createTextAnswer('a2', 'a1', text)],
    });
    expect(JSON.stringify(body)).toContain(String.raw`<answer>\n${expected}\n</answer>`);
  },
);

test('TitleGenerator pauses the requests to a model that refuses them, and requests titles from other models', async () => {
  // The server refuses every prompt that is longer than the context of its model.
  await using service = await connectToPlainServer({ kind: 'llamacpp', context: 5 });
  const clock = new ManualClock();
  const host = { models: { models: allModels }, service: { ...service.context, clock } };
  const titleGenerator = new TitleGenerator(host as unknown as Host);
  const requestTitleFor = (id: string): Promise<string | undefined> =>
    titleGenerator.generate(
      createConversation(createUserMessage('u1', null, 'Why tides?'), {
        ...createTextAnswer('a1', 'u1', 'The moon.'),
        model: { id, name: id },
      }),
      { baseUrl: service.server.baseUrl, signal: new AbortController().signal },
    );
  const listRequestedModels = (): unknown[] =>
    listSentBodies(service.server, '/chat/completions').map(({ model }) => model);
  for (let count = 0; count < 3; count += 1) expect(await requestTitleFor('large')).toBeUndefined();
  expect(listRequestedModels()).toEqual(['open']);
  await requestTitleFor('secret');
  expect(listRequestedModels()).toEqual(['open', 'secret']);
  await clock.advance(30_000);
  await requestTitleFor('large');
  expect(listRequestedModels()).toEqual(['open', 'secret', 'open']);
});

test('TitleGenerator sends the request only to the base URL of the answer', async () => {
  expect(await requestTitle({ baseUrl: 'http://127.0.0.1:9/v1' })).toMatchObject({
    title: undefined,
    body: undefined,
  });
});

/**
 * Asks a question in each of two chats, and changes the profile when the first answer is complete. Returns the
 * questions for which titles were requested.
 */
async function collectTitledQuestions(
  change: (otherUrl: string) => Partial<Host['account']['profile']>,
): Promise<readonly string[]> {
  await using service = await connectToPlainServer({ kind: 'llamacpp' });
  await using otherService = await connectToPlainServer({ kind: 'llamacpp' });
  const storagePath = await mkdtemp(join(tmpdir(), 'titles-'));
  const account = {
    profile: { id: 'default', baseUrl: service.server.baseUrl },
    unencryptedOrigins: [],
    reportOutcome: () => {},
  };
  const getEndpoint = async () => ({
    ...(await service.context.getEndpoint()),
    baseUrl: new URL(account.profile.baseUrl),
  });
  const host = {
    account,
    context: {
      globalStorageUri: { fsPath: storagePath },
      globalState: { get: () => undefined, update: () => Promise.resolve() },
    },
    log: { error: () => {} },
    models: {
      models: [largeModel],
      allModels: [largeModel],
      chatModel: largeModel,
      find: () => largeModel,
    },
    service: { ...service.context, getEndpoint },
  } as unknown as Host;
  const agents = {
    of: () => undefined,
    getConversationAgent: () => ({ loadAgent: async () => undefined }),
    close: () => Promise.resolve(),
  } as unknown as Agents;
  const chats = new Chats(host, agents, {} as LazyChatImages);
  const listRequestedTexts = (): readonly string[] =>
    [service, otherService]
      .flatMap(({ server }) => listSentBodies(server, '/chat/completions'))
      .flatMap((body) => /<question>.*(Why \w+)/u.exec(JSON.stringify(body))?.[1] ?? []);
  chats.onDidAnswer(() => Object.assign(account.profile, change(otherService.server.baseUrl)));
  try {
    for (const question of ['Why tides', 'Why waves']) {
      const { session } = chats.create();
      await session.send(question, []);
      await session.waitUntilSettled();
    }
    await vi.waitUntil(() => listRequestedTexts().includes('Why waves'));
    return listRequestedTexts();
  } finally {
    await chats.close();
    await rm(storagePath, { recursive: true, force: true });
  }
}

test('Chats requests a title only if the connection has not changed since the answer', async () => {
  expect(await collectTitledQuestions(() => ({}))).toEqual(['Why tides', 'Why waves']);
  expect(await collectTitledQuestions(() => ({ id: 'work' }))).toEqual(['Why waves']);
  expect(await collectTitledQuestions((baseUrl) => ({ baseUrl }))).toEqual(['Why waves']);
});
