import * as vscode from 'vscode';
import type { ChatSession } from '../../chat/chat-session.ts';
import type { WebviewMessage } from '../../protocol/webview-message.ts';
import { type FailureAction, failureTable } from '../../service/failure.ts';
import type { Host } from '../host.ts';

const known: ReadonlySet<string> = new Set(
  Object.values(failureTable).flatMap(({ actions }) => actions),
);
const isAction = (action: string): action is FailureAction => known.has(action);

export interface FailureActionContext {
  readonly session: ChatSession;
  readonly host: Host;
  readonly newChat: () => void;
}

/** Does what a button of a failure card says. Anything that no card offers is ignored. */
export async function runFailureAction(
  { action, messageId }: Extract<WebviewMessage, { type: 'action-run' }>,
  { session, host, newChat }: FailureActionContext,
): Promise<void> {
  if (!isAction(action)) return;
  switch (action) {
    case 'set-address':
      await vscode.commands.executeCommand('inferenceService.setAddress');
      return;
    case 'set-key':
      await vscode.commands.executeCommand('inferenceService.setApiKey');
      return;
    case 'add-credits': {
      const { baseUrl } = await host.account.endpoint();
      await vscode.env.openExternal(vscode.Uri.parse(baseUrl.origin, true));
      return;
    }
    case 'choose-model':
      await vscode.commands.executeCommand('inferenceService.selectModel');
      return;
    case 'new-chat':
      newChat();
      return;
    case 'retry':
      if (messageId !== null) await session.retry(messageId);
      return;
    case 'continue':
      if (messageId !== null) await session.continue(messageId);
      return;
    case 'test-connection':
      await vscode.commands.executeCommand('inferenceService.testConnection');
      return;
    case 'use-editor-transport':
      await vscode.workspace
        .getConfiguration('inferenceService')
        .update('network.transport', 'editor', vscode.ConfigurationTarget.Global);
      return;
    case 'show-log':
      host.log.show();
      return;
  }
}
