import type { Browser, Page, ViewportSize } from 'playwright-core';
import { timeLimits } from '../time-limits.ts';

export interface NewPageOptions {
  readonly viewport: ViewportSize;
  readonly deviceScaleFactor?: number;
}

/** Opens browser pages. Both a browser and {@link ReusedPages} implement this interface. */
export interface PageOpener {
  newPage(options: NewPageOptions): Promise<Page>;
}

/**
 * Gives all tests the same page, which each test reloads. A reload takes about half the time of a new page. Each URL of
 * the page server has separate webview state, so tests do not affect each other.
 */
export class ReusedPages implements PageOpener {
  readonly #browser: Browser;
  /**
   * Open pages by device scale factor. A separate page is needed for each factor, because the factor of an open page
   * cannot change.
   */
  readonly #pages = new Map<number, Page>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async newPage(options: NewPageOptions): Promise<Page> {
    const { viewport, deviceScaleFactor = 1 } = options;
    const open = this.#pages.get(deviceScaleFactor);
    if (open !== undefined && !open.isClosed()) {
      // Move the mouse pointer away from the content, as in a new page.
      await open.mouse.move(-1, -1);
      await open.setViewportSize(viewport);
      return open;
    }
    const page = await this.#browser.newPage(options);
    page.setDefaultTimeout(timeLimits.condition);
    this.#pages.set(deviceScaleFactor, page);
    return page;
  }

  /**
   * Makes `page` available for the next test. Closes the page if the test failed, because keys or mouse buttons may
   * still be pressed.
   */
  async release(page: Page, { failed }: { readonly failed: boolean }): Promise<void> {
    if (failed || ![...this.#pages.values()].includes(page)) await page.close();
  }
}
