import type { Locator } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import type { Workbench } from './workbench.ts';

/** The editor's notifications. The driver keeps them from popping up by themselves, so their list is opened. */
export class Notices {
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  /** The notification with that text, once it is there. */
  async find(text: string | RegExp): Promise<Locator> {
    // A tab that is not in front draws nothing.
    await this.#workbench.page.bringToFront();
    const notice = this.#list.locator('.notification-list-item').filter({ hasText: text });
    // A list that was opened while it was empty is not there any more when something comes.
    await eventually(async (timeout) => {
      if (!(await this.#list.isVisible()))
        await this.#workbench.runCommand('Notifications: Show Notifications');
      await notice.first().waitFor({ timeout });
    });
    return notice.first();
  }

  /** Presses a button of the notification with that text. */
  async press(text: string | RegExp, button: string): Promise<void> {
    const notice = await this.find(text);
    const target = notice.getByRole('button', { name: button, exact: true });
    // A button shows while the mouse is on its notification, which may move when another one comes.
    await eventually(async (timeout) => {
      await notice.hover({ timeout });
      await target.click({ timeout, trial: true });
    });
    await target.click();
  }

  /** Else they would lie over what comes next. */
  clear(): Promise<void> {
    return this.#workbench.runCommand('Notifications: Clear All Notifications');
  }

  get #list(): Locator {
    return this.#workbench.page.locator('.notifications-center.visible');
  }
}
