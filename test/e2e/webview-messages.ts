import type { Page } from 'playwright-core';

/**
 * All that goes into and out of the page's webviews from now on, as JSON, one entry per message.
 * Call before the page is opened.
 */
export async function recordWebviewMessages(page: Page): Promise<readonly string[]> {
  const messages: string[] = [];
  await page.exposeFunction('recordWebviewMessage', (text: string) => messages.push(text));
  await page.addInitScript(recordInFrame);
  return messages;
}

/**
 * Runs in every frame. VS Code opens a webview's document anew, which takes all listeners away: so the
 * recorder starts to listen together with the first listener of the page itself.
 */
function recordInFrame(): void {
  const page = globalThis as typeof globalThis & { recordWebviewMessage(text: string): void };
  const listen = globalThis.addEventListener.bind(globalThis) as (...values: unknown[]) => void;
  const record = (event: MessageEvent): void =>
    page.recordWebviewMessage(JSON.stringify(event.data) ?? '');
  globalThis.addEventListener = (...values: unknown[]): void => {
    if (values[0] === 'message') listen('message', record);
    listen(...values);
  };
}
