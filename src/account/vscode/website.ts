import * as vscode from 'vscode';
import type { Account } from './account.ts';
import { setting } from '../../platform/settings.ts';

/** The address of a website, as typed; absent unless it is `https:`, without credentials, and exactly what it looks like. */
export function readDashboardUrl(text: string): URL | undefined {
  const trimmed = text.trim();
  // A parser would drop or change these, and open another address than the one that stands there.
  if (trimmed.length > 2_048 || /[\0-\x20\x7f-\x9f\\|"'<>`^{}]/.test(trimmed)) return undefined;
  if (!/^https:\/\/[^/]/i.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  return url.username === '' && url.password === '' ? url : undefined;
}

/** The service's website, where accounts are funded: from the user's settings alone, never from the service. */
export const dashboardUrl = (): URL | undefined =>
  readDashboardUrl(setting('inferenceService.dashboardUrl'));

/**
 * Opens the service's website: the one of the user's settings, else the origin of the service's address.
 * @throws ServiceError `no-address`, `invalid-address`
 */
export async function openWebsite(account: Pick<Account, 'endpoint'>): Promise<void> {
  const address = dashboardUrl()?.href ?? (await account.endpoint()).baseUrl.origin;
  await vscode.env.openExternal(vscode.Uri.parse(address, true));
}
