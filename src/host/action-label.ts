import * as vscode from 'vscode';
import type { FailureAction } from '../service/failure.ts';

/** What stands on the button for an action. */
export function actionLabel(action: FailureAction): string {
  switch (action) {
    case 'set-address':
      return vscode.l10n.t('Set Address');
    case 'set-key':
      return vscode.l10n.t('Set API Key');
    case 'add-credits':
      return vscode.l10n.t('Open the Service’s Site');
    case 'choose-model':
      return vscode.l10n.t('Choose Another Model');
    case 'new-chat':
      return vscode.l10n.t('New Chat');
    case 'retry':
      return vscode.l10n.t('Retry');
    case 'continue':
      return vscode.l10n.t('Continue');
    case 'test-connection':
      return vscode.l10n.t('Test Connection');
    case 'use-editor-transport':
      return vscode.l10n.t('Use the Editor’s Network Stack');
    case 'show-log':
      return vscode.l10n.t('Show Log');
  }
}
