import * as vscode from 'vscode';
import type { Profile } from '../../../account/profile.ts';
import { systemClock } from '../../../base/clock.ts';
import type { KeyRecord } from '../../../service/key-record.ts';
import { hostOf } from '../../../account/vscode/account-view.ts';
import { offer, tellError, tellInformation } from '../../../platform/notifications.ts';
import {
  otherKind,
  problemActions,
  problemSentence,
  testWithProgress,
} from '../../../account/vscode/connection-test.ts';
import { activateProfile } from '../../../account/vscode/profile-settings.ts';
import type { Host } from '../../../host.ts';
import { explainFunding } from './funding.ts';
import { expiryWords, limitWords } from './option-labels.ts';

interface Minted {
  /** That the key was minted and is kept for. */
  readonly profile: Profile;
  readonly record: KeyRecord;
}

/** Puts a new key to use: its profile becomes the active one, the connection is tested, and the chat opens. */
export async function welcomeKey(host: Host, minted: Minted): Promise<void> {
  const { account } = host;
  if (minted.record.type === 'ADMIN') return tellOfAdminKey(minted);
  if (account.profileId !== minted.profile.id) await activateProfile(minted.profile.id);
  const verdict = await testWithProgress(account);
  if (verdict === undefined) return;
  if (verdict.ok) return openChat(minted);
  if (verdict.problem === 'no-credits') return explainFunding(host, systemClock.now());
  const actions = problemActions(verdict, otherKind(account.transports.kind));
  await offer(tellError, problemSentence(account, verdict), actions);
}

async function openChat({ profile, record }: Minted): Promise<void> {
  void tellInformation(
    vscode.l10n.t(
      'The API key of {0} is in use. Expires: {1}. Limit: {2}.',
      hostOf(profile),
      expiryWords(record),
      limitWords(record),
    ),
  );
  await vscode.commands.executeCommand('inferenceService.focusChat');
}

async function tellOfAdminKey({ profile }: Minted): Promise<void> {
  const show = {
    label: vscode.l10n.t('Show keys'),
    run: () => vscode.commands.executeCommand('inferenceService.keys.show'),
  };
  const words = vscode.l10n.t(
    'The admin key of {0} is kept for managing keys. Chats go on with the API key they have.',
    hostOf(profile),
  );
  await offer(tellInformation, words, [show]);
}
