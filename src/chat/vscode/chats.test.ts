import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createUserMessage } from '../../../test/support/conversation-builder.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import type { Host } from '../../host.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import { getWorkspaceId } from '../../platform/window.ts';
import { Chats } from './chats.ts';

const disk = vi.hoisted(() => ({ failingPathEnd: '' }));
const storedLevel = vi.hoisted(() => ({ value: 'applyEdits' }));

/**
 * Replaces `readFile`. Reading a file fails if its path ends with `disk.failingPathEnd`. If this text is empty, no read
 * fails.
 */
vi.mock('node:fs/promises', () => {
  const realFs = process.getBuiltinModule('node:fs').promises;
  const readFile = async (path: string, encoding: 'utf8') => {
    if (disk.failingPathEnd !== '' && path.endsWith(disk.failingPathEnd))
      throw Object.assign(new Error('input/output error'), { code: 'EIO' });
    return realFs.readFile(path, encoding);
  };
  return { ...realFs, readFile };
});

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  window: { onDidChangeWindowState: () => ({ dispose: () => {} }) },
  workspace: {
    getConfiguration: () => ({
      inspect: () => ({ globalValue: storedLevel.value, defaultValue: 'applyEdits' }),
    }),
    onDidChangeConfiguration: () => ({ dispose: () => {} }),
  },
  Uri: {
    joinPath: ({ fsPath }: { fsPath: string }, name: string) => ({ fsPath: join(fsPath, name) }),
  },
}));

let storagePath: string;
let chats: Chats;

beforeEach(async () => {
  disk.failingPathEnd = '';
  storedLevel.value = 'applyEdits';
  storagePath = await mkdtemp(join(tmpdir(), 'chats-'));
  for (const name of ['drafts', 'current']) await mkdir(join(storagePath, name));
  await writeFile(join(storagePath, 'current', getWorkspaceId()), 'c1');
  await writeFile(join(storagePath, 'drafts', 'c1'), 'What next?');
  const globalState = { get: () => undefined, update: () => Promise.resolve() };
  const host = {
    account: {},
    context: { globalStorageUri: { fsPath: storagePath }, globalState },
    log: { error: () => {} },
    models: { allModels: [] },
  } as unknown as Host;
  const agents = {
    of: () => undefined,
    removeConversationData: () => Promise.resolve(),
    restoreConversationData: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  chats = new Chats(host, agents as unknown as Agents, {} as LazyChatImages);
});

afterEach(async () => {
  chats.dispose();
  await rm(storagePath, { recursive: true, force: true });
});

const startRecord = {
  type: 'conversation-start',
  version: 1,
  id: 'c1',
  at: 1,
  folder: null,
} as const;
const questionRecord = {
  type: 'message-add',
  message: createUserMessage('u1', null, 'Why?'),
} as const;

test('Chats opens a chat without messages and restores its draft', async () => {
  const chat = await chats.openCurrentChat();
  expect([chat.id, chat.draft]).toEqual(['c1', 'What next?']);
});

test('Chats opens a chat without messages and restores its queued messages', async () => {
  await writeFile(join(storagePath, 'drafts', 'c1'), '');
  await mkdir(join(storagePath, 'queued'));
  const message = { id: 'q1', text: 'What next?', attachments: [], isUrgent: false };
  await writeFile(join(storagePath, 'queued', 'c1'), JSON.stringify([message]));
  const chat = await chats.openCurrentChat();
  expect([chat.id, chat.queue.messages]).toEqual(['c1', [message]]);
});

test('Chats creates one object for a chat without messages that two views open', async () => {
  const [firstChat, secondChat] = await Promise.all([
    chats.openCurrentChat(),
    chats.openOrCreate('c1'),
  ]);
  expect(firstChat).toBe(secondChat);
});

test('Chats opens an empty chat instead of an unreadable chat, and keeps the file and the draft of the unreadable chat', async () => {
  await chats.files.append('c1', [startRecord, questionRecord]);
  const path = join(storagePath, 'conversations', 'c1.jsonl');
  const previousText = await readFile(path, 'utf8');
  disk.failingPathEnd = 'c1.jsonl';
  const chat = await chats.openCurrentChat();
  expect(chat.id).not.toBe('c1');
  disk.failingPathEnd = '';
  expect(await readdir(join(storagePath, 'conversations'))).toEqual(['c1.jsonl']);
  expect(await readFile(path, 'utf8')).toBe(previousText);
  expect((await chats.open('c1'))?.draft).toBe('What next?');
});

test('Chats opens an empty chat instead of a chat from a newer version', async () => {
  await mkdir(join(storagePath, 'conversations'), { recursive: true });
  const path = join(storagePath, 'conversations', 'c1.jsonl');
  await writeFile(path, '{"type":"conversation-start","version":2,"id":"c1"}\n');
  expect((await chats.openCurrentChat()).id).not.toBe('c1');
});

test('Chats stores the permission setting in a new chat, so that a later change of the setting does not affect the chat', async () => {
  storedLevel.value = 'ask';
  const { session } = chats.create();
  expect(session.conversation.permissionLevel).toBe('ask');
  storedLevel.value = 'runCommands';
  expect(session.conversation.permissionLevel).toBe('ask');
  expect(chats.create().session.conversation.permissionLevel).toBe('runCommands');
});

test('Chats opens a stored chat with the permission level of that chat', async () => {
  const storedRecord = { type: 'permissions-set', level: 'runCommands' } as const;
  await chats.files.append('c1', [startRecord, storedRecord, questionRecord]);
  storedLevel.value = 'ask';
  expect((await chats.open('c1'))?.session.conversation.permissionLevel).toBe('runCommands');
});

test('Chats stores the permission setting at the next turn of an older chat', async () => {
  await chats.files.append('c1', [startRecord, questionRecord]);
  storedLevel.value = 'ask';
  const session = (await chats.open('c1'))?.session;
  expect(session?.conversation.permissionLevel).toBeUndefined();
  // Without an agent, the turn fails after it has stored the level.
  await session?.send('And now?', []).catch(() => {});
  storedLevel.value = 'runCommands';
  expect(session?.conversation.permissionLevel).toBe('ask');
});

test('Chats restores the draft, the attachments and the queued messages of a deleted chat', async () => {
  await chats.files.append('c1', [startRecord, questionRecord]);
  const chat = await chats.open('c1');
  const attachment = { id: 'a1', kind: 'file', label: 'a.ts', language: 'ts', text: 'x' } as const;
  const message = { id: 'q1', text: 'And then?', attachments: [], isUrgent: false };
  chat?.attach(attachment);
  chat?.queue.addMessage(message);
  await chats.remove('c1');
  const restoredChat = await chats.restore('c1');
  expect(restoredChat).not.toBe(chat);
  expect([restoredChat?.draft, restoredChat?.attachments, restoredChat?.queue.messages]).toEqual([
    'What next?',
    [attachment],
    [message],
  ]);
});

test('Chats deletes the unsent text of a deleted chat from the disk', async () => {
  await chats.files.append('c1', [startRecord, questionRecord]);
  await chats.remove('c1');
  await chats.close();
  expect(await readdir(join(storagePath, 'drafts'))).toEqual([]);
});

test('Chats keeps the draft of another window that has kept a deleted chat', async () => {
  await chats.files.append('c1', [startRecord, questionRecord]);
  await chats.remove('c1');
  await chats.files.restore('c1');
  expect((await chats.restore('c1'))?.draft).toBe('');
});

test('Chats stores nothing for a deleted chat to which a file or text is added late', async () => {
  const chat = chats.create();
  await chats.remove(chat.id);
  chat.attach({ id: 'a1', kind: 'file', label: 'a.ts', language: 'ts', text: 'x' });
  chat.restoreToDraft('Late text');
  await chats.close();
  expect(await chats.listSummaries()).toEqual([]);
});

test('Chats does not list a chat whose draft is blank', async () => {
  chats.saveDraft(chats.create().id, ' \n');
  await chats.close();
  expect(await chats.listSummaries()).toEqual([]);
});

test('Chats lists a chat without messages that has a draft, and opens the chat', async () => {
  const { id } = chats.create();
  chats.saveDraft(id, 'Unsent\ntext');
  chats.create();
  await chats.close();
  const [summary, ...otherSummaries] = await chats.listSummaries();
  expect(summary).toMatchObject({ id, title: '', text: 'Unsent\ntext', snippet: 'Unsent text' });
  expect(Date.now() - (summary?.updatedAt ?? 0)).toBeLessThan(60_000);
  expect(otherSummaries).toEqual([]);
  expect((await chats.open(id))?.draft).toBe('Unsent\ntext');
});

test('Chats deletes and restores a chat without messages that has a draft', async () => {
  const { id } = chats.create();
  chats.saveDraft(id, 'Unsent text');
  await chats.remove(id);
  expect(await chats.listSummaries()).toEqual([]);
  expect(await chats.open(id)).toBeUndefined();
  expect((await chats.restore(id))?.draft).toBe('Unsent text');
  expect((await chats.listSummaries()).map((summary) => summary.id)).toEqual([id]);
});
