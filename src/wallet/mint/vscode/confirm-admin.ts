import * as vscode from 'vscode';
import { ask } from '../../../platform/notifications.ts';

/** Whether the person really wants a key that can create others. */
export async function confirmAdmin(): Promise<boolean> {
  const create = vscode.l10n.t('Create an admin key');
  const chosen = await ask(
    {
      question: vscode.l10n.t('Create a key that can create and revoke all other keys?'),
      detail: vscode.l10n.t(
        'Whoever has an admin key can create keys without limits and spend everything that the account has. The editor uses it only to manage keys, never for chats.',
      ),
    },
    create,
  );
  return chosen === create;
}
