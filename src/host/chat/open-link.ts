import * as vscode from 'vscode';
import { checkLink } from '../../chat/link.ts';

/**
 * Opens a link of an answer in the person's browser. VS Code shows the whole address and asks, unless the person
 * trusts that site already.
 * @returns why it was refused, for the person; undefined when it was not.
 */
export async function openLink(href: string): Promise<string | undefined> {
  const verdict = checkLink(href);
  if (verdict.kind === 'refuse') {
    return vscode.l10n.t('This link was not opened: only plain web addresses are.');
  }
  await vscode.env.openExternal(vscode.Uri.parse(verdict.url, true));
  return undefined;
}
