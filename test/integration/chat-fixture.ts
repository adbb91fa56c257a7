import type { ToolFactoryLoader } from '../../src/agent/vscode/agent-runtime.ts';
import { createImageTools } from '../../src/image/vscode/generate-image-tool.ts';
import { createAgentToolFactory } from '../../src/language-model/tools/agent-tools.ts';
import { Lazy } from '../../src/base/lazy.ts';
import * as vscode from 'vscode';
import { Agents } from '../../src/agent/vscode/agents.ts';
import { AttachmentCommands } from '../../src/chat/vscode/attach.ts';
import { ChatWebview } from '../../src/chat/vscode/chat-page.ts';
import { ChatContext } from '../../src/chat/context/vscode/chat-context.ts';
import { Chats } from '../../src/chat/vscode/chats.ts';
import type { OpenChat } from '../../src/chat/vscode/open-chat.ts';
import type { Host } from '../../src/host.ts';
import { createModelCatalog } from '../../src/models/vscode/model-catalog.ts';
import { createLazyImageRuntime } from '../../src/image/vscode/contribute.ts';
import type { ImageRuntime } from '../../src/image/vscode/image-runtime.ts';
import type { HostMessage } from '../../src/chat/protocol/host-message.ts';
import {
  type AccountFixture,
  createAccountFixture,
  type FixtureOptions,
} from './account-fixture.ts';

/** Simulates a webview page. Posts messages for the test, and records the messages that it receives. */
export class FakePage<Message extends { readonly type: string } = HostMessage>
  implements vscode.Webview
{
  options: vscode.WebviewOptions = {};
  html = '';
  readonly cspSource = 'https://assets.test';
  readonly receivedMessages: Message[] = [];
  readonly #onDidReceiveMessageEmitter = new vscode.EventEmitter<unknown>();
  readonly #onDidPostMessageEmitter = new vscode.EventEmitter<Message>();
  readonly onDidReceiveMessage = this.#onDidReceiveMessageEmitter.event;

  asWebviewUri(uri: vscode.Uri): vscode.Uri {
    return uri.with({ scheme: 'https', authority: 'assets.test' });
  }

  async postMessage(message: Message): Promise<boolean> {
    this.receivedMessages.push(message);
    this.#onDidPostMessageEmitter.fire(message);
    return true;
  }

  sendToHost(message: unknown): void {
    this.#onDidReceiveMessageEmitter.fire(message);
  }

  /** Resolves with the next message of this type that the page receives. */
  waitForMessage(
    type: Message['type'],
    matches: (message: Message) => boolean = () => true,
  ): Promise<Message> {
    return new Promise((resolve) => {
      const subscription = this.#onDidPostMessageEmitter.event((message) => {
        if (message.type !== type || !matches(message)) return;
        subscription.dispose();
        resolve(message);
      });
    });
  }
}

/** Chat in the real extension host, with a {@link FakePage} and separate storage. Dispose with `using`. */
export interface ChatFixture extends AccountFixture {
  readonly host: Host;
  readonly page: FakePage;
  readonly chat: OpenChat;
  readonly attach: AttachmentCommands;
  readonly chats: Chats;
  readonly agents: Agents;
  readonly images: Lazy<ImageRuntime>;
  /** Connection between the chat and the page. */
  readonly chatWebview: ChatWebview;
}

export function createChatFixture(options?: FixtureOptions): ChatFixture {
  const fixture = createAccountFixture(options);
  const extension = vscode.extensions.getExtension('inference-service.inference-service');
  if (extension === undefined) throw new Error('The extension is not installed.');
  const { account, log } = fixture;
  const context = Object.assign(
    { extensionUri: extension.extensionUri, workspaceState: fixture.context.globalState },
    fixture.context,
  );
  const models = createModelCatalog({ context, account, log });
  const host: Host = {
    // The chat reads only those host properties that the fixture has.
    context: context as unknown as vscode.ExtensionContext,
    log,
    account,
    models,
    isMintPreapproved: false,
    accountEnvironment: {},
    service: account.service,
  };
  const images = createLazyImageRuntime(host);
  const agents = new Agents(host, createToolFactoryLoaders(host, images));
  const chats = new Chats(host, agents, images);
  const chat = chats.create();
  const page = new FakePage();
  const attach = new AttachmentCommands(host.context);
  const chatContext = new ChatContext(host, attach);
  const chatWebview = new ChatWebview(
    {
      host,
      images,
      chats,
      attachmentCommands: new Lazy(async () => attach),
      context: new Lazy(async () => chatContext),
      agents,
      suggestionsOffer: {
        isOffered: false,
        onDidChange: () => ({ dispose() {} }),
        acceptSuggestionsOffer: async () => {},
        closeSuggestionsOffer: async () => {},
      },
      webview: page,
      reveal: () => {},
    },
    chat,
  );
  return {
    ...fixture,
    host,
    page,
    chat,
    attach,
    chats,
    agents,
    images,
    chatWebview: chatWebview,
    [Symbol.dispose]() {
      chatWebview.dispose();
      chatContext.dispose();
      chats.dispose();
      agents.dispose();
      void images.getIfCreated().then((runtime) => runtime?.dispose());
      models.dispose();
      fixture[Symbol.dispose]();
    },
  };
}

/** Creates the loaders of the image tools and the agent tools, as the extension does. */
export const createToolFactoryLoaders = (
  host: Host,
  images: Lazy<ImageRuntime>,
): readonly ToolFactoryLoader[] => [
  async () => createImageTools(host, images),
  async () => createAgentToolFactory(host),
];
