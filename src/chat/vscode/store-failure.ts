import * as vscode from 'vscode';
import { NewerVersionError } from '../../platform/newer-file.ts';
import { ConversationExistsError } from '../../conversation/vscode/conversation-files.ts';

/** Explains why a chat cannot be saved, and what to do. */
export function storeFailureMessage(error: unknown): string {
  if (error instanceof NewerVersionError)
    return vscode.l10n.t(
      'This chat cannot be saved: a newer version of Inference Service changed it. Update the extension to continue it.',
    );
  if (error instanceof ConversationExistsError)
    return vscode.l10n.t(
      'This chat cannot be saved: another window saved a chat in its place. Start a new chat to keep your next messages.',
    );
  return vscode.l10n.t(
    'This chat cannot be saved: {0}. It goes on, but is lost when the window closes. Free some space, then send another message.',
    (error as NodeJS.ErrnoException).code ?? vscode.l10n.t('unknown error'),
  );
}
