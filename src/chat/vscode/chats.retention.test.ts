import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as vscode from 'vscode';
import { createUserMessage } from '../../../test/support/conversation-builder.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import { encodeRecords } from '../../conversation/journal.ts';
import type { Host } from '../../host.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import { createFile } from '../../platform/atomic-file.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { Chats } from './chats.ts';

const retentionSettings = vi.hoisted(() => ({
  values: {} as Record<string, unknown>,
  tabs: [] as unknown[],
  purges: 0,
}));

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  window: {
    onDidChangeWindowState: () => ({ dispose: () => {} }),
    tabGroups: {
      get all() {
        return [{ tabs: retentionSettings.tabs }];
      },
    },
  },
  TabInputWebview: class {
    readonly viewType = 'mainThreadWebview-inferenceService.chatEditor';
  },
  workspace: {
    getConfiguration: () => ({
      inspect: (name: string) => ({ globalValue: retentionSettings.values[name], defaultValue: 0 }),
    }),
    onDidChangeConfiguration: () => ({ dispose: () => {} }),
  },
  Uri: {
    joinPath: ({ fsPath }: { fsPath: string }, name: string) => ({ fsPath: join(fsPath, name) }),
  },
}));

const dayMs = 24 * 60 * 60 * 1_000;
let storagePath: string;
let chats: Chats | undefined;

beforeEach(async () => {
  retentionSettings.tabs = [];
  retentionSettings.purges = 0;
  storagePath = await mkdtemp(join(tmpdir(), 'chats-'));
  for (const [id, days] of [
    ['new', 1],
    ['old', 40],
    ['pinned', 40],
  ] as const)
    await storeChat(id, Date.now() - days * dayMs);
});

afterEach(async () => {
  chats?.dispose();
  await rm(storagePath, { recursive: true, force: true });
});

async function storeChat(id: string, time: number): Promise<void> {
  const message = { ...createUserMessage('u1', null, id), createdAt: time };
  const start = { type: 'conversation-start', version: 1, id, at: time, folder: null } as const;
  await createFile(
    join(storagePath, 'conversations', `${id}.jsonl`),
    encodeRecords([start, { type: 'title-set', title: id }, { type: 'message-add', message }]),
  );
}

function openChats(days: number): Chats {
  retentionSettings.values = { 'inferenceService.chat.retentionDays': days };
  const globalState = {
    get: (key: string) => (key === 'chat.pinned' ? ['pinned'] : undefined),
    update: () => Promise.resolve(),
  };
  const host = {
    account: {},
    context: { globalStorageUri: { fsPath: storagePath }, globalState },
    log: { error: (_: string, error: unknown) => expect.fail(String(error)) },
  } as unknown as Host;
  const agents = {
    removeConversationData: () => Promise.resolve(),
    removeDeleted: async () => void (retentionSettings.purges += 1),
  } as unknown as Agents;
  chats = new Chats(host, agents, {} as LazyChatImages);
  return chats;
}

const listChatIds = async (openedChats: Chats): Promise<readonly string[]> =>
  (await openedChats.files.list()).map(({ id }) => id).toSorted();

test('Chats deletes chats that are older than the retention setting, except pinned ones', async () => {
  const openedChats = openChats(30);
  await eventually(async () => expect(await listChatIds(openedChats)).toEqual(['new', 'pinned']));
});

test('Chats does not delete the chat that another window showed most recently, even if the chat is old', async () => {
  await storeChat('shown', Date.now() - 40 * dayMs);
  await createFile(join(storagePath, 'current', 'another-workspace'), 'shown');
  const openedChats = openChats(30);
  await eventually(async () =>
    expect(await listChatIds(openedChats)).toEqual(['new', 'pinned', 'shown']),
  );
});

test('Chats does not delete an old chat whose editor tab is not restored yet', async () => {
  await storeChat('old-too', Date.now() - 40 * dayMs);
  retentionSettings.tabs = [{ label: 'old', input: new vscode.TabInputWebview('') }];
  const openedChats = openChats(30);
  await eventually(async () =>
    expect(await listChatIds(openedChats)).toEqual(['new', 'old', 'pinned']),
  );
});

test('Chats deletes no chat while it is unknown which chat an editor tab shows', async () => {
  retentionSettings.tabs = [{ label: 'Renamed elsewhere', input: new vscode.TabInputWebview('') }];
  const openedChats = openChats(30);
  const listSpy = vi.spyOn(openedChats.files, 'list');
  await eventually(() => expect(listSpy).toHaveResolved());
  expect(await listChatIds(openedChats)).toEqual(['new', 'old', 'pinned']);
});

test('Chats deletes old chats while an editor tab shows an empty chat', async () => {
  retentionSettings.tabs = [{ label: 'New Chat', input: new vscode.TabInputWebview('') }];
  const openedChats = openChats(30);
  await eventually(async () => expect(await listChatIds(openedChats)).toEqual(['new', 'pinned']));
});

test.each(['drafts', 'attached', 'queued'])(
  'Chats does not delete an old chat with unsent content in the folder %s',
  async (folder) => {
    await storeChat('unsent', Date.now() - 40 * dayMs);
    await createFile(join(storagePath, folder, 'unsent'), 'text');
    const openedChats = openChats(30);
    await eventually(async () =>
      expect(await listChatIds(openedChats)).toEqual(['new', 'pinned', 'unsent']),
    );
  },
);

test('Chats deletes no chat by default', async () => {
  const openedChats = openChats(0);
  await openedChats.openCurrentChat();
  expect(await listChatIds(openedChats)).toEqual(['new', 'old', 'pinned']);
});

test('Chats deletes all chats permanently, including damaged chats', async () => {
  await writeFile(join(storagePath, 'conversations', 'bad.jsonl'), 'not a record\n');
  const openedChats = openChats(0);
  await openedChats.removeAll();
  expect(await readdir(join(storagePath, 'conversations'))).toEqual([]);
  expect(retentionSettings.purges).toBe(1);
});

test('Chats deletes all chats, unsent texts and unused media files, but keeps the unsent text of a chat that another window shows', async () => {
  const texts = [
    ['drafts', 'unsent'],
    ['attached', 'unsent'],
    ['queued', 'queued'],
    ['drafts', 'elsewhere'],
  ] as const;
  for (const [folder, id] of texts) await createFile(join(storagePath, folder, id), 'secret');
  await createFile(join(storagePath, 'current', 'another-workspace'), 'elsewhere');
  await createFile(join(storagePath, 'media', `${'a'.repeat(64)}.png`), 'pixels');
  const openedChats = openChats(0);
  expect((await openedChats.listIds()).toSorted()).toEqual([
    'new',
    'old',
    'pinned',
    'queued',
    'unsent',
  ]);
  await openedChats.removeAll();
  const listFileNames = (folder: string) => readdir(join(storagePath, folder));
  expect(await listFileNames('drafts')).toEqual(['elsewhere']);
  expect([
    await listFileNames('attached'),
    await listFileNames('queued'),
    await listFileNames('media'),
  ]).toEqual([[], [], []]);
});
