import type { Locator } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import type { Workbench } from './workbench.ts';

/**
 * VS Code's notification center. Tests read notifications there, because VS Code shows no notification toasts while a
 * test drives the window.
 */
export class NotificationCenter {
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  /** Waits for a notification that contains `text` and returns the notification. */
  async waitForNotification(text: string | RegExp): Promise<Locator> {
    // A background tab renders nothing.
    await this.#workbench.page.bringToFront();
    const notification = this.#list.locator('.notification-list-item').filter({ hasText: text });
    // An empty notification center closes when a notification arrives.
    await eventually(async (timeout) => {
      if (!(await this.#list.isVisible()))
        await this.#workbench.runCommand('Notifications: Show Notifications');
      await notification.first().waitFor({ timeout });
    });
    return notification.first();
  }

  /** Presses a button of the notification that contains `text`. */
  async pressButton(text: string | RegExp, buttonLabel: string): Promise<void> {
    const notification = await this.waitForNotification(text);
    const target = notification.getByRole('button', { name: buttonLabel, exact: true });
    // A button is visible only under the mouse pointer, and a new notification moves the older ones.
    await eventually(async (timeout) => {
      await notification.hover({ timeout });
      await target.click({ timeout, trial: true });
    });
    await target.click();
  }

  /** Removes all notifications, which can cover other elements. */
  clear(): Promise<void> {
    return this.#workbench.runCommand('Notifications: Clear All Notifications');
  }

  get #list(): Locator {
    return this.#workbench.page.locator('.notifications-center.visible');
  }
}
