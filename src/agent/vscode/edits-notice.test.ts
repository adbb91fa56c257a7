import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Memento } from 'vscode';
import { EditsNotice } from './edits-notice.ts';

const permissionLevel = vi.hoisted(() => ({ value: 'applyEdits' }));
const fakeWindow = vi.hoisted(() => ({
  showQuickPick: vi.fn<(items: readonly { level: string }[]) => Promise<unknown>>(),
  listeners: new Set<() => void>(),
}));

vi.mock('vscode', () => {
  const addListener = (listener: (event: unknown) => void) => {
    const callListener = (): void => listener({ affectsConfiguration: () => true });
    fakeWindow.listeners.add(callListener);
    return { dispose: () => fakeWindow.listeners.delete(callListener) };
  };
  return {
    ConfigurationTarget: { Global: 1 },
    l10n: { t: (text: string) => text },
    window: { showQuickPick: fakeWindow.showQuickPick, onDidChangeWindowState: addListener },
    workspace: {
      onDidChangeConfiguration: addListener,
      getConfiguration: () => ({
        inspect: () => ({ globalValue: permissionLevel.value, defaultValue: 'applyEdits' }),
        update: async (_: string, value: string) => {
          permissionLevel.value = value;
          notifyListeners();
        },
      }),
    },
  };
});

/** Notifies all listeners that a setting or the window changed. */
const notifyListeners = (): void => fakeWindow.listeners.forEach((listener) => listener());

const storedValues = new Map<string, unknown>();
const memento: Memento = {
  keys: () => [...storedValues.keys()],
  get: (key: string) => storedValues.get(key),
  update: (key: string, value: unknown) => Promise.resolve(void storedValues.set(key, value)),
};

beforeEach(() => {
  storedValues.clear();
  permissionLevel.value = 'applyEdits';
  fakeWindow.showQuickPick.mockReset();
  fakeWindow.listeners.clear();
});

/** Simulates the activation of the extension. Returns the new notice. */
async function activateNotice(hasChats: boolean): Promise<EditsNotice> {
  const notice = new EditsNotice(memento, () => Promise.resolve(hasChats));
  await Promise.resolve();
  await Promise.resolve();
  return notice;
}

describe('the notice about edits without approval', () => {
  test('is shown after an update if chats of an earlier version exist', async () => {
    expect((await activateNotice(true)).isDue).toBe(true);
  });

  test('is not shown after an activation without chats, even if chats exist later', async () => {
    expect((await activateNotice(false)).isDue).toBe(false);
    expect((await activateNotice(true)).isDue).toBe(false);
  });

  test('is not shown if the user selected "Ask before changes"', async () => {
    permissionLevel.value = 'ask';
    expect((await activateNotice(true)).isDue).toBe(false);
  });

  test('is never shown again after the user closes the notice', async () => {
    const notice = await activateNotice(true);
    const onChange = vi.fn();
    notice.onDidChange(onChange);
    await notice.close();
    expect(onChange).toHaveBeenCalledOnce();
    expect(notice.isDue).toBe(false);
    expect((await activateNotice(true)).isDue).toBe(false);
  });

  test('changes the permission level of the current chat and of new chats in one step', async () => {
    const notice = await activateNotice(true);
    fakeWindow.showQuickPick.mockImplementation(async (items) => items[0]);
    const setChatLevel = vi.fn(() => Promise.resolve());
    await notice.changeLevel(setChatLevel);
    expect(setChatLevel).toHaveBeenCalledWith('ask');
    expect(permissionLevel.value).toBe('ask');
    permissionLevel.value = 'applyEdits';
    expect(notice.isDue).toBe(false);
  });

  test('stays visible if the user selects no permission level', async () => {
    const notice = await activateNotice(true);
    const setChatLevel = vi.fn(() => Promise.resolve());
    await notice.changeLevel(setChatLevel);
    expect(setChatLevel).not.toHaveBeenCalled();
    expect(notice.isDue).toBe(true);
  });

  test('disappears and appears again when the user changes the permission setting', async () => {
    const notice = await activateNotice(true);
    const dueStates: boolean[] = [];
    notice.onDidChange(() => dueStates.push(notice.isDue));
    for (const value of ['ask', 'ask', 'runCommands']) {
      permissionLevel.value = value;
      notifyListeners();
    }
    expect(dueStates).toEqual([false, true]);
  });

  test('disappears after the user answers the notice in another window', async () => {
    const notice = await activateNotice(true);
    const otherWindowNotice = await activateNotice(true);
    const onChange = vi.fn();
    otherWindowNotice.onDidChange(onChange);
    await notice.close();
    notifyListeners();
    expect(otherWindowNotice.isDue).toBe(false);
    expect(onChange).toHaveBeenCalledOnce();
  });

  test('ignores changes of the setting after it is disposed', async () => {
    (await activateNotice(true)).dispose();
    expect(fakeWindow.listeners.size).toBe(0);
  });
});
