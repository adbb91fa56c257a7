import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type * as vscode from 'vscode';
import { removeStoredData } from './remove-stored-data.ts';

const editor = vi.hoisted(() => ({
  answer: undefined as string | undefined,
  commands: [''],
  detail: '',
}));

vi.mock('vscode', () => ({
  l10n: { t: (text: string, value = '') => text.replace('{0}', value) },
  window: {
    showWarningMessage: async (_: string, { detail }: { detail: string }) => {
      editor.detail = detail;
      return editor.answer;
    },
  },
  commands: { executeCommand: async (command: string) => void editor.commands.push(command) },
}));

let storage: string;
const recordedSteps: string[] = [];

beforeEach(async () => {
  Object.assign(editor, { answer: undefined, commands: [] });
  recordedSteps.length = 0;
  storage = await mkdtemp(join(tmpdir(), 'stored-'));
  await writeFile(join(storage, 'chat.jsonl'), '{}');
});
afterEach(() => rm(storage, { recursive: true, force: true }));

function createContext(): vscode.ExtensionContext {
  const createMemento = (name: string) => ({
    keys: () => ['a', 'b'],
    update: async (key: string, value: unknown) =>
      void recordedSteps.push(`${name} ${key} ${String(value)}`),
  });
  return {
    globalState: createMemento('global'),
    workspaceState: createMemento('workspace'),
    secrets: {
      keys: async () => ['key'],
      delete: async (key: string) => void recordedSteps.push(`secret ${key}`),
    },
    globalStorageUri: { fsPath: storage },
    storageUri: undefined,
  } as unknown as vscode.ExtensionContext;
}

const closeWorkspace = async (): Promise<void> => void recordedSteps.push('close');

test('removeStoredData removes nothing unless the user confirms', async () => {
  await removeStoredData(createContext(), closeWorkspace);
  expect([recordedSteps, editor.commands]).toEqual([[], []]);
  expect(existsSync(storage)).toBe(true);
});

test('removeStoredData names the accounts with unfinished stakes, if there are any', async () => {
  await removeStoredData(createContext(), closeWorkspace);
  expect(editor.detail).not.toContain('stake');
  await removeStoredData(createContext(), closeWorkspace, ['0xabab…abab']);
  expect(editor.detail).toContain('Unfinished stakes can’t be resumed here: 0xabab…abab.');
});

test('removeStoredData closes the chats, then removes secrets, states and folders, and reloads the window', async () => {
  editor.answer = 'Delete All';
  await removeStoredData(createContext(), closeWorkspace);
  expect(recordedSteps).toEqual([
    'close',
    'secret key',
    'global a undefined',
    'global b undefined',
    'workspace a undefined',
    'workspace b undefined',
  ]);
  expect(existsSync(storage)).toBe(false);
  expect(editor.commands).toEqual(['workbench.action.reloadWindow']);
});

test('removeStoredData reloads the window even if stored data could not be removed', async () => {
  editor.answer = 'Delete All';
  const context = createContext();
  Object.assign(context.secrets, { delete: () => Promise.reject(new Error('locked')) });
  await expect(removeStoredData(context, closeWorkspace)).rejects.toThrow('locked');
  expect(editor.commands).toEqual(['workbench.action.reloadWindow']);
  expect(existsSync(storage)).toBe(false);
});
