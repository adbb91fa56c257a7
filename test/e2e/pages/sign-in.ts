import { timeLimits } from '../../support/time-limits.ts';
import type { Locator } from 'playwright-core';
import type { Session } from '../session.ts';
import { fillField, pressIn } from './typing.ts';

/** Returns the field for the service URL in the connect form. The form is hidden while an account is signed in. */
export const getAddressField = ({ chat }: Session): Locator =>
  chat.content.getByLabel('URL', { exact: true });

/** Returns the field of the connect form for the API key. */
export const getKeyField = ({ chat }: Session): Locator =>
  chat.content.getByLabel('API key', { exact: true });

/**
 * Fills in and submits the connect form of the empty chat. Resolves when the connection has succeeded and the form has
 * disappeared.
 */
export async function connectWithForm(
  session: Session,
  { baseUrl, key }: { readonly baseUrl: string; readonly key: string },
): Promise<void> {
  await fillField(getAddressField(session), baseUrl);
  await fillField(getKeyField(session), key);
  await pressIn(getKeyField(session), 'Enter');
  await getAddressField(session).waitFor({ state: 'hidden' });
}

/**
 * Waits for the input box for an API key, enters `key` and accepts it.
 * @param timeout time limit of each step in milliseconds
 */
export async function answerWithKey(
  { workbench, page }: Session,
  key: string,
  timeout: number = timeLimits.condition,
): Promise<void> {
  await page.locator('.quick-input-widget input[type=password]').waitFor({ timeout });
  await fillField(workbench.quickInput, key, timeout);
  await pressIn(workbench.quickInput, 'Enter', timeout);
}
