import { beforeEach, expect, test, vi } from 'vitest';
import { Emitter } from '../../base/event.ts';
import { ChatEditors, ChatNotifier } from './panels.ts';

const windowState = vi.hoisted(() => ({ messages: [] as string[], pages: [] as unknown[] }));

vi.mock('./chat-page.ts', async () => {
  const { Emitter: PageEmitter } = await import('../../base/event.ts');
  return {
    ChatWebview: class {
      readonly emitter = new PageEmitter<unknown>();
      readonly onDidShow = this.emitter.event;
      readonly options: unknown;
      constructor(options: unknown) {
        this.options = options;
        windowState.pages.push(this);
      }
      dispose(): void {}
    },
  };
});

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  version: '1.110.0',
  ThemeIcon: Object,
  ViewColumn: { Active: -1 },
  window: {
    state: { focused: true },
    onDidChangeWindowState: () => ({ dispose: () => {} }),
    showInformationMessage: async (message: string) => void windowState.messages.push(message),
    createWebviewPanel: () => ({
      ...{ webview: {}, dispose: () => {} },
      onDidChangeViewState: () => ({ dispose: () => {} }),
      onDidDispose: () => ({ dispose: () => {} }),
    }),
  },
  workspace: { getConfiguration: () => ({ inspect: () => ({ defaultValue: true }) }) },
}));

beforeEach(() => Object.assign(windowState, { messages: [], pages: [] }));

const createChat = (title: string) => ({ id: title, session: { conversation: { title } } });

test('ChatEditors creates pages in the style of editor tabs', () => {
  new ChatEditors({} as never).open(createChat('First') as never);
  expect(windowState.pages).toMatchObject([{ options: { isInTab: true } }]);
});

test('ChatEditors fires onDidChangeVisible when a tab shows another chat', () => {
  const editors = new ChatEditors({} as never);
  editors.open(createChat('First') as never);
  let changes = 0;
  editors.onDidChangeVisible(() => (changes += 1));
  const [page] = windowState.pages as { emitter: Emitter<unknown> }[];
  page?.emitter.fire(createChat('Second'));
  expect(changes).toBe(1);
});

test('ChatNotifier shows the title and the state of a chat in each notification', async () => {
  const onDidEndTurnEmitter = new Emitter<unknown>();
  const onDidChangePendingEmitter = new Emitter<string>();
  const badges: number[] = [];
  const none = () => ({ dispose: () => {} });
  const notifier = new ChatNotifier({
    agents: {
      onDidChangePending: onDidChangePendingEmitter.event,
      getConversationAgent: () => ({ pendingRequests: { items: [{}] } }),
    },
    chats: {
      onDidEndTurn: onDidEndTurnEmitter.event,
      onDidRemove: none,
      open: async (id: string) => createChat(id),
    },
    view: {
      isVisible: false,
      setBadge: (count: number) => badges.push(count),
      onDidChangeVisible: none,
    },
    editors: { visiblePages: [], chats: [], onDidChangeVisible: none },
    show: async () => {},
  } as never);
  onDidChangePendingEmitter.fire('Tests');
  onDidEndTurnEmitter.fire({ id: 'Docs', hasFailed: false });
  onDidEndTurnEmitter.fire({ id: 'Build', hasFailed: true });
  await new Promise((resolve) => setImmediate(resolve));
  expect(windowState.messages).toEqual([
    '“Tests” waits for your answer.',
    '“Docs” has finished.',
    '“Build” has failed.',
  ]);
  expect(badges).toEqual([1, 2, 3]);
  notifier.dispose();
});
