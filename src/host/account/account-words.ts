import * as vscode from 'vscode';
import type { AttentionReason, Health } from '../../account/health.ts';
import type { Profile } from '../../account/profile.ts';
import type { AccountView } from '../../protocol/view-state.ts';

/** Where a person reads how the account is doing: the chat and the status bar. */
export function accountView(profile: Profile, health: Health): AccountView {
  const message = health.status === 'needs-attention' ? attentionMessage(health.reason) : null;
  return { status: health.status, profile: profile.id, message };
}

function attentionMessage(reason: AttentionReason): string {
  if (reason.kind === 'failure') return reason.failure.message;
  switch (reason.key.kind) {
    case 'other-origin':
      return vscode.l10n.t(
        'The API key was given for {0} and is not sent to another address. Enter the key again to use it with the present address.',
        reason.key.origin,
      );
    case 'unreadable':
      return vscode.l10n.t('The stored API key cannot be read. Enter it again.');
    case 'lost':
      return vscode.l10n.t(
        'The editor’s secret storage did not keep the API key over the restart. Enter it again, or set it in the environment variable {0}.',
        'INFERENCE_SERVICE_API_KEY',
      );
  }
}
