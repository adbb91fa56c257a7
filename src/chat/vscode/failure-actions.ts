import type { ChatSession } from '../chat-session.ts';
import type { WebviewMessage } from '../protocol/page-message.ts';
import {
  failureAction,
  isChatAction,
  isFailureAction,
} from '../../account/vscode/failure-actions.ts';
import type { Host } from '../../host.ts';
import { openWebsite } from '../../account/vscode/website.ts';

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
  if (!isFailureAction(action)) return;
  if (!isChatAction(action)) {
    await failureAction(action).run();
    return;
  }
  switch (action) {
    case 'add-credits':
      await openWebsite(host.account);
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
  }
}
