import type { BrowserContext, Locator, Page } from 'playwright-core';
import { timeLimits } from '../../support/time-limits.ts';
import { reachLoopback } from './reach-loopback.ts';

/** The page of the browser wallet, in a tab of its own beside the workbench. */
export class WalletTab {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The tab that opens while `act` runs. */
  static async openedBy(context: BrowserContext, act: () => Promise<unknown>): Promise<WalletTab> {
    await reachLoopback(context);
    const opens = context.waitForEvent('page', { timeout: timeLimits.condition });
    const [page] = await Promise.all([opens, act()]);
    return WalletTab.of(page);
  }

  /** The tab, once it shows the page. */
  static async of(page: Page): Promise<WalletTab> {
    page.setDefaultTimeout(timeLimits.condition);
    const tab = new WalletTab(page);
    await tab.heading.waitFor();
    return tab;
  }

  get heading(): Locator {
    return this.page.getByRole('heading', { level: 1 });
  }

  /** What is to be done now, or how it ended. */
  get card(): Locator {
    return this.page.locator('section.now');
  }

  /** `Connect`, `Network`, `Approve`, `Stake`, `Sign`. */
  step(name: string): Locator {
    return this.page
      .getByRole('listitem')
      .filter({ has: this.page.getByText(name, { exact: true }) });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** Connects the only wallet, or the one of that name. */
  async connect(name = ''): Promise<void> {
    await this.page.getByRole('button', { name: new RegExp(`^Connect with ${name}`, 'u') }).click();
  }

  /** Presses the button that asks the wallet: to switch, to sign, or to send. */
  async go(): Promise<void> {
    await this.card
      .getByRole('button', { name: /^(?:Switch network|Sign in wallet|Continue in wallet)$/u })
      .click();
  }

  /** Resolves when the page says how it ended, with what it says. */
  async ended(outcome: 'Done' | 'Not done'): Promise<string> {
    await this.page.getByRole('heading', { level: 2, name: outcome, exact: true }).waitFor();
    await this.page.getByText('You can close this tab.', { exact: true }).first().waitFor();
    return this.card.innerText();
  }

  /**
   * Resolves when the page asks for nothing more because the window went away: the editor says so if it still can,
   * else the page notices.
   */
  async over(): Promise<void> {
    const words = /You can close this tab\.|The editor does not answer/u;
    await this.page.getByText(words).first().waitFor();
  }
}
