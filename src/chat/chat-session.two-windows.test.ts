import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../test/support/eventually.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { Conversation } from '../conversation/conversation.ts';
import { ConversationFiles } from '../conversation/vscode/conversation-files.ts';
import { acquireNamedLock } from '../platform/window-lock.ts';
import type { ChatEvent } from '../service/chat/chat-types.ts';
import { type ChatPorts, ChatSession } from './chat-session.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windows-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const startRecord = {
  type: 'conversation-start',
  version: 1,
  id: 'c1',
  at: 1,
  folder: null,
} as const;
const completeEvent: ChatEvent = {
  type: 'stream-end',
  outcome: { kind: 'complete', finishReason: 'stop' },
} as never;

/**
 * Simulates a window that shares the conversation files with other windows. `answers` are the streams that its
 * requests return.
 */
function openWindow(name: string, answers: readonly (() => AsyncIterable<ChatEvent>)[]) {
  const files = new ConversationFiles(join(folder, 'conversations'));
  const failures: unknown[] = [];
  const clock = new ManualClock();
  let [idCount, requestCount] = [0, 0];
  const ports: ChatPorts = {
    store: files,
    clock,
    createId: () => `${name}${++idCount}`,
    stream: async () => toBatches(answers[requestCount++]?.() ?? streamText('more')),
    getModel: () => ({ id: 'm', name: 'M' }),
    estimateCost: () => ({ usd: 0 }),
    reportRequestOutcome: () => {},
    logError: (_, error) => failures.push(error),
    lockAnswer: async (id, isResumed) => {
      const lock = await acquireNamedLock(join(folder, 'answering', 'c1'), id, isResumed);
      if (!isResumed || !(await files.isChangedElsewhere('c1'))) return lock;
      lock?.dispose();
      return undefined;
    },
    onStoreFailure: (error) => failures.push(error),
  };
  return {
    files,
    failures,
    clock,
    create: () => new ChatSession(new Conversation(startRecord), ports, [startRecord]),
    load: async () => new ChatSession((await files.load('c1'))!, ports),
  };
}

async function* toBatches(events: AsyncIterable<ChatEvent>): AsyncGenerator<readonly ChatEvent[]> {
  for await (const event of events) yield [event];
}

async function* streamText(text: string, waitPromise?: Promise<void>): AsyncGenerator<ChatEvent> {
  yield { type: 'text-delta', text };
  await waitPromise;
  yield completeEvent;
}

const readJournal = (): Promise<string> =>
  readFile(join(folder, 'conversations', 'c1.jsonl'), 'utf8');

/** Returns the ids of the answers that were continued, in the order of their records in the conversation file. */
const readResumedIds = async (): Promise<readonly unknown[]> =>
  (await readJournal())
    .split('\n')
    .filter((line) => line.includes('answer-resume'))
    .map((line) => (JSON.parse(line) as { id: unknown }).id);

test('a second window adds another answer instead of continuing the answer that streams in the first window', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const firstWindow = openWindow('a', [() => streamText('From the first.', promise)]);
  const session = firstWindow.create();
  const sendPromise = session.send('Hello', []);
  await waitUntil(async () => {
    await firstWindow.clock.advance(1_000);
    return (await readJournal()).includes('From the first.');
  });
  const secondWindow = openWindow('b', [() => streamText('From the second.')]);
  const otherSession = await secondWindow.load();
  const answerId = otherSession.conversation.head?.id ?? '';
  await otherSession.continue(answerId);
  resolve();
  await sendPromise;
  await Promise.all([session.waitUntilSettled(), otherSession.waitUntilSettled()]);
  expect(await readResumedIds()).toEqual([]);
  const storedConversation = await openWindow('c', []).files.load('c1');
  expect(storedConversation?.isDamaged).toBe(false);
  expect([...(storedConversation?.messages ?? [])].map(({ text }) => text)).toEqual([
    'Hello',
    'From the first.',
    'From the second.',
  ]);
});

test('a window adds another answer instead of continuing an answer that another window has changed', async () => {
  const firstWindow = openWindow('a', [
    async function* (): AsyncGenerator<ChatEvent> {
      yield { type: 'text-delta', text: 'Half' };
      yield {
        type: 'stream-end',
        outcome: { kind: 'failed', failure: { code: 'interrupted', message: 'x' } },
      };
    },
  ]);
  const session = firstWindow.create();
  await session.send('Hello', []);
  const [secondWindow, thirdWindow] = [openWindow('b', []), openWindow('c', [])];
  const [otherSession, staleSession] = [await secondWindow.load(), await thirdWindow.load()];
  const answerId = otherSession.conversation.head?.id ?? '';
  await otherSession.continue(answerId);
  await staleSession.continue(answerId);
  await Promise.all([otherSession.waitUntilSettled(), staleSession.waitUntilSettled()]);
  expect(await readResumedIds()).toEqual([answerId]);
});

test('a chat that another window deleted can be restored with all records', async () => {
  const firstWindow = openWindow('a', [() => streamText('One.'), () => streamText('Two.')]);
  const session = firstWindow.create();
  await session.send('First', []);
  await openWindow('b', []).files.remove('c1');
  await session.send('Second', []);
  expect(firstWindow.failures).toMatchObject([{ code: 'ENOENT' }]);
  await firstWindow.files.restore('c1');
  await session.retryWrites();
  const storedConversation = await openWindow('c', []).files.load('c1');
  expect(storedConversation?.listPath().map(({ text }) => text)).toEqual([
    'First',
    'One.',
    'Second',
    'Two.',
  ]);
});

test('a chat reports immediately that another window deleted the chat during an answer, and keeps the whole answer', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const firstWindow = openWindow('a', [() => streamInParts(['Before. ', 'After.'], promise)]);
  const session = firstWindow.create();
  const sendPromise = session.send('Hello', []);
  await waitUntil(async () => {
    await firstWindow.clock.advance(1_000);
    return (await readJournal()).includes('Before.');
  });
  await openWindow('b', []).files.remove('c1');
  resolve();
  await sendPromise;
  await session.waitUntilSettled();
  expect(firstWindow.failures).toMatchObject([{ code: 'ENOENT' }]);
  expect(session.conversation.head).toMatchObject({ text: 'Before. After.', status: 'complete' });
  // The user chooses Keep.
  await firstWindow.files.restore('c1');
  await session.retryWrites();
  const storedConversation = await openWindow('c', []).files.load('c1');
  expect(storedConversation?.isDamaged).toBe(false);
  expect(storedConversation?.listPath().map(({ text }) => text)).toEqual([
    'Hello',
    'Before. After.',
  ]);
});

async function* streamInParts(
  [firstText = '', secondText = '']: readonly string[],
  waitPromise: Promise<void>,
): AsyncGenerator<ChatEvent> {
  yield { type: 'text-delta', text: firstText };
  await waitPromise;
  yield { type: 'text-delta', text: secondText };
  yield completeEvent;
}
