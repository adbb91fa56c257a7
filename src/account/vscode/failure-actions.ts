import * as vscode from 'vscode';
import type { FailureView } from '../protocol.ts';
import { allowUnencryptedCommand, userConfirmation } from './unencrypted-origins.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import type { Action } from '../../platform/notifications.ts';
import { setSetting } from '../../platform/settings.ts';
import {
  type FailureAction,
  failureTable,
  type ServiceFailure,
} from '../../service/http/failure.ts';
import { stripEllipsis } from '../../base/amounts.ts';

/** Actions that apply only to the chat in which the failure occurred. */
export type ChatAction = 'new-chat' | 'retry' | 'pay-again' | 'continue' | 'send-without';

/** Returns the button label of an action. */
export const getActionLabel = (action: FailureAction): string =>
  isChatAction(action) ? getChatLabels()[action] : createFailureAction(action).label;

/**
 * Returns the button for an action that does not depend on a chat.
 * @param origin Origin that the message with this button names. Used only by the button that permits unencrypted
 *   requests. If omitted, this button first shows the origin to the user for confirmation.
 */
export function createFailureAction(
  action: Exclude<FailureAction, ChatAction>,
  origin?: string,
): Action {
  switch (action) {
    case 'set-address':
      return createCommandAction(
        stripEllipsis(vscode.l10n.t('Set Service Address…')),
        'inferenceService.setAddress',
      );
    case 'allow-unencrypted':
      return {
        label: vscode.l10n.t('Send unencrypted'),
        run: () =>
          vscode.commands.executeCommand(allowUnencryptedCommand, userConfirmation, origin),
      };
    case 'set-key':
      return createCommandAction(
        stripEllipsis(vscode.l10n.t('Set API Key…')),
        'inferenceService.setApiKey',
      );
    case 'mint-key':
      return createCommandAction(
        stripEllipsis(vscode.l10n.t('Get API Key with Wallet…')),
        'inferenceService.mintKey',
      );
    case 'top-up':
      return createCommandAction(vscode.l10n.t('Top up…'), 'inferenceService.wallet.topUp');
    case 'connect-wallet':
      return createCommandAction(
        vscode.l10n.t('Choose a wallet'),
        'inferenceService.wallet.payPerRequest',
      );
    case 'add-credits':
      return createCommandAction(vscode.l10n.t('Show Funding'), 'inferenceService.showFunding');
    case 'set-budget':
      return createCommandAction(
        stripEllipsis(vscode.l10n.t('Set Budget…')),
        'inferenceService.budget.set',
      );
    case 'choose-model':
    case 'choose-private-model':
      return createCommandAction(
        vscode.l10n.t('Choose another model'),
        'inferenceService.selectModel',
      );
    case 'open-private-setting':
      return {
        label: vscode.l10n.t('Open Settings'),
        run: () =>
          vscode.commands.executeCommand(
            'workbench.action.openSettings',
            'inferenceService.privateModelsOnly',
          ),
      };
    case 'test-connection':
      return createCommandAction(
        vscode.l10n.t('Test Connection'),
        'inferenceService.testConnection',
      );
    case 'use-editor-transport':
      return {
        label: vscode.l10n.t('Use the editor’s network'),
        run: () => setSetting('inferenceService.network.transport', 'editor'),
      };
    case 'save-image':
      return createCommandAction(vscode.l10n.t('Save As…'), 'inferenceService.saveUnstoredImages');
    case 'discard-image':
      return {
        label: vscode.l10n.t('Discard'),
        run: () => vscode.commands.executeCommand('inferenceService.saveUnstoredImages', 'discard'),
      };
    case 'show-log':
      return createCommandAction(vscode.l10n.t('Show Log'), 'inferenceService.showLog');
  }
}

const knownActions: ReadonlySet<string> = new Set(
  Object.values(failureTable).flatMap(({ actions }) => actions),
);

/** Checks whether an action id, received from a page, is a known failure action. */
export const isFailureAction = (action: string): action is FailureAction =>
  knownActions.has(action);

export const isChatAction = (action: FailureAction): action is ChatAction =>
  action in getChatLabels();

const getChatLabels = (): Readonly<Record<ChatAction, string>> => ({
  'new-chat': vscode.l10n.t('New Chat'),
  retry: vscode.l10n.t('Retry'),
  'pay-again': vscode.l10n.t('Retry (may cost again)'),
  continue: vscode.l10n.t('Continue'),
  'send-without': vscode.l10n.t('Send without it'),
});

const createCommandAction = (label: string, command: CommandId): Action => ({
  label,
  run: () => vscode.commands.executeCommand(command),
});

interface FailureViewOptions {
  /** Time of the next retry, in milliseconds since the epoch. */
  readonly retryTime?: number;
  /** True if the service may have charged the failed call, so that a retry may be charged again. */
  readonly mayBeCharged?: boolean;
}

/** Converts a failure to a card with the title, the service's details and the user's actions. */
export function createFailureView(
  failure: ServiceFailure,
  { retryTime, mayBeCharged = false }: FailureViewOptions = {},
): FailureView {
  const { code, message, detail, requestId, retryAfterMs } = failure;
  const detailParts = [
    ...(detail === undefined || message.includes(detail) ? [] : [detail]),
    ...(requestId === undefined ? [] : [vscode.l10n.t('Request {0}', requestId)]),
  ];
  return {
    code,
    title: message,
    detail: detailParts.length === 0 ? null : detailParts.join(' · '),
    retryAt: retryTime ?? (retryAfterMs === undefined ? null : Date.now() + retryAfterMs),
    actions: labelRetryAsPaid(failureTable[code].actions, mayBeCharged).map((action) => ({
      action,
      label: getActionLabel(action),
    })),
  };
}

/** Replaces the Retry action with an action whose label states that the retry may be charged again. */
export const labelRetryAsPaid = (
  actions: readonly FailureAction[],
  mayBeCharged: boolean,
): readonly FailureAction[] =>
  mayBeCharged ? actions.map((action) => (action === 'retry' ? 'pay-again' : action)) : actions;
