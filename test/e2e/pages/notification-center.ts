import type { Locator } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import type { Workbench } from './workbench.ts';

/** VS Code's notifications. The test driver suppresses toasts, so they are read in the notification center. */
export class NotificationCenter {
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  /** Returns the notification with that text, once it exists. */
  async waitForNotification(text: string | RegExp): Promise<Locator> {
    // A background tab renders nothing.
    await this.#workbench.page.bringToFront();
    const notice = this.#list.locator('.notification-list-item').filter({ hasText: text });
    // A center that was opened empty closes when a notification arrives.
    await eventually(async (timeout) => {
      if (!(await this.#list.isVisible()))
        await this.#workbench.runCommand('Notifications: Show Notifications');
      await notice.first().waitFor({ timeout });
    });
    return notice.first();
  }

  /** Presses a button of the notification with that text. */
  async pressButton(text: string | RegExp, button: string): Promise<void> {
    const notice = await this.waitForNotification(text);
    const target = notice.getByRole('button', { name: button, exact: true });
    // A button is visible while the mouse is over its notification, which moves when another one arrives.
    await eventually(async (timeout) => {
      await notice.hover({ timeout });
      await target.click({ timeout, trial: true });
    });
    await target.click();
  }

  /** Clears all notifications, so that they cover nothing. */
  clear(): Promise<void> {
    return this.#workbench.runCommand('Notifications: Clear All Notifications');
  }

  get #list(): Locator {
    return this.#workbench.page.locator('.notifications-center.visible');
  }
}
