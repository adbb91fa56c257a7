import type { Page } from 'playwright-core';
import type { HostMessage } from '../../../src/chat/protocol/host-message.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { bodyClasses, type ThemeName } from './page-html.ts';
import type { PageServer } from './page-server.ts';
import type { PageOpener } from './reused-pages.ts';
import type { Scene } from './scenes.ts';

interface SceneOptions {
  readonly browser: PageOpener;
  readonly server: PageServer;
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  /** True to install a fake clock, which `page.clock` controls. Requires a new page. */
  readonly hasFakeClock?: boolean;
}

/** Opens the chat page and waits for the page's first message. */
export async function openPage(options: SceneOptions): Promise<Page> {
  const {
    browser,
    server,
    theme = 'dark',
    width = 400,
    height = 640,
    hasFakeClock = false,
  } = options;
  const page = await browser.newPage({ viewport: { width, height } });
  if (hasFakeClock) await page.clock.install();
  await page.goto(server.createPageUrl(theme));
  await page.waitForFunction(() => Reflect.get(globalThis, 'posted').length > 0);
  return page;
}

/** Sends host messages to the page, in order. */
export async function sendToChat(page: Page, ...messages: readonly HostMessage[]): Promise<void> {
  await page.evaluate((hostMessages) => {
    for (const message of hostMessages) window.postMessage(message, '*');
  }, messages);
  await waitForPaint(page);
}

/** Resolves after the browser has painted the next frame. */
export async function waitForPaint(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise((resolve) =>
        setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(resolve))),
      ),
  );
}

/** Changes the theme of the open page, as VS Code does. */
export async function setTheme(page: Page, theme: ThemeName): Promise<void> {
  await page.evaluate(
    async ([name, className]) => {
      document.body.className = className;
      const link = document.querySelector<HTMLLinkElement>('link[href*="theme.css"]');
      await new Promise((resolve) => {
        link?.addEventListener('load', resolve, { once: true });
        const page = new URL(location.href).searchParams.get('page') ?? '';
        link?.setAttribute('href', `/theme.css?theme=${name}&page=${page}&again`);
      });
    },
    [theme, bodyClasses[theme]] as const,
  );
  await waitForPaint(page);
}

/** Returns all messages that the webview has posted, oldest first. */
export const listPostedMessages = (page: Page): Promise<WebviewMessage[]> =>
  page.evaluate(() => Reflect.get(globalThis, 'posted'));

export async function openScene(scene: Scene, options: SceneOptions): Promise<Page> {
  const page = await openPage(options);
  await sendToChat(page, ...scene.messages);
  await page.waitForFunction(() => customElements.get('vscode-button') !== undefined);
  await scene.prepare?.(page);
  await waitForPaint(page);
  return page;
}
