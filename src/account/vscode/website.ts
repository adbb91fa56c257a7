import * as vscode from 'vscode';
import type { Account } from './account.ts';
import { dashboardUrl } from './dashboard.ts';

/**
 * Opens the service's website: the one of the user's settings, else the origin of the service's address.
 * @throws ServiceError `no-address`, `invalid-address`
 */
export async function openWebsite(account: Pick<Account, 'endpoint'>): Promise<void> {
  const address = dashboardUrl()?.href ?? (await account.endpoint()).baseUrl.origin;
  await vscode.env.openExternal(vscode.Uri.parse(address, true));
}
