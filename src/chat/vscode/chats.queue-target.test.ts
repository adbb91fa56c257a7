import { expect, test, vi } from 'vitest';
import {
  createScriptedService,
  type ScriptedAnswer,
} from '../../../test/support/scripted-transport.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import type { TurnAgent } from '../../agent/turn-agent.ts';
import {
  answerReply,
  createChatsHost,
  listQuestions,
  useStorage,
  waitUntilIdle,
} from './chats.fixture.ts';
import { Chats } from './chats.ts';
import type { OpenChat } from './open-chat.ts';

vi.mock('vscode', async () => (await import('./chats-vscode.fixture.ts')).vscodeStub);

const toolCall = { index: 0, id: 't0', function: { name: 'read', arguments: '{}' } };
const deltaJson = JSON.stringify({ choices: [{ delta: { tool_calls: [toolCall] } }] });
const toolCallReply = { body: [`data: ${deltaJson}\n\ndata: [DONE]\n\n`] };

const createModel = (id: string, privacy: string) =>
  ({ id, name: id, type: 'text', traits: [], capabilities: {}, privacy }) as const;
const listedModels = ['open-1', 'open-2', 'private-1'].map((id) =>
  createModel(id, id.startsWith('private') ? 'private' : 'anonymized'),
);
const firstProfile = { id: 'c1', baseUrl: 'https://api.service.test/api/v1' };
const secondProfile = { id: 'c2', baseUrl: 'https://other.test/api/v1' };

let chats: Chats;
const getStorage = useStorage(() => chats.close());

/** Opens a chat whose service sends these replies. `onCall` runs in place of the tool calls of an answer. */
function openChat(replies: readonly ScriptedAnswer[], onCall?: () => void) {
  const account = { profile: firstProfile, unencryptedOrigins: [], reportOutcome: () => {} };
  const host = createChatsHost(getStorage(), {
    account,
    models: {
      allModels: listedModels,
      models: listedModels,
      choices: {},
      find: (id: string) => listedModels.find((model) => model.id === id),
      refresh: () => Promise.resolve(),
    },
    service: createScriptedService(...replies).context,
  });
  const requestedModels: string[] = [];
  const agent: Partial<TurnAgent> = {
    buildRequest: ({ modelId }) => {
      requestedModels.push(modelId);
      return Promise.resolve({ model: modelId, messages: [] });
    },
    runCalls: () => Promise.resolve(onCall?.()).then(() => false),
    recordUsage: () => {},
    withdrawRequests: () => {},
  };
  const agents = {
    getConversationAgent: () => ({ loadAgent: () => Promise.resolve(onCall && agent) }),
    close: () => Promise.resolve(),
  } as unknown as Agents;
  chats = new Chats(host, agents, {} as LazyChatImages);
  return { chat: chats.create(), account, requestedModels };
}

const addMessage = ({ queue }: OpenChat, model: string): void =>
  queue.addMessage({
    id: 'q1',
    text: 'Next',
    attachments: [],
    isUrgent: false,
    model: { id: model, name: model },
  });

/**
 * Sends the first message of a chat to a model, and waits until the chat is idle. Calls `onText` when the answer
 * begins.
 */
async function sendFirstMessage(chat: OpenChat, model: string, onText: () => void): Promise<void> {
  const subscription = chat.session.onDidChange((change) => {
    if (change.type !== 'turn-event' || change.event.type !== 'text-delta') return;
    subscription.dispose();
    onText();
  });
  await chat.session.send('First', [], { id: model, name: model });
  await waitUntilIdle(chat);
}

test('a queued message is not sent automatically after a switch of the connection', async () => {
  const { chat, account } = openChat([answerReply]);
  const endedIds: string[] = [];
  chats.onDidEndTurn(({ id }) => endedIds.push(id));
  await sendFirstMessage(chat, 'open-1', () => {
    addMessage(chat, 'open-1');
    account.profile = secondProfile;
  });
  expect(listQuestions(chat)).toEqual(['First']);
  expect(chat.queue.messages.map(({ id }) => id)).toEqual(['q1']);
  expect(endedIds).toEqual([chat.id]);
  await chats.sendQueued(chat, 'q1');
  expect(listQuestions(chat)).toEqual(['First', 'Next']);
});

test('a message that was queued after a switch of the connection is sent when the turn is complete', async () => {
  const { chat, account } = openChat([answerReply]);
  await sendFirstMessage(chat, 'open-1', () => {
    account.profile = secondProfile;
    addMessage(chat, 'open-1');
  });
  expect(listQuestions(chat)).toEqual(['First', 'Next']);
});

test('a queued message is not sent if the connection changes during the consent prompt', async () => {
  const { chat, account } = openChat([answerReply]);
  addMessage(chat, 'open-1');
  const { session } = chat;
  const send = session.send.bind(session);
  vi.spyOn(session, 'send').mockImplementation(async (...input) => {
    account.profile = secondProfile;
    return send(...input);
  });
  await chats.sendQueued(chat, 'q1');
  expect(listQuestions(chat)).toEqual([]);
  expect(chat.queue.messages).toHaveLength(1);
});

test('a turn does not continue with an urgent message after a switch of the connection', async () => {
  const { chat, account } = openChat([toolCallReply, answerReply], () => {
    addMessage(chat, 'open-1');
    void chats.sendQueued(chat, 'q1');
    account.profile = secondProfile;
  });
  await sendFirstMessage(chat, 'open-1', () => {});
  expect(listQuestions(chat)).toEqual(['First']);
  expect(chat.queue.messages.map(({ isUrgent }) => isUrgent)).toEqual([false]);
});

test.each([
  ['open-1', 'open-1', ['open-1', 'open-1']],
  ['open-1', 'open-2', ['open-1', 'open-1']],
  ['private-1', 'open-1', ['private-1', 'private-1']],
  ['open-1', 'private-1', ['open-1']],
  ['open-1', 'unknown', ['open-1']],
])(
  'a turn of the model %s that receives an urgent message for the model %s sends requests to the models %j',
  async (runningModelId, selectedModelId, expected) => {
    let count = 0;
    const { chat, requestedModels } = openChat([toolCallReply, answerReply], () => {
      if ((count += 1) > 1) return;
      addMessage(chat, selectedModelId);
      void chats.sendQueued(chat, 'q1');
    });
    await sendFirstMessage(chat, runningModelId, () => {});
    expect(requestedModels).toEqual(expected);
  },
);

test('a message for a model with stronger protection is sent to that model after the turn', async () => {
  const { chat } = openChat([answerReply]);
  await sendFirstMessage(chat, 'open-1', () => {
    addMessage(chat, 'private-1');
    void chats.sendQueued(chat, 'q1');
  });
  expect(listQuestions(chat)).toEqual(['First', 'Next']);
  expect(chat.session.conversation.head).toMatchObject({ model: { id: 'private-1' } });
});

test('a turn does not continue with a queued message that was urgent when the user stopped an earlier turn', async () => {
  let count = 0;
  const { chat } = openChat([toolCallReply], () => {
    if ((count += 1) > 1) return;
    addMessage(chat, 'open-1');
    void chats.sendQueued(chat, 'q1');
    void chat.session.stop();
  });
  await sendFirstMessage(chat, 'open-1', () => {});
  expect(chat.queue.messages.map(({ isUrgent }) => isUrgent)).toEqual([false]);
  await chat.session.send('Second', [], { id: 'open-1', name: 'open-1' });
  await waitUntilIdle(chat);
  expect(count).toBe(2);
  expect(listQuestions(chat)).toEqual(['First', 'Second']);
});
