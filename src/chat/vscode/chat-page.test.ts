import { join, relative } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { root } from '../../../test/support/paths.ts';
import { Emitter } from '../../base/event.ts';
import { Lazy } from '../../base/lazy.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import { protocolVersion } from '../protocol/constants.ts';
import type { HostMessage } from '../protocol/host-message.ts';
import { ChatWebview } from './chat-page.ts';
import { createChatsHost, useStorage } from './chats.fixture.ts';
import { Chats } from './chats.ts';

const folder = join(root, 'test/support/sample-workspace');
const editor = vi.hoisted(() => ({ shown: undefined as unknown, listeners: [] as (() => void)[] }));

vi.mock('./agent-messages.ts', () => ({
  agentMessageTypes: [],
  AgentMessages: class {
    readonly state = {};
    loadInstructions(): void {}
    dispose(): void {}
  },
}));

vi.mock('vscode', async () => {
  const { l10n } = await import('../../../test/support/vscode-stub.ts');
  const { vscodeStub } = await import('./chats-vscode.fixture.ts');
  const createSubscription = () => ({ dispose: () => {} });
  return {
    ...vscodeStub,
    l10n,
    env: { language: 'en' },
    languages: { getDiagnostics: () => [] },
    window: {
      ...vscodeStub.window,
      get activeTextEditor() {
        return editor.shown;
      },
      visibleTextEditors: [],
      onDidChangeActiveTextEditor: (listener: () => void) => {
        editor.listeners.push(listener);
        return createSubscription();
      },
      onDidChangeVisibleTextEditors: createSubscription,
    },
    workspace: {
      ...vscodeStub.workspace,
      getConfiguration: () => ({ get: () => false, inspect: () => ({ defaultValue: false }) }),
      isTrusted: true,
      get workspaceFolders() {
        return [{ name: 'sample-workspace', uri: createUri(folder) }];
      },
      getWorkspaceFolder: () => ({}),
      asRelativePath: ({ fsPath }: { fsPath: string }) => relative(folder, fsPath),
      fs: { readDirectory: async () => [] },
      onDidGrantWorkspaceTrust: createSubscription,
      onDidChangeWorkspaceFolders: createSubscription,
    },
  };
});

function createUri(path: string) {
  return { scheme: 'file', path, fsPath: path, toString: () => `file://${path}` };
}

/** Makes a file of the workspace active, and notifies the listeners. */
function activateEditor(path: string): void {
  const document = { uri: createUri(join(folder, path)), isUntitled: false, languageId: 'plain' };
  editor.shown = { document, selection: { isEmpty: true } };
  for (const listener of editor.listeners) listener();
}

let chats: Chats;
const getStorage = useStorage(() => chats.close());

afterEach(() => Object.assign(editor, { shown: undefined, listeners: [] }));

/** Creates a page with a new chat. Returns its messages about the active file and the suggested prompts. */
function createPage() {
  const createSubscription = () => ({ dispose: () => {} });
  const host = createChatsHost(getStorage(), {
    account: { onDidChange: createSubscription, view: {}, unencryptedOrigins: [] },
    models: {
      onDidChange: createSubscription,
      models: [],
      allModels: [],
      find: () => undefined,
      refresh: () => Promise.resolve(),
    },
  });
  Object.assign(host.context, { extensionUri: createUri('/extension') });
  const agents = {
    getConversationAgent: () => ({ loadAgent: () => Promise.resolve(undefined) }),
    close: () => Promise.resolve(),
  } as unknown as Agents;
  chats = new Chats(host, agents, {} as LazyChatImages);
  const chat = chats.create();
  const postedMessages: HostMessage[] = [];
  const onDidReceiveMessageEmitter = new Emitter<unknown>();
  const page = new ChatWebview(
    {
      ...{ host, chats, agents, images: {}, reveal: () => {} },
      attachmentCommands: new Lazy(() => Promise.reject(new Error('Not used'))),
      context: new Lazy(() => Promise.resolve({ createMessageHandlers: () => ({}) })),
      suggestionsOffer: { isOffered: false, onDidChange: createSubscription },
      webview: {
        options: {},
        html: '',
        cspSource: '',
        asWebviewUri: (uri: object) => uri,
        postMessage: (message: HostMessage) => postedMessages.push(message),
        onDidReceiveMessage: onDidReceiveMessageEmitter.event,
      },
    } as unknown as ConstructorParameters<typeof ChatWebview>[0],
    chat,
  );
  return {
    chat,
    page,
    sendReady: () => onDidReceiveMessageEmitter.fire({ type: 'ready', version: protocolVersion }),
    listChanges: () =>
      postedMessages.flatMap((message): unknown[] =>
        message.type === 'active-file-change'
          ? [message.activeFile]
          : message.type === 'suggestions-change'
            ? [message.suggestions]
            : [],
      ),
    clear: () => void postedMessages.splice(0),
  };
}

const createPrompts = (path: string) => [
  `Explain ${path}`,
  `Write tests for ${path}`,
  `What could go wrong in ${path}?`,
];

test('the chat page receives the suggested prompts of each file that becomes active', async () => {
  const { page, sendReady, listChanges, clear } = createPage();
  sendReady();
  await expect.poll(() => listChanges().length).toBe(1);
  for (const path of ['src/tide.ts', 'src/server.ts']) {
    clear();
    activateEditor(path);
    await expect.poll(listChanges).toEqual([path, createPrompts(path)]);
  }
  page.dispose();
});

test('the chat page receives no prompts about the active file in a chat with a persona', async () => {
  const { chat, page, sendReady, listChanges, clear } = createPage();
  await chat.session.setOptions({ character: { slug: 'alan-watts', name: 'Alan Watts' } });
  sendReady();
  await expect.poll(listChanges).toEqual([[]]);
  clear();
  activateEditor('src/tide.ts');
  await expect.poll(listChanges).toEqual(['src/tide.ts', []]);
  page.dispose();
});
