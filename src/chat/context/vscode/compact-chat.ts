import * as vscode from 'vscode';
import type { ChatSession } from '../../chat-session.ts';
import { ServiceError } from '../../../service/http/failure.ts';
import { showCancellable } from '../../../platform/notifications.ts';

/** Has the chat so far replaced by a summary, which the page then shows. Resolves to a sentence for the person. */
export async function compactChat(session: ChatSession): Promise<string | undefined> {
  if (session.streaming !== undefined)
    return vscode.l10n.t('Wait for the answer, or stop it, before you compact the chat.');
  return showCancellable(vscode.l10n.t('Summarising the chat'), async (signal) => {
    try {
      const done = await session.compact(signal);
      if (done === undefined) return vscode.l10n.t('The chat stays as it was.');
      return done
        ? vscode.l10n.t('From here on the model gets a summary of what came before.')
        : vscode.l10n.t('There is nothing to summarise before the last exchange.');
    } catch (error) {
      if (signal.aborted) return vscode.l10n.t('The chat stays as it was.');
      if (!(error instanceof ServiceError)) throw error;
      return vscode.l10n.t('No summary could be written: {0}', error.failure.message);
    }
  });
}
