import * as vscode from 'vscode';
import { tellInformation } from '../platform/notifications.ts';
import type { CommandId } from '../platform/command-ids.ts';
import type { AccountSource } from './model-source.ts';

/** Offers the two ways in. @returns whether the person is signed in afterwards */
export async function offerSignIn(account: Pick<AccountSource, 'isSignedIn'>): Promise<boolean> {
  const ways: Readonly<Record<string, CommandId>> = {
    [vscode.l10n.t('Use an API key')]: 'inferenceService.setApiKey',
    [vscode.l10n.t('Connect a wallet')]: 'inferenceService.mintKey',
  };
  const question = vscode.l10n.t('Inference Service needs an API key to list its models.');
  const chosen = await tellInformation(question, ...Object.keys(ways));
  const command = chosen === undefined ? undefined : ways[chosen];
  if (command === undefined) return false;
  await vscode.commands.executeCommand(command);
  return account.isSignedIn();
}
