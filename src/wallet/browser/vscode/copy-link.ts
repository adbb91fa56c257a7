import * as vscode from 'vscode';
import { tellInformation, tellQuietly } from '../../../platform/notifications.ts';
import { copyPageLink } from './browser-wallet.ts';

/** Copies the link of the wallet's page, for another browser than the one that was opened. */
export async function copyLink(): Promise<void> {
  const isCopied = await copyPageLink();
  if (isCopied) return tellQuietly(vscode.l10n.t('The link was copied. It works once.'));
  await tellInformation(
    vscode.l10n.t(
      'There is no link to copy: the page of the wallet is open in a browser already, or none is needed now. Cancel and start again for a new one.',
    ),
  );
}
