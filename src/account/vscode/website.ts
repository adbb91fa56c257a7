import * as vscode from 'vscode';
import type { Account } from './account.ts';
import { setting } from '../../platform/settings.ts';

/**
 * Parses a website URL as typed. Accepts only `https:` URLs without credentials or characters
 * that a parser would drop or change.
 */
export function readDashboardUrl(text: string): URL | undefined {
  const trimmed = text.trim();
  // A parser would drop or change these characters and open a URL other than the visible one.
  if (trimmed.length > 2_048 || /[\0-\x20\x7f-\x9f\\|"'<>`^{}]/.test(trimmed)) return undefined;
  if (!/^https:\/\/[^/]/i.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  return url.username === '' && url.password === '' ? url : undefined;
}

/**
 * Returns the website where the user adds credits. Reads it from the user settings, never from the
 * service.
 */
export const dashboardUrl = (): URL | undefined =>
  readDashboardUrl(setting('inferenceService.dashboardUrl'));

/**
 * Opens the website from the user settings, or else the origin of the service's base URL.
 * @throws ServiceError `no-address`, `invalid-address`
 */
export async function openWebsite(account: Pick<Account, 'endpoint'>): Promise<void> {
  const url = dashboardUrl()?.href ?? (await account.endpoint()).baseUrl.origin;
  await vscode.env.openExternal(vscode.Uri.parse(url, true));
}
