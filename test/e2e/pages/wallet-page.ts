import type { BrowserContext, Locator, Page } from 'playwright-core';
import { timeLimits } from '../../support/time-limits.ts';
import { routeLoopbackProxy } from './route-loopback-proxy.ts';

/** The extension's page for browser wallets, in a browser tab. */
export class WalletPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Calls `action`, which opens the wallet page in a new tab. Returns the wallet page. */
  static async waitForPage(
    context: BrowserContext,
    action: () => Promise<unknown>,
  ): Promise<WalletPage> {
    await routeLoopbackProxy(context);
    const pagePromise = context.waitForEvent('page', { timeout: timeLimits.condition });
    const [page] = await Promise.all([pagePromise, action()]);
    return WalletPage.fromPage(page);
  }

  /** Returns the wallet page in the given tab, after the tab has rendered it. */
  static async fromPage(page: Page): Promise<WalletPage> {
    page.setDefaultTimeout(timeLimits.condition);
    const tab = new WalletPage(page);
    await tab.heading.waitFor();
    return tab;
  }

  get heading(): Locator {
    return this.page.getByRole('heading', { level: 1 });
  }

  /** Card that contains the next action or the outcome. */
  get card(): Locator {
    return this.page.locator('section.now');
  }

  /** Returns the list item of a step: `Connect`, `Network`, `Approve`, `Stake` or `Sign`. */
  locateStep(name: string): Locator {
    return this.page
      .getByRole('listitem')
      .filter({ has: this.page.getByText(name, { exact: true }) });
  }

  locateButton(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** Connects the wallet whose name starts with `name`. `name` can be omitted if the page offers only one wallet. */
  async connect(name = ''): Promise<void> {
    await this.page.getByRole('button', { name: new RegExp(`^Connect with ${name}`, 'u') }).click();
  }

  /**
   * Presses the button that sends the pending request to the wallet: a network change, a signature or a transaction.
   */
  async pressAction(): Promise<void> {
    await this.card
      .getByRole('button', { name: /^(?:Switch network|Continue in wallet)$/u })
      .click();
  }

  /** Resolves with the text of the card when the page shows the given outcome. */
  async waitForOutcome(outcome: 'Done' | 'Not done'): Promise<string> {
    await this.page.getByRole('heading', { level: 2, name: outcome, exact: true }).waitFor();
    await this.page.getByText('You can close this tab.', { exact: true }).first().waitFor();
    return this.card.innerText();
  }

  /**
   * Resolves when the page reports that VS Code's window is closed. The window notifies the page while it closes, or
   * else the page detects the lost connection.
   */
  async waitUntilEnded(): Promise<void> {
    const endedPattern = /You can close this tab\.|The editor does not answer/u;
    await this.page.getByText(endedPattern).first().waitFor();
  }
}
