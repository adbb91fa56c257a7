import { afterEach, expect, test, vi } from 'vitest';
import { createUserMessage } from '../../../test/support/conversation-builder.ts';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import { getSelectedModel, selectModelOfChat } from '../../models/vscode/selected-model.ts';
import type { Model } from '../../service/model-types.ts';
import { readModel } from '../../service/read-model.ts';
import { vscodeStub } from './chats-vscode.fixture.ts';
import { answerReply, createChatsHost, useStorage, waitUntilIdle } from './chats.fixture.ts';
import { Chats } from './chats.ts';
import type { OpenChat } from './open-chat.ts';

vi.mock('vscode', async () => (await import('./chats-vscode.fixture.ts')).vscodeStub);

afterEach(() => {
  vi.restoreAllMocks();
});

const createModels = (...ids: readonly string[]): readonly Model[] =>
  ids.map((id) => readModel({ id, type: 'text', model_spec: { name: id } }) as Model);

const listedModels = createModels('oak', 'elm', 'fir');

/**
 * Fake model catalog. All connections have the same model list, but each connection has its own last selected model.
 */
class FakeCatalog {
  profileId = 'c1';
  allModels = listedModels;
  readonly #selectedModels = new Map<string, string>();

  /** Ids of listed models that the user may not select. */
  excludedModelIds: readonly string[] = [];

  get models(): readonly Model[] {
    return this.allModels.filter(({ id }) => !this.excludedModelIds.includes(id));
  }

  get selectedName(): string | undefined {
    return this.#selectedModels.get(this.profileId);
  }

  get chatModel(): Model | undefined {
    return this.find(this.selectedName ?? '') ?? this.allModels[0];
  }

  find(id: string): Model | undefined {
    return this.allModels.find((model) => model.id === id);
  }

  async refresh(): Promise<void> {
    this.allModels = listedModels;
  }

  async selectChatModel(id: string): Promise<void> {
    this.#selectedModels.set(this.profileId, id);
  }
}

let chats: Chats;
const getStorage = useStorage(() => chats.close());

/** Opens the chats of a window. Returns a function that lists the models of the requests sent so far. */
function openChats(catalog: FakeCatalog): () => readonly unknown[] {
  const { context, requests } = createScriptedService(answerReply);
  const host = createChatsHost(getStorage(), {
    account: {
      profile: { id: 'c1', baseUrl: 'https://api.service.test/api/v1' },
      unencryptedOrigins: [],
      reportOutcome: () => {},
    },
    models: catalog,
    service: context,
  });
  const agent = { loadAgent: () => Promise.resolve(undefined) };
  const agents = { getConversationAgent: () => agent, close: () => Promise.resolve() };
  chats = new Chats(host, agents as unknown as Agents, {} as LazyChatImages);
  return () => requests.map(({ body }) => (JSON.parse(String(body)) as { model: string }).model);
}

async function sendText(chat: OpenChat | undefined, text = 'Why?'): Promise<void> {
  if (chat === undefined) return expect.fail('The chat does not open.');
  await chat.session.send(text, []);
  await waitUntilIdle(chat);
}

test('each of two chats sends requests to its own model, regardless of which model was selected last', async () => {
  const models = new FakeCatalog();
  const listRequestedModels = openChats(models);
  const [firstChat, secondChat] = [chats.create(), chats.create()];
  await selectModelOfChat(models, firstChat.session, 'elm');
  await selectModelOfChat(models, secondChat.session, 'fir');
  for (const chat of [firstChat, secondChat, firstChat]) await sendText(chat);
  expect(listRequestedModels()).toEqual(['elm', 'fir', 'elm']);
});

test('a new chat uses the model that was selected last in any chat', async () => {
  const models = new FakeCatalog();
  const listRequestedModels = openChats(models);
  await selectModelOfChat(models, chats.create().session, 'elm');
  await sendText(chats.create());
  expect(listRequestedModels()).toEqual(['elm']);
});

test('a chat keeps the model of its first turn after the user selects another model in another chat', async () => {
  const models = new FakeCatalog();
  const listRequestedModels = openChats(models);
  const chat = chats.create();
  await sendText(chat);
  await selectModelOfChat(models, chats.create().session, 'fir');
  await sendText(chat);
  expect(listRequestedModels()).toEqual(['oak', 'oak']);
});

test('a chat uses its own model after a restart', async () => {
  const models = new FakeCatalog();
  openChats(models);
  const { id, session } = chats.create();
  await selectModelOfChat(models, session, 'elm');
  await session.send('Why?', []);
  await chats.close();
  await models.selectChatModel('fir');
  const listRequestedModels = openChats(models);
  await sendText(await chats.open(id));
  expect(listRequestedModels()).toEqual(['elm']);
});

test('a chat uses its own model after a restart, even if the model list arrives later', async () => {
  const models = new FakeCatalog();
  openChats(models);
  const { id, session } = chats.create();
  await selectModelOfChat(models, session, 'elm');
  await session.send('Why?', []);
  await chats.close();
  await models.selectChatModel('fir');
  models.allModels = [];
  const listRequestedModels = openChats(models);
  await sendText(await chats.open(id));
  expect(listRequestedModels()).toEqual(['elm']);
});

test('a chat that an earlier version stored uses the model that was selected last', async () => {
  const models = new FakeCatalog();
  const listRequestedModels = openChats(models);
  const start = {
    type: 'conversation-start',
    version: 1,
    id: 'old1',
    at: 1,
    folder: null,
  } as const;
  const question = { type: 'message-add', message: createUserMessage('u1', null) } as const;
  await chats.files.append('old1', [start, question]);
  await models.selectChatModel('fir');
  await sendText(await chats.open('old1'));
  expect(listRequestedModels()).toEqual(['fir']);
});

test('a queued message keeps its model after the user selects another model in its chat', async () => {
  const models = new FakeCatalog();
  const listRequestedModels = openChats(models);
  const chat = chats.create();
  const turnEnded = chat.session.send('Why?', []);
  const model = getSelectedModel(models);
  chat.queue.addMessage({ id: 'q1', text: 'And now?', attachments: [], isUrgent: false, model });
  await selectModelOfChat(models, chat.session, 'fir');
  await turnEnded;
  await waitUntilIdle(chat);
  expect(listRequestedModels()).toEqual(['oak', 'oak']);
});

test.each([
  [
    'the connection has no access to the model of the chat',
    (models: FakeCatalog) => (models.excludedModelIds = ['elm']),
  ],
  [
    'the model of the chat belongs to another connection',
    (models: FakeCatalog) => (models.profileId = 'c2'),
  ],
])('a chat uses the model that was selected last if %s', async (_, change) => {
  const models = new FakeCatalog();
  const listRequestedModels = openChats(models);
  const chat = chats.create();
  await selectModelOfChat(models, chat.session, 'elm');
  change(models);
  await models.selectChatModel('fir');
  await sendText(chat);
  expect(listRequestedModels()).toEqual(['fir']);
});

test.each([
  [
    'a model with the same price and privacy',
    { privacy: 'private', usd: 1 },
    { id: 'fir', name: 'fir' },
  ],
  ['no model with a higher price', { privacy: 'private', usd: 2 }, undefined],
  ['no model with less privacy', { privacy: 'anonymized', usd: 1 }, undefined],
])(
  'a chat whose model is no longer listed after a restart sends no request and offers %s',
  async (_, { privacy, usd }, fallback) => {
    const createModel = (id: string, facts = { privacy: 'private', usd: 1 }): Model => {
      const pricing = { input: { usd: facts.usd }, output: { usd: facts.usd } };
      const spec = { name: id, privacy: facts.privacy, pricing };
      return readModel({ id, type: 'text', model_spec: spec }) as Model;
    };
    const models = new FakeCatalog();
    models.allModels = ['elm', 'fir'].map((id) => createModel(id));
    openChats(models);
    const { id, session } = chats.create();
    await selectModelOfChat(models, session, 'elm');
    await session.send('Why?', []);
    await chats.close();
    models.allModels = [createModel('fir', { privacy, usd })];
    await models.selectChatModel('fir');
    const listRequestedModels = openChats(models);
    const chat = await chats.open(id);
    await sendText(chat);
    expect(listRequestedModels()).toEqual([]);
    const head = chat?.session.conversation.head;
    expect(head).toMatchObject({ result: { failure: { code: 'model-not-found' } } });
    const offeredModel = head?.role === 'assistant' ? head.result.fallback : undefined;
    expect(offeredModel && { id: offeredModel.id, name: offeredModel.name }).toEqual(fallback);
  },
);

test.each([
  ['setting on, equal price', true, 1, ['fir']],
  ['setting off, equal price', false, 1, []],
  ['setting on, unknown price', true, undefined, []],
])(
  'a chat whose model was removed uses another model only if the setting permits it and the price is known: %s',
  async (_, isFallbackAutomatic, usd, expected) => {
    const createModel = (id: string, price: number | undefined): Model => {
      const pricing = price === undefined ? {} : { input: { usd: price }, output: { usd: price } };
      const spec = { name: id, privacy: 'private', pricing };
      return readModel({ id, type: 'text', model_spec: spec }) as Model;
    };
    const models = new FakeCatalog();
    models.allModels = [createModel('elm', 1), createModel('fir', usd)];
    vi.spyOn(vscodeStub.workspace, 'getConfiguration').mockReturnValue({
      inspect: (name: string) => ({
        defaultValue: isFallbackAutomatic && name === 'inferenceService.chat.automaticFallback',
      }),
    } as never);
    const listRequestedModels = openChats(models);
    const chat = chats.create();
    await selectModelOfChat(models, chat.session, 'elm');
    await sendText(chat);
    models.allModels = models.allModels.filter(({ id }) => id !== 'elm');
    await sendText(chat, 'And now?');
    expect(listRequestedModels().slice(1)).toEqual(expected);
  },
);

test('a failed answer of a chat with web search offers only models that can search the web', async () => {
  const createModel = (id: string, supportsWebSearch: boolean): Model => {
    const pricing = { input: { usd: 1 }, output: { usd: 1 } };
    const spec = { name: id, privacy: 'private', pricing, capabilities: { supportsWebSearch } };
    return readModel({ id, type: 'text', model_spec: spec }) as Model;
  };
  const models = new FakeCatalog();
  models.allModels = [
    createModel('elm', true),
    createModel('fir', false),
    createModel('oak', true),
  ];
  openChats(models);
  const { session } = chats.create();
  await selectModelOfChat(models, session, 'elm');
  await session.setOptions({ webSearch: 'auto' });
  await session.send('Why?', []);
  models.allModels = models.allModels.filter(({ id }) => id !== 'elm');
  await session.send('And now?', []);
  const { head } = session.conversation;
  expect(head?.role === 'assistant' && head.result.fallback?.id).toBe('oak');
});
