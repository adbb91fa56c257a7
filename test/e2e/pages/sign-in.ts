import { timeLimits } from '../../support/time-limits.ts';
import type { Session } from '../session.ts';
import { fillField, pressIn } from './typing.ts';

/** Enters a key into the open input box. */
export async function answerWithKey(
  { workbench, page }: Session,
  key: string,
  timeout: number = timeLimits.condition,
): Promise<void> {
  await page.locator('.quick-input-widget input[type=password]').waitFor({ timeout });
  await fillField(workbench.quickInput, key, timeout);
  await pressIn(workbench.quickInput, 'Enter', timeout);
}
