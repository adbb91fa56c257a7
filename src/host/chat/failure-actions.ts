import * as vscode from 'vscode';
import type { ChatSession } from '../../chat/chat-session.ts';
import type { WebviewMessage } from '../../protocol/webview-message.ts';
import { type FailureAction, failureTable } from '../../service/failure.ts';
import { failureAction, isChatAction } from '../failure-action.ts';
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
  if (!isChatAction(action)) {
    await failureAction(action).run();
    return;
  }
  switch (action) {
    case 'add-credits': {
      const { baseUrl } = await host.account.endpoint();
      await vscode.env.openExternal(vscode.Uri.parse(baseUrl.origin, true));
      return;
    }
    case 'new-chat':
      newChat();
      return;
    case 'retry':
      if (messageId !== null) await session.retry(messageId);
      return;
    case 'continue':
      if (messageId !== null) await session.continue(messageId);
      return;
  }
}
