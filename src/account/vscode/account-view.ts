import * as vscode from 'vscode';
import { formatAmount, formatUsd, stripEllipsis } from '../../base/amounts.ts';
import type { AttentionReason, Balance, ServiceHealth } from '../health.ts';
import type { KeyProblem } from '../key-state.ts';
import type { Profile } from '../profile.ts';
import { type FailureAction, failureTable } from '../../service/http/failure.ts';
import { getActionLabel, isChatAction } from './failure-actions.ts';
import type { AccountView } from '../protocol.ts';

/** Name of the environment variable that can contain the API key. */
export const apiKeyVariable = 'INFERENCE_SERVICE_API_KEY';

/** Converts the account's health to the status shown in the chat and the status bar. */
export function createAccountView(profile: Profile, health: ServiceHealth): AccountView {
  const message =
    health.status === 'needs-attention' ? formatAttentionMessage(health.reason) : null;
  const { id, baseUrl } = profile;
  const actions = getAccountActions(health);
  return { status: health.status, profile: id, address: baseUrl, message, actions };
}

function getAccountActions(health: ServiceHealth): AccountView['actions'] {
  switch (health.status) {
    case 'signed-in':
      return [];
    case 'signed-out':
      return [
        { action: 'set-key', label: stripEllipsis(vscode.l10n.t('Set API Key…')) },
        { action: 'mint-key', label: getActionLabel('mint-key') },
      ];
    case 'needs-attention':
      return getAttentionActions(health.reason)
        .filter((action) => !isChatAction(action))
        .map((action) => ({ action, label: getActionLabel(action) }));
  }
}

function getAttentionActions(reason: AttentionReason): readonly FailureAction[] {
  if (reason.kind === 'failure') return failureTable[reason.failure.code].actions;
  return reason.key.kind === 'no-wallet' ? ['connect-wallet', 'set-key'] : ['set-key'];
}

/**
 * Returns the host and port of the profile's base URL, or the base URL as typed if it is not a URL.
 */
export const getDisplayHost = ({ baseUrl }: Profile): string =>
  URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;

/** Formats the balance in dollars: `$4.70`. One DIEM has the value of one dollar. Empty if no balance is known. */
export const formatBalance = ({ usd, diem }: Balance): string =>
  usd === undefined && diem === undefined ? '' : formatUsd((usd ?? 0) + (diem ?? 0));

/** Formats the balance for a tooltip, including the DIEM amount: `$4.70 (1.50 DIEM)`. */
export const formatBalanceDetail = (balance: Balance): string =>
  balance.diem
    ? `${formatBalance(balance)} (${formatAmount(balance.diem)} DIEM)`
    : formatBalance(balance);

function formatAttentionMessage(reason: AttentionReason): string {
  if (reason.kind === 'failure') return reason.failure.message;
  if ('source' in reason.key) return formatWorkspaceKeyText(reason.key);
  switch (reason.key.kind) {
    case 'no-wallet':
      return vscode.l10n.t(
        'Requests are to be paid by a wallet, and none is set up. Choose a wallet, or use an API key.',
      );
    case 'other-origin':
      return vscode.l10n.t(
        'The API key was given for {0} and is not sent to another address: enter the key again to use it with the present address.',
        reason.key.origin,
      );
    case 'unreadable':
      return vscode.l10n.t('The stored API key cannot be read: enter it again.');
    case 'lost':
      return vscode.l10n.t(
        'The editor lost the API key at its restart: enter it again, or set the environment variable {0}.',
        apiKeyVariable,
      );
  }
}

/**
 * Returns the message about an unusable workspace key. Until the user enters another key, requests fail instead of
 * using a key with wider limits.
 */
function formatWorkspaceKeyText({ kind }: KeyProblem): string {
  return kind === 'other-origin'
    ? vscode.l10n.t(
        'The API key of this workspace belongs to another address and is not sent here: create one for this address, or enter a key.',
      )
    : vscode.l10n.t(
        'The editor did not store the API key of this workspace: create another one, or enter a key.',
      );
}
