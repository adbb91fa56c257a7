import * as vscode from 'vscode';
import type { FailureView } from '../../chat/protocol/view-state.ts';
import { type ServiceFailure, failureTable } from '../../service/http/failure.ts';
import { actionLabel } from './failure-actions.ts';

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
