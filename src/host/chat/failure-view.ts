import * as vscode from 'vscode';
import type { FailureView } from '../../protocol/view-state.ts';
import { type FailureAction, type ServiceFailure, failureTable } from '../../service/failure.ts';

/** A failure as a card: what happened, what the service said, and what the person can do. */
export function failureView(failure: ServiceFailure, until?: number): FailureView {
  const { code, message, detail, requestId, retryAfterMs } = failure;
  const parts = [
    ...(detail === undefined || message.includes(detail) ? [] : [detail]),
    ...(requestId === undefined ? [] : [vscode.l10n.t('Request {0}', requestId)]),
  ];
  return {
    code,
    title: message,
    detail: parts.length === 0 ? null : parts.join(' · '),
    retryAt: until ?? (retryAfterMs === undefined ? null : Date.now() + retryAfterMs),
    actions: failureTable[code].actions.map((action) => ({ action, label: actionLabel(action) })),
  };
}

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
