import type { Page } from 'playwright-core';
import type {
  StudioHostMessage,
  StudioPageMessage,
} from '../../../src/image/studio/protocol/messages.ts';
import type { ThemeName } from './page-html.ts';
import type { PageServer } from './page-server.ts';
import type { PageOpener } from './reused-pages.ts';
import { waitForPaint } from './scene-page.ts';
import type { StudioScene } from './studio-scenes.ts';

interface StudioOptions {
  readonly browser: PageOpener;
  readonly server: PageServer;
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  /** Zoom factor of the page. As in VS Code, a greater zoom factor reduces the number of CSS pixels in the window. */
  readonly zoom?: number;
}

/** Opens a page with the image studio, which then waits for the `state-set` message. */
export async function openStudio(options: StudioOptions): Promise<Page> {
  const { browser, server, theme = 'dark', width = 1_100, height = 760, zoom = 1 } = options;
  const page = await browser.newPage({
    viewport: { width: Math.round(width / zoom), height: Math.round(height / zoom) },
    deviceScaleFactor: zoom,
  });
  await page.goto(server.createPageUrl(theme, 'studio'));
  await page.waitForFunction(() => Reflect.get(globalThis, 'posted').length > 0);
  return page;
}

/** Sends host messages to the page, in order. */
export async function sendToStudio(
  page: Page,
  ...messages: readonly StudioHostMessage[]
): Promise<void> {
  await page.evaluate((hostMessages) => {
    for (const message of hostMessages) window.postMessage(message, '*');
  }, messages);
  await waitForPaint(page);
}

/** Returns all messages that the studio has posted, oldest first. */
export const listPostedMessages = (page: Page): Promise<StudioPageMessage[]> =>
  page.evaluate(() => Reflect.get(globalThis, 'posted'));

export async function openStudioScene(scene: StudioScene, options: StudioOptions): Promise<Page> {
  const page = await openStudio(options);
  await sendToStudio(page, ...scene.messages);
  await scene.prepare?.(page);
  // Images outside the view load only after they scroll into view.
  await page.waitForFunction(() =>
    [...document.images].every(
      (image) => image.complete || image.getBoundingClientRect().top > innerHeight,
    ),
  );
  await waitForPaint(page);
  return page;
}
