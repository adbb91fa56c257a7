import * as vscode from 'vscode';
import type { Profile } from '../../../account/profile.ts';
import { displayHost } from '../../../account/vscode/account-view.ts';
import {
  otherTransportKind,
  problemActions,
  problemSentence,
  testWithProgress,
} from '../../../account/vscode/connection-test.ts';
import { activateProfile } from '../../../account/vscode/profile-settings.ts';
import type { Host } from '../../../host.ts';
import { showWithActions, showError, showInformation } from '../../../platform/notifications.ts';
import type { KeyRecord } from '../../../service/key-record.ts';
import { expiryLabel, limitLabel } from './option-labels.ts';

interface MintedKey {
  /** Profile of the new key. */
  readonly profile: Profile;
  readonly record: KeyRecord;
}

/** Activates the profile of the key, tests the connection and opens the chat. */
export async function startUsingKey(host: Host, mintedKey: MintedKey): Promise<void> {
  const { account } = host;
  if (mintedKey.record.type === 'ADMIN') return showAdminKeyStored(mintedKey);
  if (account.profileId !== mintedKey.profile.id) await activateProfile(mintedKey.profile.id);
  const verdict = await testWithProgress(account);
  if (verdict === undefined) return;
  if (verdict.ok) return openChat(mintedKey);
  if (verdict.problem === 'no-credits') {
    const question = vscode.l10n.t(
      'The API key works and is in use, but the account has nothing to spend yet',
    );
    const { showFunding } = await import('../../vscode/funding-view.ts');
    return showFunding(host, { question });
  }
  const actions = problemActions(verdict, otherTransportKind(account.transports.kind));
  await showWithActions(showError, problemSentence(account, verdict), actions);
}

async function openChat({ profile, record }: MintedKey): Promise<void> {
  void showInformation(
    vscode.l10n.t(
      'The API key of {0} is in use. Expires: {1}. Limit: {2}.',
      displayHost(profile),
      expiryLabel(record),
      limitLabel(record),
    ),
  );
  await vscode.commands.executeCommand('inferenceService.focusChat');
}

async function showAdminKeyStored({ profile }: MintedKey): Promise<void> {
  const show = {
    label: vscode.l10n.t('Show keys'),
    run: () => vscode.commands.executeCommand('inferenceService.keys.show'),
  };
  const message = vscode.l10n.t(
    'The admin key of {0} is kept for managing keys. Chats go on with the API key they have.',
    displayHost(profile),
  );
  await showWithActions(showInformation, message, [show]);
}
