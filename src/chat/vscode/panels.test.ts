import { beforeEach, expect, test, vi } from 'vitest';
import { Emitter } from '../../base/event.ts';
import { ChatEditors, ChatNotifier } from './panels.ts';

const windowState = vi.hoisted(() => ({
  messages: [] as string[],
  pages: [] as unknown[],
  focused: true,
  pressed: undefined as string | undefined,
  disabledSettings: [] as string[],
}));

vi.mock('./chat-page.ts', async () => {
  const { Emitter: PageEmitter } = await import('../../base/event.ts');
  return {
    ChatWebview: class {
      readonly emitter = new PageEmitter<unknown>();
      readonly onDidShow = this.emitter.event;
      readonly options: unknown;
      readonly chat: unknown;
      constructor(options: unknown, chat: unknown) {
        this.options = options;
        this.chat = chat;
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
    state: windowState,
    onDidChangeWindowState: () => ({ dispose: () => {} }),
    showInformationMessage: async (message: string) => {
      windowState.messages.push(message);
      return windowState.pressed;
    },
    createWebviewPanel: () => ({
      ...{ webview: {}, dispose: () => {} },
      onDidChangeViewState: () => ({ dispose: () => {} }),
      onDidDispose: () => ({ dispose: () => {} }),
    }),
  },
  workspace: {
    getConfiguration: () => ({
      inspect: (name: string) => ({
        globalValue: !windowState.disabledSettings.includes(name.replace('inferenceService.', '')),
      }),
    }),
  },
}));

beforeEach(() =>
  Object.assign(windowState, {
    messages: [],
    pages: [],
    focused: true,
    pressed: undefined,
    disabledSettings: [],
  }),
);

const createChat = (title: string) => ({ id: title, session: { conversation: { title } } });

test('ChatEditors creates its chat pages in the style of editor tabs', () => {
  new ChatEditors({} as never).open(createChat('First') as never);
  expect(windowState.pages).toMatchObject([{ options: { isInTab: true } }]);
});

test('ChatEditors fires `onDidChangeVisible` when a tab shows another chat', () => {
  const editors = new ChatEditors({} as never);
  editors.open(createChat('First') as never);
  let changeCount = 0;
  editors.onDidChangeVisible(() => (changeCount += 1));
  const [page] = windowState.pages as { emitter: Emitter<unknown> }[];
  page?.emitter.fire(createChat('Second'));
  expect(changeCount).toBe(1);
});

test('ChatEditors restores the chat without messages of a tab after a reload', async () => {
  const chats = { openOrCreate: async (id: unknown) => ({ ...createChat('First'), id }) };
  const createSubscription = () => ({ dispose: () => {} });
  const panel = { onDidChangeViewState: createSubscription, onDidDispose: createSubscription };
  const editors = new ChatEditors({ chats } as never);
  await editors.deserializeWebviewPanel(panel as never, { conversation: 'c1' });
  expect(windowState.pages).toMatchObject([{ chat: { id: 'c1' } }]);
});

test('ChatNotifier shows the title and the state of a chat in each notification', async () => {
  const onDidEndTurnEmitter = new Emitter<unknown>();
  const onDidChangePendingEmitter = new Emitter<string>();
  const badges: number[] = [];
  const createSubscription = () => ({ dispose: () => {} });
  const notifier = new ChatNotifier({
    agents: {
      onDidChangePending: onDidChangePendingEmitter.event,
      getConversationAgent: () => ({ pendingRequests: { items: [{}] } }),
    },
    chats: {
      onDidEndTurn: onDidEndTurnEmitter.event,
      onDidRemove: createSubscription,
      open: async (id: string) => createChat(id),
    },
    view: {
      isVisible: false,
      setBadge: (count: number) => badges.push(count),
      onDidChangeVisible: createSubscription,
    },
    editors: { visiblePages: [], chats: [], onDidChangeVisible: createSubscription },
    openConversation: async () => {},
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

test.each<
  [string, Partial<typeof windowState>, { isVisible: boolean; isReady: boolean }, number[]]
>([
  ['a notification and a sound for a hidden chat', {}, { isVisible: false, isReady: true }, [1, 1]],
  [
    'neither a notification nor a sound while the user looks at the chat',
    {},
    { isVisible: true, isReady: true },
    [0, 0],
  ],
  [
    'a notification and a sound while the window has no focus',
    { focused: false },
    { isVisible: true, isReady: true },
    [1, 1],
  ],
  [
    'a notification but no sound if no page is loaded',
    {},
    { isVisible: false, isReady: false },
    [1, 0],
  ],
  [
    'a sound but no notification if a setting turns notifications off',
    { disabledSettings: ['chat.notify'] },
    { isVisible: false, isReady: true },
    [0, 1],
  ],
  [
    'a notification but no sound if a setting turns sounds off',
    { disabledSettings: ['chat.sound'] },
    { isVisible: false, isReady: true },
    [1, 0],
  ],
])(
  'ChatNotifier reports the end of a turn with %s',
  async (_, state, { isVisible, isReady }, expected) => {
    Object.assign(windowState, state, { pressed: 'Show' });
    const onDidEndTurnEmitter = new Emitter<unknown>();
    const createSubscription = () => ({ dispose: () => {} });
    const shownIds: string[] = [];
    let soundCount = 0;
    const notifier = new ChatNotifier({
      agents: { onDidChangePending: createSubscription },
      chats: {
        onDidEndTurn: onDidEndTurnEmitter.event,
        onDidRemove: createSubscription,
        open: async (id: string) => createChat(id),
      },
      view: {
        isVisible,
        chat: { chat: createChat('Docs'), isReady, playSound: () => (soundCount += 1) },
        setBadge: () => {},
        onDidChangeVisible: createSubscription,
      },
      editors: { visiblePages: [], chats: [], onDidChangeVisible: createSubscription },
      openConversation: async (id: string) => void shownIds.push(id),
    } as never);
    onDidEndTurnEmitter.fire({ id: 'Docs', hasFailed: false });
    await new Promise((resolve) => setImmediate(resolve));
    expect([windowState.messages.length, soundCount]).toEqual(expected);
    expect(shownIds).toHaveLength(windowState.messages.length);
    notifier.dispose();
  },
);

test('ChatNotifier shows exactly one notification for each chat that starts to wait for the user, and none for a chat that the user is looking at', async () => {
  const onDidChangePendingEmitter = new Emitter<string>();
  const createSubscription = () => ({ dispose: () => {} });
  const pendingRequests = new Map<string, unknown[]>();
  const view = {
    isVisible: true,
    chat: { chat: createChat('Visible'), isReady: true, playSound: () => {} },
    setBadge: () => {},
    onDidChangeVisible: createSubscription,
  };
  const notifier = new ChatNotifier({
    agents: {
      onDidChangePending: onDidChangePendingEmitter.event,
      getConversationAgent: (id: string) => ({
        pendingRequests: { items: pendingRequests.get(id) ?? [] },
      }),
    },
    chats: {
      onDidEndTurn: createSubscription,
      onDidRemove: createSubscription,
      open: async (id: string) => createChat(id),
    },
    view,
    editors: { visiblePages: [], chats: [], onDidChangeVisible: createSubscription },
    openConversation: async () => {},
  } as never);
  const changePendingCount = async (id: string, count: number): Promise<void> => {
    pendingRequests.set(
      id,
      Array.from({ length: count }, () => ({})),
    );
    onDidChangePendingEmitter.fire(id);
    await new Promise((resolve) => setImmediate(resolve));
  };
  // The second request of the hidden chat waits together with the first one.
  for (const [id, count] of [
    ['Visible', 1],
    ['Hidden', 1],
    ['Hidden', 2],
    ['Hidden', 1],
    ['Visible', 0],
    ['Other', 1],
  ] as const)
    await changePendingCount(id, count);
  const firstMessages = ['“Hidden” waits for your answer.', '“Other” waits for your answer.'];
  expect(windowState.messages).toEqual(firstMessages);

  // The chat stops waiting and then waits for the next approval.
  await changePendingCount('Hidden', 0);
  expect(windowState.messages).toEqual(firstMessages);
  await changePendingCount('Hidden', 1);
  windowState.focused = false;
  await changePendingCount('Visible', 1);
  expect(windowState.messages).toEqual([
    ...firstMessages,
    '“Hidden” waits for your answer.',
    '“Visible” waits for your answer.',
  ]);
  notifier.dispose();
});
