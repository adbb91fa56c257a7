import type { Browser, Page, ViewportSize } from 'playwright-core';
import { timeLimits } from '../time-limits.ts';

export interface NewPageOptions {
  readonly viewport: ViewportSize;
  readonly deviceScaleFactor?: number;
}

/** Opens pages: a browser, or {@link ReusedPages}. */
export interface PageOpener {
  newPage(options: NewPageOptions): Promise<Page>;
}

/**
 * Gives all tests the same page, reloaded, since a reload takes about half the time of a new page.
 * Each page server URL has its own webview state, so tests do not affect each other.
 */
export class ReusedPages implements PageOpener {
  readonly #browser: Browser;
  /** Open pages by device scale factor, which a page cannot change. */
  readonly #pages = new Map<number, Page>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async newPage(options: NewPageOptions): Promise<Page> {
    const { viewport, deviceScaleFactor = 1 } = options;
    const open = this.#pages.get(deviceScaleFactor);
    if (open !== undefined && !open.isClosed()) {
      // Move the mouse away, as in a new page.
      await open.mouse.move(-1, -1);
      await open.setViewportSize(viewport);
      return open;
    }
    const page = await this.#browser.newPage(options);
    page.setDefaultTimeout(timeLimits.condition);
    this.#pages.set(deviceScaleFactor, page);
    return page;
  }

  /** Ends a test's use of `page`; closes it when the test failed, because keys or the mouse may still be down. */
  async release(page: Page, { failed }: { readonly failed: boolean }): Promise<void> {
    if (failed || ![...this.#pages.values()].includes(page)) await page.close();
  }
}
