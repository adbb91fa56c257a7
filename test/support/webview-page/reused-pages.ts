import type { Browser, Page, ViewportSize } from 'playwright-core';
import { timeLimits } from '../time-limits.ts';

export interface NewPageOptions {
  readonly viewport: ViewportSize;
  readonly deviceScaleFactor?: number;
}

/** Opens browser pages. Implemented by browsers and by {@link ReusedPages}. */
export interface PageOpener {
  newPage(options: NewPageOptions): Promise<Page>;
}

/**
 * Provides the same browser page to all tests. Each test loads it again, which takes about half the time of opening a
 * new page. Each URL of the page server has a separate webview state, so tests do not affect each other.
 */
export class ReusedPages implements PageOpener {
  readonly #browser: Browser;
  /** Open pages by device scale factor. The factor of an open page cannot change. */
  readonly #pages = new Map<number, Page>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async newPage(options: NewPageOptions): Promise<Page> {
    const { viewport, deviceScaleFactor = 1 } = options;
    const reusablePage = this.#pages.get(deviceScaleFactor);
    if (reusablePage !== undefined && !reusablePage.isClosed()) {
      // Move the mouse pointer away from the content, as in a new page.
      await reusablePage.mouse.move(-1, -1);
      await reusablePage.setViewportSize(viewport);
      return reusablePage;
    }
    const page = await this.#browser.newPage(options);
    page.setDefaultTimeout(timeLimits.condition);
    this.#pages.set(deviceScaleFactor, page);
    return page;
  }

  /**
   * Makes `page` available to the next test. Closes it if the test failed, because keys or mouse buttons may still be
   * pressed.
   */
  async releasePage(page: Page, { hasFailed }: { readonly hasFailed: boolean }): Promise<void> {
    if (hasFailed || ![...this.#pages.values()].includes(page)) await page.close();
  }
}
