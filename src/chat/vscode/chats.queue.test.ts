import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createUserMessage } from '../../../test/support/conversation-builder.ts';
import {
  createScriptedService,
  type ScriptedAnswer,
} from '../../../test/support/scripted-transport.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import { priorities } from '../../service/http/rate-limit-queue.ts';
import type { QueuedMessage } from '../message-queue.ts';
import {
  answerReply,
  createChatsHost,
  listQuestions,
  useStorage,
  waitUntilIdle,
} from './chats.fixture.ts';
import { Chats } from './chats.ts';

vi.mock('vscode', async () => (await import('./chats-vscode.fixture.ts')).vscodeStub);

const refusalReply = { status: 401, body: ['{}'] };

let chats: Chats;
const getStorage = useStorage(() => chats.close());

/**
 * Opens the chats of a window whose service sends the replies. `loadAgent` loads the agent of each chat. By default,
 * the chats have no agent.
 */
function openChats(
  replies: readonly ScriptedAnswer[],
  loadAgent: () => Promise<unknown> = () => Promise.resolve(undefined),
  rateLimits?: unknown,
) {
  const { context, requests } = createScriptedService(...replies);
  const host = createChatsHost(getStorage(), {
    account: {
      profile: { baseUrl: 'https://api.service.test/api/v1' },
      unencryptedOrigins: [],
      reportOutcome: () => {},
    },
    models: { allModels: [], find: () => undefined, refresh: () => Promise.resolve() },
    service: { ...context, rateLimits },
  });
  const agents = {
    getConversationAgent: () => ({ loadAgent }),
    close: () => Promise.resolve(),
  };
  chats = new Chats(host, agents as unknown as Agents, {} as LazyChatImages);
  return requests;
}

const createMessage = (id: string): QueuedMessage => ({
  id,
  text: `Text of ${id}`,
  attachments: [],
  isUrgent: false,
});

test('Chats sends the next queued message after a complete turn', async () => {
  openChats([answerReply, answerReply]);
  const chat = chats.create();
  const turnEnded = chat.session.send('First', []);
  chat.queue.addMessage(createMessage('q1'));
  await turnEnded;
  await waitUntilIdle(chat);
  expect(listQuestions(chat)).toEqual(['First', 'Text of q1']);
});

test('Chats does not automatically send a message that was queued before a restart, even after a complete turn', async () => {
  await mkdir(join(getStorage(), 'queued'));
  await writeFile(join(getStorage(), 'queued', 'c1'), JSON.stringify([createMessage('q1')]));
  openChats([answerReply, answerReply]);
  const start = { type: 'conversation-start', version: 1, id: 'c1', at: 1, folder: null } as const;
  const question = { type: 'message-add', message: createUserMessage('u1', null, 'Why?') } as const;
  await chats.files.append('c1', [start, question]);
  const chat = await chats.open('c1');
  if (chat === undefined) return expect.fail('The chat does not open.');
  await chat.session.send('First', []);
  await waitUntilIdle(chat);
  expect(listQuestions(chat)).toEqual(['Why?', 'First']);
  await chats.sendQueued(chat, 'q1');
  expect(listQuestions(chat)).toEqual(['Why?', 'First', 'Text of q1']);
});

test('Chats does not automatically send a message that was queued during a failed turn, even after a complete turn', async () => {
  openChats([refusalReply, answerReply, answerReply]);
  const chat = chats.create();
  const turn = chat.session.send('First', []);
  chat.queue.addMessage(createMessage('q1'));
  chat.queue.prioritize('q1');
  await turn;
  expect(chat.queue.messages.map(({ isUrgent }) => isUrgent)).toEqual([false]);
  await chat.session.send('Second', []);
  await waitUntilIdle(chat);
  expect(listQuestions(chat)).toEqual(['First', 'Second']);
});

test('Chats does not automatically send a message that was queued during a stopped turn, and reports the end of the next turn', async () => {
  openChats([answerReply, answerReply]);
  const chat = chats.create();
  const turn = chat.session.send('First', []);
  chat.queue.addMessage(createMessage('q1'));
  await chat.session.stop();
  await turn;
  const endedTurns: unknown[] = [];
  chats.onDidEndTurn((turn) => endedTurns.push(turn));
  await chat.session.send('Second', []);
  await waitUntilIdle(chat);
  expect(listQuestions(chat)).toEqual(['First', 'Second']);
  expect(endedTurns).toEqual([{ id: chat.id, hasFailed: false }]);
});

test('a queued message that is removed during the consent prompt is not sent', async () => {
  openChats([answerReply]);
  const chat = chats.create();
  chat.queue.addMessage(createMessage('q1'));
  const { session } = chat;
  const send = session.send.bind(session);
  vi.spyOn(session, 'send').mockImplementation(async (...args) => {
    chat.queue.removeMessage('q1');
    return send(...args);
  });
  await chats.sendQueued(chat, 'q1');
  expect(session.conversation.isEmpty).toBe(true);
});

test('Chats fires `onDidEndTurn` once for a turn that ends with an internal error after its tool calls', async () => {
  const call = { index: 0, id: 't0', function: { name: 'read', arguments: '{}' } };
  const callsJson = JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] });
  openChats([{ body: [`data: ${callsJson}\n\ndata: [DONE]\n\n`] }], () =>
    Promise.resolve({
      request: () => Promise.resolve({ model: 'default', messages: [] }),
      runCalls: () => Promise.reject(new Error('Broken')),
      recordUsage: () => {},
    }),
  );
  const chat = chats.create();
  const endedTurns: unknown[] = [];
  chats.onDidEndTurn((turn) => endedTurns.push(turn));
  const turn = chat.session.send('First', []);
  chat.queue.addMessage(createMessage('q1'));
  await turn;
  expect(chat.session.conversation.head).toMatchObject({
    result: { failure: { code: 'internal-error' } },
  });
  expect(endedTurns).toEqual([{ id: chat.id, hasFailed: true }]);
  expect(chat.queue.nextMessage).toBeUndefined();
});

test('requests of a chat have the highest priority only while the user can see a page of the chat', async () => {
  const sentPriorities: number[] = [];
  const queue = {
    waitForTurn: async (getPriority: () => number) => void sentPriorities.push(getPriority()),
    addLimitedCall: () => () => {},
    findLimit: () => undefined,
  };
  openChats([answerReply, answerReply, answerReply], undefined, { get: () => queue });
  const chat = chats.create();
  await chat.session.send('No page', []);
  let isVisible = true;
  chat.attachPage(
    () => {},
    () => isVisible,
  );
  chat.attachPage(
    () => {},
    () => false,
  );
  await chat.session.send('Visible page', []);
  isVisible = false;
  await chat.session.send('Hidden pages', []);
  expect(sentPriorities).toEqual([priorities.other, priorities.visibleChat, priorities.other]);
});
