import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { protocolVersion } from '../../../src/chat/protocol/constants.ts';
import type { HostMessage } from '../../../src/chat/protocol/host-message.ts';
import type { ChatState } from '../../../src/chat/protocol/view-state.ts';
import { FakePage } from '../chat-fixture.ts';
import { preparedKey, type PreparedHost } from './shared.ts';

/** Returns the objects that `extension-entry.ts` stored in `globalThis` before it activated the extension. */
export function readPreparedHost(): PreparedHost {
  const preparedHost: unknown = Reflect.get(globalThis, preparedKey);
  assert.ok(preparedHost, 'The extension under test was not started with its entry.');
  return preparedHost as PreparedHost;
}

const createWebviewView = (webview: vscode.Webview): vscode.WebviewView => ({
  viewType: 'inferenceService.chat',
  webview,
  visible: true,
  onDidDispose: () => ({ dispose() {} }),
  onDidChangeVisibility: () => ({ dispose() {} }),
  show() {},
});

/** Drives the chat view of the activated extension with a simulated page. */
export class ChatDriver {
  readonly page = new FakePage();

  static async open({ views }: PreparedHost): Promise<ChatDriver> {
    const driver = new ChatDriver();
    const provider = views.get('inferenceService.chat');
    assert.ok(provider, 'The product registered no chat view.');
    const token = {
      isCancellationRequested: false,
      onCancellationRequested: () => ({ dispose() {} }),
    };
    await provider.resolveWebviewView(createWebviewView(driver.page), { state: undefined }, token);
    await driver.readState();
    return driver;
  }

  /** Returns the state that the host sends to a page that has just loaded. */
  async readState(): Promise<ChatState> {
    const statePromise = this.page.waitForMessage('state-set');
    this.page.sendToHost({ type: 'ready', version: protocolVersion });
    const message = await statePromise;
    assert.ok(message.type === 'state-set');
    return message.state;
  }

  /** Calls `openChat`. Resolves with the state of the conversation that opens. */
  async waitForOtherChat(openChat: () => Thenable<unknown>): Promise<ChatState> {
    const { conversation } = await this.readState();
    const messagePromise = this.page.waitForMessage(
      'state-set',
      (message) =>
        message.type === 'state-set' && message.state.conversation.id !== conversation.id,
    );
    await openChat();
    const message = await messagePromise;
    assert.ok(message.type === 'state-set');
    return message.state;
  }

  /** Sends a message of the user. Resolves with the state when the turn has ended. */
  async sendText(text: string): Promise<ChatState> {
    const { conversation } = await this.readState();
    return this.runTurn({ type: 'message-send', conversationId: conversation.id, text });
  }

  /** Posts a message that starts a turn. Resolves with the state when the turn has ended. */
  async runTurn(message: unknown): Promise<ChatState> {
    const turnEndPromise = this.page.waitForMessage('turn-end', isTurnEnd);
    this.page.sendToHost(message);
    await turnEndPromise;
    return this.readState();
  }

  async runOptionsAction(optionsAction: {
    action: string;
    name?: string;
    value?: string;
  }): Promise<Extract<HostMessage, { type: 'option-details' }>> {
    const detailsPromise = this.page.waitForMessage('option-details');
    this.page.sendToHost({ type: 'options-action', name: '', value: '', ...optionsAction });
    return (await detailsPromise) as Extract<HostMessage, { type: 'option-details' }>;
  }
}

const isTurnEnd = (message: HostMessage): boolean =>
  message.type === 'turn-end' && message.status !== 'working';
