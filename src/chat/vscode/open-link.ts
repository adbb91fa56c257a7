import * as vscode from 'vscode';
import { checkLink } from '../../conversation/link.ts';
import { isLoopback } from '../../service/http/endpoint.ts';
import { ask } from '../../platform/notifications.ts';

/**
 * Opens a link of an answer in the person's browser. VS Code shows the whole address and asks, unless the person
 * trusts that site already; for this machine, which VS Code always trusts, we ask.
 * @returns why it was refused, for the person; undefined when it was not.
 */
export async function openLink(href: string): Promise<string | undefined> {
  const verdict = checkLink(href);
  if (verdict.kind === 'refuse') {
    return vscode.l10n.t('This link was not opened: only plain web addresses are.');
  }
  if (isLoopback(new URL(verdict.url).hostname) && !(await confirmLocal(verdict.url))) {
    return undefined;
  }
  // As text: a Uri would decode what the address has encoded, and open another one than was asked about.
  await vscode.env.openExternal(verdict.url as unknown as vscode.Uri);
  return undefined;
}

async function confirmLocal(detail: string): Promise<boolean> {
  const open = vscode.l10n.t('Open');
  const question = vscode.l10n.t('Open this address of your own machine?');
  return (await ask({ question, detail }, open)) === open;
}
