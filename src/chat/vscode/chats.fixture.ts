import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Host } from '../../host.ts';
import type { OpenChat } from './open-chat.ts';

/** Reply with a short streamed answer. */
export const answerReply = {
  body: ['data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n'],
};

/**
 * Creates an empty storage folder before each test. After each test, calls `close` and deletes the folder.
 * @returns a function that returns the path of the current folder
 */
export function useStorage(close: () => unknown): () => string {
  let storage: string;
  beforeEach(async () => {
    storage = await mkdtemp(join(tmpdir(), 'chats-'));
  });
  afterEach(async () => {
    await close();
    // A write that began before the end of the test can add a file while the folder is deleted.
    await rm(storage, { recursive: true, force: true, maxRetries: 5 });
  });
  return () => storage;
}

/**
 * Values in the fake `globalState`, by the path of the storage folder. Hosts with the same folder share the values.
 */
const storedStates = new Map<string, Map<string, unknown>>();

/**
 * Creates a host whose chats are stored in the folder `storage`. `members` are further members of the host that a
 * test needs.
 */
export function createChatsHost(storage: string, members: object): Host {
  const state = storedStates.get(storage) ?? new Map<string, unknown>();
  storedStates.set(storage, state);
  const globalState = {
    get: (key: string) => state.get(key),
    update: async (key: string, value: unknown) => void state.set(key, value),
  };
  const context = { globalStorageUri: { fsPath: storage }, globalState };
  return { context, log: { error: () => {} }, ...members } as unknown as Host;
}

/** Returns the texts of the user messages in the selected branch. */
export const listQuestions = ({ session }: OpenChat): readonly string[] =>
  session.conversation
    .listPath()
    .filter(({ role }) => role === 'user')
    .map(({ text }) => text);

/** Resolves when no turn runs and no queued message starts another turn. */
export async function waitUntilIdle({ session }: OpenChat): Promise<void> {
  do {
    await session.waitUntilSettled();
    await new Promise((resolve) => setImmediate(resolve));
  } while (session.runningAnswerId !== undefined);
}
